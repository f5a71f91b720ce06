// What the classes promise in addition to the vectors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, Shaper, ToolshapeError, expand, explain } from "toolshape";

const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` }));

test("what fits is the tool's own value", () => {
  const value = { a: [1, 2, 3] };
  const shaped = new Shaper().shape(value, { tool: "t" });
  assert.equal(shaped.unchanged, true);
  assert.equal(shaped.value, value);
  assert.equal(shaped.text, '{"a":[1,2,3]}');
});

test("what does not fit is read back from the text, once", () => {
  const shaped = new Shaper().shape(rows, { tool: "t" });
  assert.equal(shaped.unchanged, false);
  assert.deepEqual(shaped.value, JSON.parse(expand(shaped.text)));
  assert.equal(shaped.value, shaped.value);
  assert.equal(shaped.value.totalItems, 200);
});

test("text that passes is its own value; JSON text is read", () => {
  assert.equal(new Shaper().shape("hello").value, "hello");
  assert.deepEqual(new Shaper().shapeJson('{"a": 1}').value, { a: 1 });
});

test("the receipt has the steps", () => {
  const { receipt, tokens, text } = new Shaper({ maxTokens: 500 }).shape(rows, { tool: "list" });
  assert.equal(receipt.tool, "list");
  assert.deepEqual(receipt.steps, ["columns", "paginate"]);
  assert.equal(receipt.budget, 500);
  assert.equal(receipt.encoding, "o200k_base");
  assert.equal(receipt.tokensAfter, tokens);
  assert.equal(receipt.bytes, Buffer.byteLength(text));
  assert.equal(typeof receipt.tokensBeforeExact, "boolean");
  assert.ok(receipt.durationMs > 0 && receipt.durationMs < 60_000);
});

test("pages follow from cursors, in the call or among the tool's arguments", () => {
  const shaper = new Shaper();
  const seen = [];
  let cursor = null;
  do {
    const shaped = shaper.shape(rows, { tool: "t", arguments: { q: "x", cursor } });
    seen.push(...shaped.value.items);
    cursor = shaped.value.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, rows);
});

test("a wrong call control is explained to the caller of the tool", () => {
  const shaped = new Shaper().shape(rows, { tool: "t", arguments: { page: "two" } });
  assert.equal(shaped.isError, true);
  assert.equal(shaped.value.error, "INVALID_CALL");
  assert.match(shaped.value.message, /page/);
});

const FAULTS = [
  ["an unknown option", () => new Shaper({ maxToken: 1 }), "INVALID_POLICY", "/maxToken"],
  ["an object that is not a receipt", () => explain({ tool: "x" }), "INVALID_CALL", "/receipt"],
  ["a result in place of its receipt", () => explain(new Shaper().shape(rows)), "INVALID_CALL", "/receipt"],
  ["a wrong type", () => new Shaper({ maxTokens: "many" }), "INVALID_POLICY", "/maxTokens"],
  ["NaN", () => new Shaper({ maxTokens: NaN }), "INVALID_POLICY", "/maxTokens"],
  ["a function", () => new Shaper({ preview: () => "head" }), "INVALID_POLICY", "/preview"],
  ["an option of a tool", () => new Shaper({ tools: { t: { margin: 2 } } }), "INVALID_POLICY", "/tools/t/margin"],
  ["no object", () => new Shaper(null), "INVALID_POLICY", ""],
  [
    "a policy that cannot be read",
    () =>
      new Shaper({
        get maxTokens() {
          throw new Error("no");
        },
      }),
    "INVALID_POLICY",
    "",
  ],
  ["an unknown key of a call", () => new Shaper().shape([], { tools: "t" }), "INVALID_CALL", "/tools"],
  ["a tool that is not text", () => new Shaper().shape([], { tool: 7 }), "INVALID_CALL", "/tool"],
  ["arguments that are not an object", () => new Shaper().shape([], { arguments: [] }), "INVALID_CALL", "/arguments"],
  ["a value that is not text as JSON text", () => new Shaper().shapeJson({}), "INVALID_CALL", "/text"],
  ["a Map for a policy", () => new Shaper(new Map([["maxTokens", 300]])), "INVALID_POLICY", ""],
  ["a policy of inherited options", () => new Shaper(Object.create({ maxTokens: 300 })), "INVALID_POLICY", ""],
  ["text that is not JSON", () => new Shaper().shapeJson('{"a":1,}'), "INVALID_JSON", ""],
];

test("a cursor that is not text is an error for the caller", () => {
  const shaper = new Shaper();
  const call = { tool: "t", arguments: { cursor: 5 } };
  assert.throws(
    () => shaper.decodeKeyset(5, call),
    (error) => {
      assert.equal(error.path, "/cursor");
      assert.equal(JSON.parse(shaper.refusal(error, call).text).error, "INVALID_CALL");
      return true;
    },
  );
});

for (const [name, run, code, path] of FAULTS) {
  test(`${name} throws ${code}`, () => {
    assert.throws(run, (error) => {
      assert.ok(error instanceof ToolshapeError && error instanceof Error);
      assert.equal(error.name, "ToolshapeError");
      assert.equal(error.code, code);
      assert.equal(error.path, path);
      assert.ok(error.message.length > 0);
      return true;
    });
  });
}

test("INVALID_JSON has line and column", () => {
  assert.throws(() => new Shaper().shapeJson('{\n  "a": x}'), { message: /line 2, column 8/ });
});

test("options that are undefined or null have their defaults", () => {
  const { receipt } = new Shaper({ maxTokens: undefined, encoding: null }).shape([]);
  assert.equal(receipt.budget, 2000);
  assert.equal(receipt.encoding, "o200k_base");
});

test("lone surrogates in calls and JSON texts do no harm", () => {
  const shaper = new Shaper();
  const call = { tool: "t\ud800", arguments: { q: "\udfff", "\ud800": "\\ud800" } };
  assert.equal(shaper.shape([1], call).receipt.tool, "t\ufffd");
  assert.equal(shaper.shapeJson('["a\ud800b"]').text, '["a\\ud800b"]');
  assert.equal(shaper.shapeJson('["😀"]').text, '["😀"]');
});

test("arguments of any depth are the tool's, and no trap", () => {
  for (const levels of [127, 128, 4_000, 50_000]) {
    let deep = [];
    for (let level = 0; level < levels; level++) deep = [deep];
    assert.equal(new Shaper().shape([1], { arguments: { deep } }).text, "[1]", String(levels));
  }
});

test("thousands of policies cost no memory for ever", () => {
  const kept = new Shaper({ maxTokens: 300, cursorKey: "k".repeat(32) });
  const text = kept.shape(rows).text;
  for (let tenant = 0; tenant < 2500; tenant++) new Shaper({ cursorKey: `tenant-${tenant}-${"k".repeat(16)}` });
  assert.equal(kept.shape(rows).text, text);
});

test("a tool's own arguments may nest as deeply as they like", () => {
  for (const depth of [127, 128, 4_097, 10_000]) {
    let filter = [];
    for (let level = 1; level < depth; level++) filter = [filter];
    const shaped = new Shaper().shape(rows, { tool: "list", arguments: { filter, page: 2, pageSize: 5 } });
    assert.equal(shaped.isError, false, `${depth} levels`);
    assert.deepEqual(shaped.value.items, rows.slice(5, 10));
  }
});

test("a result of several that has another key is refused, because its cursors would belong to no tool", async () => {
  const store = { get: () => null, set() {}, delete() {} };
  for (const shape of [
    (given) => new Shaper().shapeTogether(given),
    (given) => new Archive(new Shaper(), store).shapeTogether(given),
  ]) {
    for (const [given, path, message] of [
      [[{ value: [1], tool: "x" }], "/0/tool", /call: \{ tool/],
      [[{ value: [1] }, { json: "[1]", rows: [1] }], "/1/rows", /value or json, and call\.?$/],
    ]) {
      await assert.rejects(
        async () => shape(given),
        (error) => error.code === "INVALID_CALL" && error.path === path && message.test(error.message),
      );
    }
  }
});
