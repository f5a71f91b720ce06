// Statements that would not end, and forbidden ones: in the packed module each ends as natively, while the clock stands
// still, in bounded memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const lists = JSON.parse(readFileSync(join(process.env.VECTORS_DIR, "shared/hostile_sql.json"), "utf8"));
const file = createRequire(import.meta.url).resolve("toolshape-wasm/toolshape_sql.wasm");
let now = () => 0;
const imports = { toolshape: { now: () => now() } };
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), imports);
/** What SQLite may take, the stored texts, and what the module needs itself. */
const MOST_BYTES = 256 << 20;

// As crates/sql/tests/ask/hostile_statements.rs has them.
const rows = Array.from({ length: 2000 }, (_, n) => ({ k: `k${n % 100}`, n, d: { a: [1, 2, { b: n }] } }));
const long = Array.from({ length: 50_000 }, (_, n) => n);
const tables = {
  m: JSON.stringify(rows),
  deep: `{"deep":${"[".repeat(900)}${"]".repeat(900)},"long":[${long}]}`,
};

/** How a statement ends. */
function endOf(sql) {
  const sources = Object.entries(tables).map(([handle, content], at) => ({
    handle,
    key: `${String(at).repeat(64)}.json`,
    buffer: placed(Buffer.from(content)),
    bytes: content.length,
  }));
  const [json, text] = call({ method: "askSql", sql, from: 0, rows: 100, cellChars: 1000, sources });
  assert.equal(JSON.parse(json).error, undefined, sql);
  const { error, firstRows } = JSON.parse(text).answers[0];
  if (error) return error.message;
  return firstRows
    ? `an answer for the first ${firstRows.read} of ${firstRows.of} rows of ${firstRows.table}`
    : "an answer";
}

/** Writes bytes into a buffer of the module. */
function placed(bytes) {
  const to = exports.toolshape_alloc(bytes.length);
  new Uint8Array(exports.memory.buffer, to, bytes.length).set(bytes);
  return to;
}

/** Sends a message, and returns the parts of the answer: how many there are, how long each is, and the parts. */
function call(request) {
  const json = Buffer.from(JSON.stringify(request));
  const from = exports.toolshape_call(
    placed(Buffer.concat([Buffer.from(Uint32Array.of(1, json.length).buffer), json])),
  );
  const view = new DataView(exports.memory.buffer, from);
  let at = from + 4 * (view.getUint32(0, true) + 1);
  const answer = Array.from({ length: view.getUint32(0, true) }, (_, index) => {
    const length = view.getUint32(4 * (index + 1), true);
    at += length;
    return Buffer.from(exports.memory.buffer, at - length, length).toString();
  });
  exports.toolshape_free(from);
  return answer;
}

for (const [name, statements] of Object.entries(lists).filter(([, list]) => Array.isArray(list))) {
  test(`${name} statements end as natively, and the next has its answer`, () => {
    assert.ok(statements.length > 30);
    const differ = [];
    for (const { sql, end } of statements) {
      const found = endOf(sql);
      if (found !== end) differ.push({ sql, end, found });
    }
    assert.deepEqual(differ, []);
    assert.equal(endOf("SELECT count(*) FROM m"), "an answer");
    assert.ok(exports.memory.buffer.byteLength < MOST_BYTES, `${exports.memory.buffer.byteLength}`);
  });
}

test("a question ends when its time is up", () => {
  let asked = 0;
  now = () => 1000 * asked++;
  try {
    assert.match(endOf("SELECT count(*) FROM m a, m b, m c"), /limit of time/u);
    assert.ok(asked < 20, `${asked}`);
  } finally {
    now = () => 0;
  }
});
