// What a large result costs on its way to a model: how often its text is carried, hashed and written.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { mock, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Archive, MemoryStore, Shaper } from "toolshape";

const crypto = process.getBuiltinModule("node:crypto");
const rows = Array.from({ length: 4000 }, (_, id) => ({
  id,
  name: `row ${id}`,
  note: "no remark",
  tags: ["a", "b"],
}));
const json = JSON.stringify(rows);
const block = (text) => ({ type: "text", text });
/** More than what is shown, and less than a part of the whole. */
const LITTLE = json.length / 8;

/** Counts units into and bytes out of the module, bytes that are hashed, and units of JSON that are written. */
async function counted(work) {
  const counts = { in: 0, out: 0, hashed: 0, written: 0 };
  const wrap = (object, name, note) => {
    const own = object[name];
    return mock.method(object, name, function (...given) {
      const result = own.apply(this, given);
      note(result, given);
      return result;
    });
  };
  const counting = (hash) => wrap(hash, "update", (_, [bytes]) => void (counts.hashed += bytes.length));
  const mocks = [
    wrap(TextEncoder.prototype, "encodeInto", ({ read }) => void (counts.in += read)),
    wrap(TextDecoder.prototype, "decode", (_, [bytes]) => void (counts.out += bytes?.length ?? 0)),
    wrap(crypto, "createHash", counting),
    wrap(JSON, "stringify", (text) => void (counts.written += text?.length ?? 0)),
  ];
  try {
    const result = await work();
    return { counts, result };
  } finally {
    for (const { mock } of mocks.reverse()) mock.restore();
  }
}

const archive = () => new Archive(new Shaper(), new MemoryStore());
const keyOf = (text, ending = "json") => `${createHash("sha256").update(text).digest("hex")}.${ending}`;

test("a text of JSON goes into the module once and is hashed once, and never comes out", async () => {
  for (const shape of [(store) => store.shapeJson(json), (store) => store.shapeResult({ content: [block(json)] })]) {
    const { counts, result } = await counted(() => shape(archive()));
    assert.ok(counts.in >= json.length && counts.in < json.length + LITTLE, `${counts.in} of ${json.length}`);
    assert.ok(counts.out < LITTLE, String(counts.out));
    assert.ok(counts.hashed >= json.length && counts.hashed < json.length + LITTLE, String(counts.hashed));
    assert.ok(counts.written < LITTLE, String(counts.written));
    assert.deepEqual([result.keep.content === json, result.keep.key], [true, keyOf(json)]);
  }
});

test("a value is written once, except the rows that are compared, and stays in its host", async () => {
  // The first 512 KB of rows are compared.
  const compared = Math.min(json.length, 2 ** 19);
  for (const shape of [
    (store) => store.shape(rows),
    (store) => store.shapeResult({ content: [], structuredContent: { result: rows } }),
  ]) {
    const { counts, result } = await counted(() => shape(archive()));
    const { content, key } = result.keep;
    const written = counts.written - content.length;
    assert.ok(written >= 0 && written < compared + LITTLE, String(counts.written));
    assert.ok(counts.hashed >= content.length && counts.hashed < content.length + LITTLE, String(counts.hashed));
    // The pieces that the host hashes are encoded, but not for the module.
    assert.ok(counts.in < content.length + compared + LITTLE && counts.out < LITTLE, `${counts.in}, ${counts.out}`);
    assert.deepEqual(JSON.parse(content), result.result ? { result: rows } : rows);
    assert.equal(key, keyOf(content));
  }
});

test("a text next to structured content is compared without writing either", async () => {
  const shaper = new Shaper();
  for (const structuredContent of [{ result: rows }, { rows }, { rows, of: "more" }]) {
    const content = [block(json)];
    const { counts } = await counted(() => shaper.shapeResult({ content, structuredContent }));
    assert.ok(counts.in < json.length + LITTLE && counts.out < LITTLE, `${counts.in}, ${counts.out}`);
    assert.ok(counts.written < LITTLE && counts.hashed === 0, `${counts.written}, ${counts.hashed}`);
  }
});

test("a text that is the JSON of its structured content is not read where the structured content is stored", async () => {
  const timeless = ({ result: { _meta, ...result }, receipt, ...shaped }) => {
    const [own, reported] = [receipt, _meta?.["toolshape/receipt"]].map((receipt) => ({ ...receipt, durationMs: 0 }));
    return { ...shaped, result, own, reported };
  };
  const outputSchema = {
    type: "object",
    properties: { rows: { type: "array", items: { type: "object" } } },
    required: ["rows"],
  };
  const odd = rows.map((row) => ({
    ...row,
    at: new Date(row.id),
    zero: -0,
    none: undefined,
    name: `größe 😀 ${row.id}`,
  }));
  for (const policy of [{}, { text: "plain" }, { schema: "preserve" }, { maxTokens: 300 }]) {
    for (const call of [
      {},
      { arguments: { page: 2 } },
      { arguments: { fields: ["name"] } },
      { outputSchema },
      { outputSchema, arguments: { fields: ["id"] } },
    ]) {
      for (const structuredContent of [
        { rows },
        { odd, '"k"': 1 },
        Object.fromEntries(rows.map((row) => [`k${row.id}`, row])),
      ]) {
        const shaped = (text) =>
          new Archive(new Shaper(policy), new MemoryStore()).shapeResult(
            { content: [block(text)], structuredContent },
            { tool: "list", ...call },
          );
        const text = JSON.stringify(structuredContent);
        // Behind a space it has to be read.
        const [known, read] = [await counted(() => shaped(text)), await counted(() => shaped(` ${text}`))];
        assert.deepEqual(timeless(known.result), timeless(read.result));
        assert.ok(read.counts.in - known.counts.in > text.length * 0.9, `${known.counts.in}, ${read.counts.in}`);
        assert.ok(known.counts.written <= read.counts.written, `${known.counts.written}, ${read.counts.written}`);
        // What differs at its very end is read too, and is stored in addition to the structured content.
        const { keep } = await shaped(text.replace(/.(.)$/, "x$1"));
        assert.notEqual(keep.key, known.result.keep.key);
      }
    }
  }
});

test("several texts are shown together without being written together", async () => {
  const content = [rows.slice(0, 2000), rows.slice(2000)].map((part) => block(JSON.stringify(part)));
  const { counts } = await counted(() => new Shaper().shapeResult({ content }));
  assert.ok(counts.in < json.length + LITTLE && counts.out < LITTLE, `${counts.in}, ${counts.out}`);
});

test("a hash of the host names what the core's own names", async () => {
  const wide = JSON.stringify(rows, null, 2);
  const odd = JSON.stringify(rows.map((row) => ({ ...row, name: `größe 😀 ${row.id}` })));
  const log = "a line of a log with a lone \ud800 surrogate, größe and 😀\n".repeat(5000);
  const cursorKey = "a secret of more than sixteen bytes";
  const returned = [wide, odd, log].flatMap((text) => [
    { content: [block(text)] },
    { content: [], structuredContent: { text } },
    { content: [{ type: "resource", resource: { uri: "file:///a", text } }] },
  ]);
  const keeps = async (policy, scope) => {
    const store = new Archive(new Shaper(policy), new MemoryStore());
    const shaped = await Promise.all(returned.map((one) => store.shapeResult(one, { scope })));
    const values = await Promise.all([log, odd, { rows }].map((value) => store.shape(value, { scope })));
    return [...shaped, ...values].map(({ keep }) => keep);
  };
  for (const [policy, scope] of [
    [{}, undefined],
    [{ cursorKey }, undefined],
    [{ cursorKey }, "größe"],
  ]) {
    const own = await keeps(policy, scope);
    const none = mock.method(process, "getBuiltinModule", () => undefined);
    const slow = await keeps(policy, scope).finally(() => none.mock.restore());
    assert.deepEqual(own, slow);
    for (const { key, content } of own) {
      const before = Buffer.concat([Buffer.from("toolshape handle 1\0"), Buffer.alloc(8), Buffer.from(scope ?? "")]);
      before.writeBigUInt64LE(BigInt(Buffer.byteLength(scope ?? "")), 19);
      const mac = () => createHmac("sha256", cursorKey).update(before).update(content).digest("hex");
      assert.equal(key.split(".")[0], policy.cursorKey ? mac() : keyOf(content).split(".")[0]);
    }
  }
});

test("after a very large call the next one finds an instance of the module", async () => {
  const shaper = new Shaper();
  shaper.shape(rows);
  const made = mock.method(WebAssembly, "Instance");
  try {
    shaper.shapeJson(`["${"words ".repeat(12e6)}"]`);
    assert.equal(made.mock.callCount(), 0);
    await setTimeout(20);
    assert.equal(made.mock.callCount(), 1);
    shaper.shape(rows);
    assert.equal(made.mock.callCount(), 1);
  } finally {
    made.mock.restore();
  }
});
