// What Rust was asked for every shared case, asked again by the functions that users call: the answers are the same, byte for
// byte, and so are those to values of JavaScript.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { mock, test } from "node:test";
import {
  Archive,
  Shaper,
  ToolshapeError,
  countTokens,
  decode,
  encode,
  expand,
  fitsTokens,
  handleKeys,
  truncateToTokens,
} from "toolshape";
import "toolshape/cl100k_base";
import { conversesWith } from "../conversation.mjs";
import { casesOf } from "../vectors.mjs";
import { begin } from "./conversation.mjs";

// Sessions are driven by the package's own module.
const require = createRequire(import.meta.url);
require("toolshape");
const { callShaper } = require(join(dirname(require.resolve("toolshape/package.json")), "dist/cjs/core.js"));

/** The methods of a shaper; what the others have in common is their name and the order of their members. */
const OF_SHAPER = {
  decodeKeyset: ["cursor", "call"],
  keep: session,
  keysetPage: ["rows", "keyset", "call"],
  links: ["rows", "links", "call"],
  open: ["purpose", "ticket", "call"],
  outputSchema: ["tool"],
  rateLimit: rateLimits,
  read: session,
  readKeys: ["call"],
  readResult: ["key", "content", "call"],
  readSql: readsSql,
  refusal: (shaper, { error: { code, message, path }, call }) =>
    shaper.refusal(new ToolshapeError(code, message, path), call),
  shapeJson: ["text", "call"],
  shapeResult: ["returned", "call"],
  shapeSnapshot: ["key", "content", "call"],
  shapeText: (shaper, { text, call }) => shaper.shape(text, call),
  shapeTogether: ["results", "combinedTokens"],
  snapshot: ["call"],
  summarizeText: ["text", "summary", "call"],
  ticket: ["key", "known", "call"],
  toSummarize: ["key", "content", "call"],
  tool: ["tool", "hasStore"],
};

const ALONE = {
  countTokens: [countTokens, "text", "encoding"],
  decode: [decode, "tokens", "encoding"],
  encode: [encode, "text", "encoding"],
  fitsTokens: [fitsTokens, "text", "limit", "encoding"],
  truncateToTokens: [truncateToTokens, "text", "limit", "encoding", "side"],
};

/** Members that JSON names by the number of a text, and what they are here. */
const TEXTS = {
  content: String,
  returned: JSON.parse,
  rows: JSON.parse,
  text: String,
  tokens: (tokens) => Uint32Array.from(tokens),
};

/** What JSON has as a text of its own. */
const PARSED = {
  decodeKeyset: (keys) => keys?.map((key) => JSON.parse(key)) ?? null,
};

function asked(request, texts) {
  const at = (number) => texts[number - 1];
  const members = { key: null, content: null, ...request };
  for (const [name, read] of Object.entries(TEXTS)) {
    if (typeof request[name] === "number") members[name] = read(at(request[name]));
  }
  const returned = ({ json, text, call }) => ({
    ...(json ? { json: at(json) } : { value: at(text) }),
    ...(call && { call }),
  });
  if (request.results) members.results = request.results.map(returned);
  if (request.texts) members.texts = request.texts.map(at);
  return members;
}

function rateLimits(shaper, { error, call, now }) {
  mock.timers.enable({ apis: ["Date"], now: (now ?? 0) * 1000 });
  try {
    return shaper.rateLimit(error, call);
  } finally {
    mock.timers.reset();
  }
}

/** SQLite is in a module of its own, which an archive loads. */
function readsSql(shaper, { tables: [{ handle, key }], call }, [content]) {
  const stored = new Map([[key, content]]);
  const [ticket] = handleKeys(handle.replace("toolshape://result/", ""));
  if (ticket.endsWith(".handle")) stored.set(ticket, shaper.ticket(key, null, {}));
  const store = { get: (name) => stored.get(name), set() {}, delete() {} };
  return new Archive(shaper, store).readResult(call.arguments);
}

function session(_, { method, shaper: __, texts, key: ___, content: ____, policy, ...members }) {
  return callShaper(JSON.stringify(policy), method, members, texts && { texts });
}

/** An answer in the form of the transcript. */
function said(answer) {
  if (Array.isArray(answer) || answer instanceof Uint32Array) return Array.from(answer, said);
  if (answer === null || typeof answer !== "object") return answer;
  if (answer.done) return { ...answer, done: said(answer.done) };
  const { text, result, unchanged, isError, receipt, keep, image } = answer;
  if (unchanged === undefined) return answer;
  const shown = { unchanged, isError, receipt: measured(receipt), keep: owned(keep) };
  return result === undefined ? { text, ...shown, ...(image && { image }) } : { result: timeless(result), ...shown };
}

function owned(keep) {
  return keep && { owner: null, ...keep, ...(keep.images && { images: owned(keep.images) }) };
}

function measured(receipt) {
  if (!receipt) return receipt;
  const { durationMs, ...rest } = typeof receipt === "string" ? JSON.parse(receipt) : receipt;
  return rest;
}

function timeless(result) {
  const receipt = result._meta?.["toolshape/receipt"];
  return receipt ? { ...result, _meta: { ...result._meta, "toolshape/receipt": measured(receipt) } } : result;
}

/** Of values of JavaScript: they have no white space that could be left out, nor is it what they cost. */
function ofValue({ text, isError, receipt, keep }) {
  const steps = receipt.steps.filter((step) => step !== "minify");
  return { text: steps.length === 0 ? "" : text, isError, steps, keep: keep?.key };
}

/** What passes is not copied; what is added is a text, or leads to what is stored. */
function isHanded(returned, { content = [] }) {
  const own = Array.isArray(returned?.content) ? returned.content : [];
  const isOurs = ({ type, uri }) => type === "text" || type === "resource" || uri?.startsWith("toolshape://result/");
  for (const block of content) assert.ok(isOurs(block) || own.includes(block));
}

async function replay(lines) {
  const shapers = new Map();
  for (const { request, texts, spelling, result, error } of lines) {
    const { method } = request;
    const isOfRows = "rows" in request;
    // Rows are values here.
    if (spelling && (isOfRows || method === "decodeKeyset")) continue;
    const members = asked(request, texts);
    const { policy, shaper } = shapers.get(request.shaper) ?? {};
    const run = OF_SHAPER[method];
    let answer;
    try {
      if (method === "shaper") answer = new Shaper(request.policy);
      else if (method in ALONE) {
        const [run, ...names] = ALONE[method];
        answer = run(...names.map((name) => members[name]));
      } else if (typeof run === "function") answer = await run(shaper, { ...members, policy }, texts);
      else answer = shaper[method](...run.map((name) => members[name]));
    } catch (thrown) {
      if (!(thrown instanceof ToolshapeError)) throw thrown;
      assert.deepEqual([thrown.code, thrown.path], [error?.code, error?.path], method);
      continue;
    }
    assert.equal(error, undefined, method);
    if (method === "shaper") {
      shapers.set(result, { policy: request.policy, shaper: answer });
      continue;
    }
    const wanted = PARSED[method]?.(result) ?? result;
    if (isOfRows) assert.deepEqual(ofValue(answer), ofValue(wanted), method);
    else if (method === "shapeResult") {
      const { result: shown, ...rest } = said(answer);
      const { result: written, ...others } = wanted;
      assert.deepEqual([shown, rest], [written === null ? members.returned : JSON.parse(written), others], method);
      isHanded(members.returned, answer.result);
      assert.deepEqual(members.returned, JSON.parse(texts[0]), "what the tool returned was changed");
    } else assert.deepEqual(said(answer), wanted, method);
    if (spelling) continue;
    if (method === "shapeJson" && typeof JSON.parse(members.text) !== "string") {
      const value = JSON.parse(members.text);
      const shaped = shaper.shape(value, members.call);
      assert.deepEqual(ofValue(shaped), ofValue(wanted), "a value");
      if (shaped.unchanged) assert.equal(shaped.value, value);
      else assert.deepEqual(shaped.value, JSON.parse(expand(shaped.text)));
      if (shaped.unchanged) assert.equal(shaped.text, JSON.stringify(value));
    }
  }
}

const path = process.env.TOOLSHAPE_TRANSCRIPT ?? join(process.env.TOOLSHAPE_ROOT, "target/vectors/transcript.jsonl");
const lines = readFileSync(path, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const files = groupedBy(lines, (name) => name.split(":")[0]);

for (const [file, ofFile] of files) {
  test(file, async (t) => {
    for (const [name, ofCase] of groupedBy(ofFile, (name) => name)) await t.test(name, () => replay(ofCase));
  });
}

function groupedBy(lines, keyOf) {
  const groups = new Map();
  for (const line of lines) {
    const key = keyOf(line.case);
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return groups;
}

test("relay", async (t) => {
  for (const one of casesOf("relay")) await t.test(one.name, () => conversesWith(begin)(one));
});
