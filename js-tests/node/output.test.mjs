// Series and grids from JavaScript's own values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Shaper } from "toolshape";

const series = (options, rows, call) => new Shaper({ series: options }).shape(rows, call).value;

test("what is not a number in JSON is a null", () => {
  const rows = [NaN, Infinity, -Infinity, undefined, null, 3].map((v) => ({ v }));
  const { aggregates, entries } = series({ value: "v" }, rows);
  assert.deepEqual(aggregates, {
    count: 1,
    nulls: 5,
    min: { index: 5, value: 3 },
    max: { index: 5, value: 3 },
    mean: 3,
    first: null,
    last: 3,
  });
  assert.deepEqual(entries, [{ v: null }, { v: null }, { v: null }, {}, { v: null }, { v: 3 }]);
});

test("every kind of number and of row is read as JSON shows it", () => {
  class Price {
    constructor(amount) {
      this.amount = amount;
    }
    toJSON() {
      return { v: this.amount * 2 };
    }
  }
  const getter = Object.defineProperty({}, "v", { enumerable: true, get: () => 7 });
  const hidden = Object.defineProperty({}, "v", { value: 99 });
  const rows = [
    new Map([["v", 1]]),
    { v: 2n ** 64n },
    { v: new Number(5) },
    { v: "1e1" },
    new Price(4),
    getter,
    hidden,
    Object.create({ v: 50 }),
  ];
  const shaped = new Shaper({ series: { value: "v" } }).shape(rows);
  assert.deepEqual(
    new Shaper({ series: { value: "v" } }).shapeJson(
      JSON.stringify(shaped.value.entries).replace(/"(18446744073709551616)"/, "$1"),
    ).text,
    shaped.text,
  );
  assert.match(
    shaped.text,
    /"count":6,"nulls":2,"min":\{"index":0,"value":1\},"max":\{"index":1,"value":18446744073709551616\}/,
  );
});

test("typed arrays are series, and their rows a matrix", () => {
  const shaper = new Shaper({ maxTokens: 500, tools: { wave: { series: {} }, hills: { grid: {} } } });
  const wave = Float64Array.from({ length: 5000 }, (_, at) => Math.sin(at / 300));
  assert.equal(shaper.shape(wave, { tool: "wave" }).value.aggregates.count, 5000);
  const hills = Array.from({ length: 40 }, (_, y) => Int32Array.from({ length: 40 }, (_, x) => (x - 9) ** 2 + y));
  const { kind, totalCells, best } = shaper.shape(hills, { tool: "hills" }).value;
  assert.deepEqual([kind, totalCells, best], ["grid", 1600, { x: 39, y: 39, value: 939 }]);
});

test("one field of each row is read, and of the rows that are shown all", () => {
  let read = 0;
  const row = (at) => ({
    t: at,
    v: at % 10,
    get text() {
      read += 1;
      return "text";
    },
  });
  const rows = Array.from({ length: 10_000 }, (_, at) => row(at));
  const { returned } = series({ value: "v", at: "t" }, rows);
  assert.equal(returned, 12);
  assert.ok(read < 1000, `${read} fields were read that nobody asked for`);
});

test("a field that throws is named", () => {
  const rows = [
    { v: 1 },
    {
      get v() {
        throw new Error("no");
      },
    },
  ];
  assert.throws(() => series({ value: "v" }, rows), { code: "UNSUPPORTED_VALUE", path: "/1/v" });
});
