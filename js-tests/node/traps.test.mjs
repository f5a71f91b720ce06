// After whatever goes wrong inside, the next call works; code of the host may call back in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Shaper, ToolshapeError, countTokens } from "toolshape";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` }));

/** Calls `work` from ever higher up a full stack, until some calls came through and some did not. */
function withLittleStack(work) {
  const results = [];
  let level = 0;
  const dive = () => {
    try {
      dive();
    } catch {}
    if (level++ % 8 === 0 && results.length < 400 && !isDone(results)) results.push(attempt(work));
  };
  dive();
  return results;
}

function isDone(results) {
  return typeof results.at(-1) === "string" || results.filter((result) => result.code === "INTERNAL").length === 3;
}

function attempt(work) {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("a stack overflow inside is INTERNAL, and the next call works", () => {
  const shaper = new Shaper();
  const text = shaper.shape(rows).text;
  const results = withLittleStack(() => shaper.shape(rows).text);
  const failed = results.filter((result) => result !== text);
  assert.ok(failed.length > 0, "no call ran out of stack");
  for (const error of failed) {
    // There may not even have been stack for our own code.
    assert.ok(error instanceof ToolshapeError || error instanceof RangeError, String(error));
  }
  const trap = failed.find((error) => error.code === "INTERNAL");
  assert.ok(trap, "none of the failures was a trap");
  assert.ok(trap.cause instanceof Error);
  assert.equal(shaper.shape(rows).text, text);
  assert.equal(countTokens("Hello, world!"), 4);
});

test("a getter may shape", () => {
  const shaper = new Shaper();
  const inner = [];
  const value = {
    get a() {
      inner.push(shaper.shape(rows).text, new Shaper({ maxTokens: 300 }).shape(rows).tokens);
      return 1;
    },
  };
  assert.equal(shaper.shape({ list: [value] }).text, '{"list":[{"a":1}]}');
  assert.equal(inner[0], shaper.shape(rows).text);
  assert.ok(inner[1] <= 300);
});

test("a trap within a getter fails both calls and no later one", () => {
  const shaper = new Shaper();
  const inner = [];
  const value = {
    get a() {
      inner.push(...withLittleStack(() => shaper.shape(rows).text));
      return 1;
    },
  };
  const outer = attempt(() => shaper.shape(value));
  assert.ok(inner.some((result) => result?.code === "INTERNAL"), "no inner call trapped");
  assert.equal(outer.code, "INTERNAL");
  assert.equal(shaper.shape({ a: 1 }).text, '{"a":1}');
});

test("values that change while they are read do no harm", () => {
  const shaper = new Shaper();
  let reads = 0;
  const fickle = {
    get a() {
      return reads++ % 2 ? 1n : "x".repeat(reads);
    },
  };
  for (let call = 0; call < 20; call++) JSON.parse(shaper.shape([fickle, 1n]).text);
  const shrinking = [1, 2, { get a() { shrinking.length = 1; return 1; } }, 4];
  JSON.parse(shaper.shape(shrinking).text);
});

test("after a large value the memory goes back", async () => {
  const shaper = new Shaper();
  shaper.shape(rows);
  const settle = async () => {
    for (let round = 0; round < 4; round++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { rss, external, arrayBuffers } = process.memoryUsage();
    return { rss, held: external + arrayBuffers };
  };
  const before = await settle();
  {
    const text = JSON.stringify("x".repeat(1000)).repeat(1);
    const json = `[${`${text},`.repeat(100_000)}0]`;
    assert.ok(json.length > 100_000_000);
    assert.equal(shaper.shapeJson(json).value.totalItems, 100_001);
  }
  assert.equal(shaper.shape({ a: 1 }).text, '{"a":1}');
  const after = await settle();
  const grown = (after.held - before.held) / 1e6;
  assert.ok(grown < 32, `${grown.toFixed(0)} MB are still held`);
});
