// Results in MCP's form, kept in a store: what the result says about the store is true.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, expand, MemoryStore, Shaper } from "toolshape";

const IMAGE = { type: "image", data: "AAAA", mimeType: "image/png" };
const rows = Array.from({ length: 200 }, (_, id) => ({ id, secret: `secret-${id}` }));
const returned = { content: [{ type: "text", text: JSON.stringify(rows) }, IMAGE] };
const shaper = new Shaper({ maxTokens: 800 });
const call = { tool: "list" };
const json = ({ result }) => JSON.parse(expand(result.content[0].text));

test("the next page comes from the store, and the rest is read back", async () => {
  const archive = new Archive(shaper, new MemoryStore());
  const shaped = await archive.shapeResult(returned, call);
  assert.equal(shaped.result.content[1], IMAGE);
  const { nextCursor, uri, items } = json(shaped);
  const next = json(await archive.snapshotResult({ ...call, cursor: nextCursor }));
  assert.deepEqual({ source: next.source, id: next.items[0].id }, { source: "snapshot", id: items.length });
  assert.equal(await archive.snapshotResult(call), null);
  assert.deepEqual((await archive.readResult({ handle: uri, pointer: "/199" })).value, rows[199]);
});

test("what redact changes is neither stored nor shown", async () => {
  const store = new MemoryStore();
  const archive = new Archive(shaper, store, { redact: (text) => text.replace(/secret-\d+/g, "***") });
  const shaped = await archive.shapeResult(returned, call);
  assert.ok(!JSON.stringify(shaped.result).includes("secret-"));
  assert.ok(!(await store.get(shaped.keep.key)).includes("secret-"));
  assert.equal(shaped.result.content[1], IMAGE);
});

test("where redact fails, the receipt says why", async () => {
  const redact = () => {
    throw new TypeError("no text");
  };
  const { isError, receipt } = await new Archive(shaper, new MemoryStore(), { redact }).shapeResult(returned, call);
  assert.ok(isError);
  assert.match(receipt.failure, /^redact failed: /);
});

test("JSON.stringify writes what the model reads, and not what is stored", async () => {
  const written = (value) => JSON.parse(JSON.stringify(value));
  const shaped = await new Archive(shaper, new MemoryStore()).shapeResult(returned, call);
  assert.ok(shaped.keep.content.includes("secret-199"));
  assert.deepEqual(written(shaped), shaped.result);
  const page = shaper.shape(rows, { ...call, store: true });
  assert.deepEqual(written(page), JSON.parse(page.text));
  for (const [value, expected] of [
    ["a text", "a text"],
    [[1], [1]],
    [{ id: 9007199254740993n }, { id: "9007199254740993" }],
    [new Map([["a", 1]]), { a: 1 }],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
  ])
    assert.deepEqual(written(shaper.shape(value)), expected);
});

test("structured content keeps whole numbers that are not exact in JavaScript as texts", async () => {
  const data = {
    id: 9007199254740993n,
    small: 5,
    rows: Array.from({ length: 900 }, (_, n) => ({ n, id: 2n ** 60n + 1n })),
  };
  const outputSchema = { type: "object", properties: { rows: { type: "array" } } };
  const given = { content: [], structuredContent: data };
  for (const schema of ["widen", "preserve"]) {
    const archive = new Archive(new Shaper({ maxTokens: 600, schema }), new MemoryStore());
    const { result } = await archive.shapeResult(given, { ...call, outputSchema });
    const written = JSON.stringify(result.structuredContent);
    assert.match(written, /"9007199254740993"/, schema);
    assert.match(written, /"1152921504606846977"/, schema);
    assert.match(written, /"small":5/, schema);
  }
});

test("where the store fails, the result says so and has no handle", async () => {
  const set = () => Promise.reject(new Error("disk full"));
  const archive = new Archive(shaper, { get: () => null, set, delete: () => {} });
  const shaped = await archive.shapeResult(returned, call);
  assert.equal(json(shaped).storeFailed, "Error");
  assert.equal(shaped.receipt.failure, "the store failed: Error");
  assert.equal(json(shaped).uri, undefined);
  assert.equal(shaped.keep, null);
});

test("images are stored next to the text that is shortened, and read as blocks", async () => {
  const shots = [0, 1, 2].map((at) => ({ ...IMAGE, data: `AAA${at}` }));
  const archive = new Archive(new Shaper({ maxTokens: 800, images: 1 }), new MemoryStore());
  const shaped = await archive.shapeResult({ content: [returned.content[0], ...shots] }, call);
  const [text, first, note] = shaped.result.content;
  assert.equal(first, shots[0]);
  const { imagesLeftOut, uri: handle } = JSON.parse(note.text);
  assert.equal(imagesLeftOut, 2);
  const read = await archive.readResult({ handle, pointer: "/1" });
  assert.deepEqual(JSON.parse(read.image), shots[2]);
  assert.deepEqual((await archive.readResult({ handle: JSON.parse(text.text).uri, pointer: "/199" })).value, rows[199]);
});
