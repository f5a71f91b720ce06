// After whatever goes wrong inside, the next call works; code of the host may call back in.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Shaper, ToolshapeError, countTokens } from "toolshape";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` }));

function attempt(work) {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** Lets the host fail in the midst of the core, where nothing catches it: a trap like any other. */
function trap(work) {
  const decode = mock.method(TextDecoder.prototype, "decode", () => {
    throw new Error("no text today");
  });
  try {
    return attempt(work);
  } finally {
    decode.mock.restore();
  }
}

test("a trap is INTERNAL, and the next call works", () => {
  const shaper = new Shaper();
  const text = shaper.shape(rows).text;
  for (let round = 0; round < 3; round++) {
    const error = trap(() => shaper.shape(rows));
    assert.ok(error instanceof ToolshapeError);
    assert.equal(error.code, "INTERNAL");
    assert.match(error.cause.message, /no text today/);
    assert.equal(shaper.shape(rows).text, text);
    assert.equal(countTokens("Hello, world!"), 4);
  }
});

test("a getter that shapes its own value comes to an end, and the next call works", () => {
  const shaper = new Shaper();
  let depth = 0;
  const endless = {
    get a() {
      depth++;
      return shaper.shape(endless).text;
    },
  };
  const error = attempt(() => shaper.shape(endless));
  assert.ok(depth >= 8);
  assert.equal(error.code, "UNSUPPORTED_VALUE");
  assert.equal(error.path, "/a");
  assert.equal(shaper.shape({ a: 1 }).text, '{"a":1}');
});

test("calls from a stack that is nearly full fail or succeed, and later ones work", () => {
  const shaper = new Shaper();
  const text = shaper.shape(rows).text;
  const outcomes = [];
  const dive = () => {
    try {
      dive();
    } catch {}
    if (outcomes.at(-1) !== text) outcomes.push(attempt(() => shaper.shape(rows).text));
  };
  dive();
  for (const outcome of outcomes) {
    assert.ok(outcome === text || outcome instanceof ToolshapeError || outcome instanceof RangeError, String(outcome));
  }
  assert.equal(shaper.shape(rows).text, text);
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
  let inner;
  const value = {
    get a() {
      inner = trap(() => shaper.shape(rows));
      return 1;
    },
  };
  const outer = attempt(() => shaper.shape(value));
  assert.equal(inner.code, "INTERNAL");
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
  const shrinking = [
    1,
    2,
    {
      get a() {
        shrinking.length = 1;
        return 1;
      },
    },
    4,
  ];
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
