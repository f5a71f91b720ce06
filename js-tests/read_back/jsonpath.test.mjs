// The JSONPath compliance suite (RFC 9535), as npm jsonpath-rfc9535 carries it, through `readResult`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Shaper } from "toolshape";

const folder = dirname(createRequire(import.meta.url).resolve("jsonpath-rfc9535/package.json"));
const { tests } = JSON.parse(
  readFileSync(join(folder, "src/__tests__/jsonpath-compliance-test-suite/cts.json"), "utf8"),
);
const shaper = new Shaper({ maxTokens: 100_000 });

/** Cases that fail, by name. None may be added: what is not here has to pass. */
const KNOWN_FAILURES = new Set([]);

/** Whether we do as a case says; what we do instead, if not. */
function fault({ selector, document = null, result_paths, results_paths, result, results, invalid_selector }) {
  const content = JSON.stringify(document);
  const handle = createHash("sha256").update(content).digest("hex");
  const call = { tool: "read_result", arguments: { handle, jsonPath: selector } };
  const { isError, value } = shaper.readResult(`${handle}.json`, content, call);
  // An empty query is refused before it is one.
  if (isError) return invalid_selector && value.error === "INVALID_CALL" ? null : JSON.stringify(value);
  if (invalid_selector) return "taken for a query";
  const pointers = value.items.map(({ pointer }) => pointer);
  const allowed = (results_paths ?? [result_paths]).map((paths) => paths.map(toPointer));
  const at = allowed.findIndex((paths) => JSON.stringify(paths) === JSON.stringify(pointers));
  if (at < 0) return `selects ${JSON.stringify(pointers)}`;
  assert.deepEqual(
    value.items.map((item) => item.value),
    (results ?? [result])[at],
  );
  return null;
}

/** A normalized path (RFC 9535, section 2.7) as a JSON Pointer. */
function toPointer(path) {
  const steps = [...path.matchAll(/\[(?:(\d+)|'((?:[^'\\]|\\.)*)')\]/gsu)].map(
    ([, index, name]) => index ?? unescape(name),
  );
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function unescape(name) {
  return JSON.parse(`"${name.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"')}"`);
}

test("the compliance suite", () => {
  assert.ok(tests.length >= 680, `only ${tests.length} cases`);
  const failed = tests.map((one) => [one.name, fault(one)]).filter(([, fault]) => fault !== null);
  const share = ((100 * (tests.length - failed.length)) / tests.length).toFixed(1);
  console.log(`JSONPath compliance: ${tests.length - failed.length} of ${tests.length} cases pass (${share} %)`);
  for (const [name, fault] of failed) console.log(`  ${name}: ${fault}`);
  assert.deepEqual(
    failed.map(([name]) => name).filter((name) => !KNOWN_FAILURES.has(name)),
    [],
  );
  assert.equal(failed.length, KNOWN_FAILURES.size, "a known failure passes: take it off the list");
});

test("a query that explodes ends, and says that it did not finish", () => {
  const deep = `${"[".repeat(500)}1${"]".repeat(500)}`;
  const content = `[${Array(20).fill(deep).join(",")}]`;
  const handle = createHash("sha256").update(content).digest("hex");
  for (const jsonPath of ["$..*..*..*", "$[?count(@..*..*..*) > 0]", "$..[?@..[?@..[?@..*]]]..[?@..*]"]) {
    const startedAt = performance.now();
    const { value } = shaper.readResult(`${handle}.json`, content, {
      tool: "read_result",
      arguments: { handle, jsonPath },
    });
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${jsonPath}: ${value.totalItems} matches, stopped: ${value.stopped === true}, ${seconds.toFixed(2)} s`,
    );
    assert.equal(value.stopped, true, jsonPath);
    assert.match(value.note, /stopped/);
    assert.ok(seconds < 20, `${jsonPath} took ${seconds} s`);
  }
});
