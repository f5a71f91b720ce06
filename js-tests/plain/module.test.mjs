// What the plain module promises to every host: nothing imported, faults as answers, nothing kept of large texts but memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Toolshape } from "./host.mjs";

const FILE = process.env.TOOLSHAPE_PLAIN;
const module = new WebAssembly.Module(readFileSync(FILE));
const host = new Toolshape(FILE);
const shaper = host.call("shaper", { policy: { maxTokens: 500 } }).result;
const decode = (part) => new TextDecoder().decode(part);

test("it imports nothing", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("it exports a memory and four functions", () => {
  const names = WebAssembly.Module.exports(module).map(({ kind, name }) => `${kind} ${name}`);
  const functions = ["alloc", "call", "free", "version"].map((name) => `function toolshape_${name}`);
  assert.deepEqual(names.sort(), [...functions, "memory memory"]);
  assert.equal(host.wasm.toolshape_version(), 1);
});

test("a fault is an answer with code, message and path, and the instance goes on", () => {
  const faults = [
    ["shapeJson", { shaper: 99, text: 1 }, ["[]"], "INVALID_CALL", "/shaper"],
    ["shapeJson", { shaper, text: 2 }, ["[]"], "INVALID_CALL", "/text"],
    ["shapeJson", { shaper, text: 0 }, ["[]"], "INVALID_CALL", "/text"],
    ["shapeJson", { shaper }, ["[]"], "INVALID_CALL", "/text"],
    ["shapeJson", { shaper, text: 1 }, [Uint8Array.of(34, 0xff, 34)], "INVALID_CALL", "/text"],
    ["shapeJson", { shaper, text: 1 }, ["[1,"], "INVALID_JSON", ""],
    ["shapeJson", { shaper, text: 1, calls: {} }, ["[]"], "INVALID_CALL", "/calls"],
    ["shapeJson", { shaper, text: 1, call: { tol: "x" } }, ["[]"], "INVALID_CALL", "/tol"],
    ["shapeJson", { shaper, text: 1, now: "noon" }, ["[]"], "INVALID_CALL", "/now"],
    ["shaper", { policy: { maxToken: 1 } }, [], "INVALID_POLICY", "/maxToken"],
    ["shapes", {}, [], "INVALID_CALL", "/method"],
    ["countTokens", { text: 1, encoding: "cl100k_base" }, ["a"], "INVALID_CALL", "/encoding"],
    [
      "installVocabulary",
      { encoding: "cl100k_base", packed: 1 },
      [new Uint8Array(1000)],
      "INVALID_CALL",
      "/vocabulary",
    ],
    ["decode", { tokens: 1, encoding: "o200k_base" }, [new Uint8Array(3)], "INVALID_CALL", "/tokens"],
    ["relayHeard", { relay: 1, number: 1 }, [], "INVALID_CALL", "/relay"],
  ];
  for (const [method, members, parts, code, path] of faults) {
    assert.throws(
      () => host.call(method, members, ...parts),
      (error) => {
        assert.deepEqual(
          [error.code, error.path],
          [code, path],
          `${method} ${JSON.stringify(members)}: ${error.message}`,
        );
        return error.message.length > 0;
      },
    );
  }
  for (const bytes of [[], [0], [1, 0, 0, 0], [1, 0, 0, 0, 9, 0, 0, 0, 123], [255, 255, 255, 255], [0, 0, 0, 0]]) {
    const { memory, toolshape_alloc, toolshape_call, toolshape_free } = host.wasm;
    const at = toolshape_alloc(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, at);
    const answer = toolshape_call(at);
    const length = new DataView(memory.buffer).getUint32(answer + 4, true);
    assert.equal(JSON.parse(decode(new Uint8Array(memory.buffer, answer + 8, length))).error.code, "INVALID_CALL");
    toolshape_free(answer);
    toolshape_free(answer);
    toolshape_free(12345);
  }
  assert.equal(host.call("countTokens", { text: 1, encoding: "o200k_base" }, "Hello, world!").result, 4);
});

test("a handle that was forgotten names nothing, and is not given again", () => {
  const other = host.call("shaper", {}).result;
  assert.equal(host.call("forgetShaper", { shaper: other }).result, true);
  assert.equal(host.call("forgetShaper", { shaper: other }).result, false);
  assert.throws(() => host.call("pageSize", { shaper: other }), { code: "INVALID_CALL", path: "/shaper" });
  assert.notEqual(host.call("shaper", {}).result, other);
});

test("the arguments of a call nest as deeply as they like", () => {
  const nested = "[".repeat(5000) + "]".repeat(5000);
  const request = `{"method":"shapeJson","shaper":${shaper},"text":1,"call":{"tool":"t","arguments":{"x":${nested}}}}`;
  const [json] = host.send([request, "[]"].map((part) => Buffer.from(part)));
  assert.equal(JSON.parse(decode(json)).result.unchanged, true);
});

test("20 MB go in, a page comes out, and what is to be stored is the text that was given", () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => `{"id":${id},"text":"${"word ".repeat(16)}"}`);
  const text = `[${rows.join(",")}]`;
  const call = { tool: "list", store: true };
  const grown = new Toolshape(FILE);
  const shaper = grown.call("shaper", { policy: { maxTokens: 500 } }).result;
  grown.call("countTokens", { text: 1, encoding: "o200k_base" }, "a");
  const before = grown.wasm.memory.buffer.byteLength;
  const sizes = [];
  for (let round = 0; round < 4; round++) {
    const { result, parts } = grown.call("shapeJson", { shaper, text: 1, call }, text);
    assert.equal(JSON.parse(decode(parts[result.text])).totalItems, 200_000);
    assert.ok(result.receipt.tokensAfter <= 500);
    assert.equal(result.keep.content, null);
    sizes.push(grown.wasm.memory.buffer.byteLength - before);
  }
  // The text is in memory once, and what one call takes is there for the next.
  assert.ok(sizes[0] < 1.5 * text.length, `${text.length} bytes take ${sizes[0]}`);
  assert.equal(sizes[3], sizes[0]);
});

test("a call of read_result in SQL names its tables, and is answered from what was stored", () => {
  const stored = new Map();
  const handles = ["a", "b"].map((name) => {
    const rows = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, [name]: id % 10 })));
    const { keep } = host.call("shapeJson", { shaper, text: 1, call: { tool: name, store: true } }, rows).result;
    stored.set(keep.key, rows).set(keep.ticket, host.call("ticket", { shaper, key: keep.key }).result);
    return keep.ticket.split(".")[0];
  });
  const tool = "read_result";
  const sql = `SELECT a, b, count(*) FROM ${handles[0]} JOIN ${handles[1]} USING (id) GROUP BY 1, 2 ORDER BY 1 LIMIT 1`;
  const call = { tool, arguments: { sql } };
  const read = (reads) => {
    const slots = [];
    let { result, parts } = host.call("read", { shaper, reads, call });
    while (!("done" in result)) {
      const heard = result.effects.map(({ key, to }) =>
        (slots[to] = stored.get(key)) === undefined ? "absent" : "there",
      );
      const given = result.reads.filter((at) => slots[at] !== undefined);
      const texts = given.map((_, at) => at + 1);
      const next = { shaper, call, state: result.state, heard, slots: result.slots, given, texts };
      ({ result, parts } = host.call("read", next, ...given.map((at) => slots[at])));
    }
    return { result: result.done, parts };
  };
  const { result, parts } = read("part");
  assert.deepEqual(JSON.parse(decode(parts[result.text])).rows, [[0, 0, 50]]);
  stored.clear();
  assert.equal(read("part").result.isError, true);
  assert.throws(() => read("anything"), { code: "INVALID_CALL", path: "/reads" });
  const missing = host.call("readSql", { shaper, tables: [{ handle: handles[0], call: {} }], call });
  assert.equal(missing.result.isError, true);
  const wrong = { shaper, tables: [{ handle: 1 }], call };
  assert.throws(() => host.call("readSql", wrong), { code: "INVALID_CALL", path: "/0/handle" });
});

test("a call takes its time from the host alone", () => {
  const expiring = host.call("shaper", { policy: { maxTokens: 300, cursorTtl: 60 } }).result;
  const rows = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id })));
  const page = (members, call) => {
    const { result, parts } = host.call("shapeJson", { shaper: expiring, text: 1, call, ...members }, rows);
    return JSON.parse(decode(parts[result.text]));
  };
  assert.throws(() => page({}, {}), { code: "INVALID_CALL" });
  const { nextCursor: cursor } = page({ now: 1_790_000_000 }, {});
  assert.equal(page({ now: 1_790_000_059 }, { cursor }).paginated, true);
  assert.equal(page({ now: 1_790_000_061 }, { cursor }).error, "INVALID_CURSOR");
});

test("after a trap a new instance answers as the first did", () => {
  const other = new Toolshape(FILE);
  const count = () => other.call("countTokens", { text: 1, encoding: "o200k_base" }, "Hello, world!").result;
  assert.equal(count(), 4);
  // Nothing in a memory like this is what it was.
  new Uint8Array(other.wasm.memory.buffer).fill(0xff);
  assert.throws(count, WebAssembly.RuntimeError);
  other.start();
  assert.equal(count(), 4);
});
