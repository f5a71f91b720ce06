// What an archive makes of results, and an adapter of errors, as `vectors/shared/kept_results.json` expects in both languages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper } from "toolshape";
import { inputOf } from "../vectors.mjs";

const folder = process.env.VECTORS_DIR ?? join(process.env.TOOLSHAPE_ROOT ?? "../..", "vectors");
const { policy, together, results, thrown } = JSON.parse(
  readFileSync(join(folder, "shared/kept_results.json"), "utf8"),
);

class Away extends Error {
  name = "Away";
}

/** An archive as a case asks for it, and what is in its store. */
function archiveOf({ redact, redacts, fails }) {
  const [kept, store] = [[], new MemoryStore()];
  const set = (key, value, ttl) => {
    if (fails) throw new Away();
    store.set(key, value, ttl);
    if (!key.endsWith(".handle")) kept.push(key);
    if (redact) assert.ok(!new RegExp(redact[0]).test(value), value);
  };
  const hook = redact && ((text) => text.replace(new RegExp(redact[0], "g"), redact[1]));
  return {
    kept,
    archive: new Archive(
      new Shaper(policy),
      { ...store, get: (key) => store.get(key), set, delete: (key) => store.delete(key) },
      { redact: hook, redacts },
    ),
  };
}

for (const one of together.cases) {
  test(`together: ${one.name}`, async () => {
    const { kept, archive } = archiveOf(one);
    const given = together.results.map((json, at) => ({ json: inputOf(json), call: { tool: `tool ${at}` } }));
    const shaped = await archive.shapeTogether(given, one.combinedTokens);
    const { redacted, failed, steps, stored } = one.expect;
    assert.deepEqual(
      shaped.map(({ receipt }) => receipt.steps),
      steps,
    );
    assert.deepEqual(kept.sort(), stored);
    const direct = given.map(({ json, call }, at) => ({
      json: redacted.includes(at) ? json.replace(new RegExp(one.redact[0], "g"), one.redact[1]) : json,
      call: { ...call, ...(failed.includes(at) ? { storeFailure: "Away" } : { store: true }) },
    }));
    const expected = new Shaper(policy).shapeTogether(direct, one.combinedTokens);
    assert.deepEqual(
      shaped.map(({ text }) => text),
      expected.map(({ text }) => text),
    );
    assert.ok(shaped.reduce((sum, { tokens }) => sum + tokens, 0) <= one.combinedTokens);
  });
}

for (const one of results) {
  test(`a result: ${one.name}`, async () => {
    const { kept, archive } = archiveOf(one);
    const { result } = await archive.shapeResult(JSON.parse(inputOf(one.returned)), one.call);
    const { _meta, ...shown } = result;
    const seen = { result: shown, stored: kept.sort() };
    assert.deepEqual(Object.fromEntries(Object.keys(one.expect).map((name) => [name, seen[name]])), one.expect);
    // A result that is not expected in full has at least nothing that was to be redacted.
    assert.ok("result" in one.expect || !new RegExp(one.redact[0]).test(JSON.stringify(shown)));
  });
}

for (const { name, error, said, isResult } of thrown) {
  test(`thrown: ${name}`, () => {
    const shaped = new Shaper(policy).thrownResult(Object.assign(new Error(inputOf(said)), error), { tool: "fetch" });
    assert.equal(shaped !== null, isResult);
    if (shaped !== null) assert.ok(shaped.result.isError && shaped.receipt.tokensAfter <= policy.maxTokens);
  });
}
