// What each JavaScript value becomes: the table of hostile values in the docs, a test a row.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { Shaper, ToolshapeError } from "toolshape";

const shaper = new Shaper({ maxTokens: 100_000 });

/** Values, each with its JSON text; `JSON.stringify` agrees unless the row says so. */
const FORMS = [
  [
    "undefined, functions and symbols are left out of objects",
    { a: undefined, b() {}, c: Symbol("c"), d: 1 },
    '{"d":1}',
  ],
  ["undefined, functions and symbols are null in arrays", [undefined, () => 1, Symbol("c")], "[null,null,null]"],
  // biome-ignore lint/suspicious/noSparseArray: the hole is tested
  ["holes are null", [1, , 3], "[1,null,3]"],
  [
    "symbol keys and inherited keys are left out",
    Object.assign(Object.create({ inherited: 1 }), { own: 2, [Symbol("s")]: 3 }),
    '{"own":2}',
  ],
  ["keys that are not enumerable are left out", Object.defineProperty({ a: 1 }, "b", { value: 2 }), '{"a":1}'],
  ["NaN and the infinities are null", [NaN, Infinity, -Infinity], "[null,null,null]"],
  ["-0 is 0, as the host writes it", [-0], "[0]"],
  [
    "large and small numbers are as the host writes them",
    [1e21, 1e-7, 2 ** 53, 0.1 + 0.2],
    "[1e+21,1e-7,9007199254740992,0.30000000000000004]",
  ],
  ["a date is its ISO text", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["an invalid date is null", [new Date(NaN)], "[null]"],
  [
    "toJSON is called with the key",
    { a: { toJSON: (key) => `key ${key}` }, b: [{ toJSON: (key) => `key ${key}` }] },
    '{"a":"key a","b":["key 0"]}',
  ],
  ["toJSON is called once", { a: { toJSON: () => ({ toJSON: () => 1, x: 2 }) } }, '{"a":{"x":2}}'],
  ["toJSON may leave a value out", { a: { toJSON() {} }, b: 1 }, '{"b":1}'],
  ["a toJSON that is not a function is a key like any other", { toJSON: 1 }, '{"toJSON":1}'],
  ["functions with a toJSON have its form", [Object.assign(() => 1, { toJSON: () => 2 })], "[2]"],
  ["boxes are opened", [Object(1), Object("s"), Object(true)], '[1,"s",true]'],
  [
    "instances show their own fields",
    new (class Point {
      x = 1;
      #y = 2;
      get z() {
        return this.#y;
      }
    })(),
    '{"x":1}',
  ],
  ["an empty instance is an empty object", [new (class Empty {})(), Object.create(null)], "[{},{}]"],
  [
    "getters are read",
    {
      get a() {
        return 1;
      },
    },
    '{"a":1}',
  ],
  [
    "__proto__ is a key like any other",
    JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
    '{"__proto__":{"a":1},"constructor":2}',
  ],
  ["integer-like keys come in the host's order", { b: 1, 2: 2, a: 3, 1: 4 }, '{"1":4,"2":2,"b":1,"a":3}'],
  ["lone surrogates are escaped, in keys too", { "\ud800": "a\udfff" }, '{"\\ud800":"a\\udfff"}'],
  ["keys with line breaks and quotes", { "a\nb": 1, '"': 2, "": 3, "\\n": 4 }, '{"a\\nb":1,"\\"":2,"":3,"\\\\n":4}'],
  ["control characters and U+2028", ["\u0000\u001f\u007f\u2028"], '["\\u0000\\u001f\u007f\u2028"]'],
  ["proxies of plain values", [new Proxy({ a: 1 }, {}), new Proxy([1], {})], '[{"a":1},[1]]'],
  [
    "values of another realm",
    vm.runInNewContext("({ a: [1], d: new Date(0) })"),
    '{"a":[1],"d":"1970-01-01T00:00:00.000Z"}',
  ],
  ["one value in two places is not a cycle", ((x) => [x, x])({ a: 1 }), '[{"a":1},{"a":1}]'],
];

/** Values for which `JSON.stringify` gives up or loses something in silence. */
const OWN_FORMS = [
  ["a BigInt is its digits", { n: 12345678901234567890n }, '{"n":12345678901234567890}'],
  ["a boxed BigInt too", [Object(1n)], "[1]"],
  [
    "a Map with text for keys is an object, in its order",
    new Map([
      ["b", 1],
      ["1", 2],
      ["__proto__", new Map()],
    ]),
    '{"b":1,"1":2,"__proto__":{}}',
  ],
  [
    "a Map with other keys is a list of pairs",
    new Map([
      [1, "a"],
      [{ k: 1 }, "b"],
    ]),
    '[[1,"a"],[{"k":1},"b"]]',
  ],
  [
    "what JSON leaves out is left out of a Map",
    new Map([
      ["a", undefined],
      ["b", 1],
    ]),
    '{"b":1}',
  ],
  ["a Set is a list", { s: new Set([1, undefined, "a"]) }, '{"s":[1,null,"a"]}'],
  ["a Map and a Set of another realm", vm.runInNewContext("[new Map([['a', 1]]), new Set([2])]"), '[{"a":1},[2]]'],
  [
    "bytes are base64",
    [new Uint8Array([104, 105]), Buffer.from("hi!"), new Uint8Array([1, 2, 3, 4]).buffer],
    '["aGk=","aGkh","AQIDBA=="]',
  ],
  [
    "a view of bytes shows its part",
    [new DataView(new Uint8Array([104, 105, 106]).buffer, 1), new Uint8Array([104, 105, 106]).subarray(0, 2)],
    '["aWo=","aGk="]',
  ],
  ["no bytes are empty text", [new Uint8Array(0)], '[""]'],
  [
    "typed arrays are lists of numbers",
    [new Int16Array([-1, 2]), new Float64Array([NaN, 0.5]), new BigInt64Array([-5n])],
    "[[-1,2],[null,0.5],[-5]]",
  ],
  [
    "an error is its name and message",
    [Object.assign(new TypeError("bad"), { extra: 1 })],
    '[{"name":"TypeError","message":"bad"}]',
  ],
  [
    "an error of another realm too",
    vm.runInNewContext("[new RangeError('far')]"),
    '[{"name":"RangeError","message":"far"}]',
  ],
  [
    "an error with a toJSON has its form",
    [Object.assign(new Error("x"), { toJSON: () => ({ code: 7 }) })],
    '[{"code":7}]',
  ],
  ["a RegExp is its source text", { pattern: /a"b/gi }, '{"pattern":"/a\\"b/gi"}'],
  ["toJSON may give a Map", { a: { toJSON: () => new Map([["k", 1]]) } }, '{"a":{"k":1}}'],
  ["what only calls itself a Map is an object", { [Symbol.toStringTag]: "Map", a: 1 }, '{"a":1}'],
  [
    "an instance that calls itself something shows its fields",
    new (class {
      [Symbol.toStringTag] = "Thing";
      a = 1;
      b = 2n;
    })(),
    '{"a":1,"b":2}',
  ],
];

for (const [name, value, json] of FORMS) {
  test(name, () => {
    assert.equal(shaper.shape(value).text, json);
    assert.equal(JSON.stringify(value), json, "the host agrees");
    // With a BigInt the host's own serializer does not serve, so that ours is tried as well.
    assert.equal(shaper.shape([value, 1n]).text, `[${json},1]`);
  });
}

for (const [name, value, json] of OWN_FORMS) {
  test(name, () => {
    assert.equal(shaper.shape(value).text, json);
    assert.equal(shaper.shape({ deep: [value] }).text, `{"deep":[${json}]}`);
  });
}

test("text passes as it is, lone surrogates as U+FFFD", () => {
  assert.equal(shaper.shape("plain \u2028 text").text, "plain \u2028 text");
  assert.equal(shaper.shape("a\ud800b").text, "a\ufffdb");
  assert.equal(shaper.shape(Object("boxed")).text, "boxed");
});

test("a long text is counted and read on by characters, of which some take two units", () => {
  const text = `${"plain words ".repeat(900)}${"🙂é".repeat(4000)}${"words ".repeat(4000)}${"more 🙂 ".repeat(3000)}`;
  const short = new Shaper({ maxTokens: 4000 });
  let read = "";
  for (let call = {}; call; ) {
    const { totalChars, preview, nextCursor } = JSON.parse(short.shape(text, call).text);
    assert.equal(totalChars, [...text].length);
    read += preview;
    call = nextCursor && { cursor: nextCursor };
  }
  assert.equal(read, text);
});

test("scalars are their JSON text", () => {
  for (const value of [null, true, 0, -1.5, ""]) {
    assert.equal(shaper.shape(value).text, value === "" ? "" : JSON.stringify(value));
  }
  assert.equal(shaper.shape(10n ** 30n).text, `1${"0".repeat(30)}`);
  assert.equal(shaper.shape(NaN).text, "null");
  assert.equal(shaper.shape(new Date(0)).text, "1970-01-01T00:00:00.000Z");
});

function hostile() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const boom = () => {
    throw new Error("boom");
  };
  const cycle = { a: 1 };
  cycle.self = cycle;
  const long = { a: { b: [] } };
  long.a.b.push({ back: long.a });
  const set = new Set();
  set.add([set]);
  const unspeakable = {
    toString: boom,
    get message() {
      return boom();
    },
  };
  const { proxy: hidden, revoke: hide } = Proxy.revocable([], {});
  hide();
  return [
    ["undefined", undefined, "", /undefined/],
    ["a function", () => 1, "", /function/],
    ["a symbol", Symbol("s"), "", /symbol/],
    [
      "a throwing getter",
      {
        a: [
          0,
          {
            get "x/y"() {
              return boom();
            },
          },
        ],
      },
      "/a/1/x~1y",
      /boom/,
    ],
    ["a throwing toJSON", { a: { toJSON: boom } }, "/a", /boom/],
    ["a throwing toJSON at the root", { toJSON: boom }, "", /boom/],
    [
      "a getter that throws what cannot be shown",
      {
        get a() {
          throw unspeakable;
        },
      },
      "/a",
      /cannot be shown/,
    ],
    ["a revoked proxy", { a: proxy }, "/a", /revoked/],
    ["a revoked proxy of a list", hidden, "", /revoked/],
    ["a proxy whose keys throw", { a: new Proxy({}, { ownKeys: boom }) }, "/a", /boom/],
    [
      "a proxy of a list whose length throws",
      { a: [new Proxy([], { get: (list, key) => (key === "length" ? boom() : list[key]) })] },
      "/a/0",
      /boom/,
    ],
    [
      "a proxy of a list whose length is none",
      new Proxy([1], { get: (list, key) => (key === "length" ? "1 2" : list[key]) }),
      "",
      /length/,
    ],
    ["a cycle", cycle, "/self", /cycle.*whole value/],
    ["a longer cycle", long, "/a/b/0/back", /cycle.*\/a/],
    ["a cycle through a Set", { set }, "/set/0/0", /cycle.*\/set/],
    ["a promise", { a: Promise.resolve(1) }, "/a", /Promise.*await/],
    ["a WeakMap", { a: new WeakMap() }, "/a", /WeakMap/],
    ["an iterator", { a: [1].values() }, "/a", /Array Iterator/],
    [
      "a generator",
      [
        (function* () {
          yield 1;
        })(),
      ],
      "/0",
      /Generator/,
    ],
    ["URLSearchParams", { a: new URLSearchParams("a=1") }, "/a", /URLSearchParams/],
    ["an error whose name throws", [Object.defineProperty(new Error("x"), "name", { get: boom })], "/0", /Error/],
  ];
}

for (const [name, value, path, message] of hostile()) {
  test(`${name} is refused, and the next call works`, () => {
    assert.throws(
      () => shaper.shape(value),
      (error) => {
        assert.ok(error instanceof ToolshapeError);
        assert.equal(error.code, "UNSUPPORTED_VALUE");
        assert.equal(error.path, path);
        assert.match(error.message, message);
        return true;
      },
    );
    assert.equal(shaper.shape({ a: 1 }).text, '{"a":1}');
  });
}

test("what is not shown is not read", () => {
  const read = [];
  const rows = new Proxy(
    Array.from({ length: 5000 }, (_, id) => ({ id })),
    {
      get(target, key) {
        if (/^\d+$/.test(String(key))) read.push(Number(key));
        return target[key];
      },
    },
  );
  const shaped = new Shaper({ pageSize: 20 }).shape(rows, { page: 3 });
  assert.deepEqual(
    shaped.value.items.map(({ id }) => id),
    Array.from({ length: 20 }, (_, at) => 40 + at),
  );
  assert.ok(new Set(read).size < 120, `read ${new Set(read).size} of 5000 rows`);
});

test("depth: 4096 levels pass, more are TOO_DEEP, a million too", () => {
  const nested = (levels) => {
    let value = [];
    for (let level = 1; level < levels; level++) value = level % 2 ? { a: value } : [value];
    return value;
  };
  const large = new Shaper({ maxTokens: 1_000_000 });
  for (const levels of [127, 128, 4000, 4096]) {
    assert.equal(large.shape(nested(levels)).text, large.shapeJson(JSON.stringify(nested(levels))).text);
  }
  for (const levels of [4097, 10_000, 1_000_000]) {
    assert.throws(() => large.shape(nested(levels)), { code: "TOO_DEEP" });
    assert.equal(large.shape([1]).text, "[1]");
  }
  assert.throws(() => large.shapeJson("[".repeat(1_000_000) + "]".repeat(1_000_000)), { code: "TOO_DEEP" });
});

test("depth counts the same where the host's serializer does not serve", () => {
  const nested = (levels) => {
    let value = [1n];
    for (let level = 1; level < levels; level++) value = [value];
    return value;
  };
  const large = new Shaper({ maxTokens: 1_000_000 });
  assert.equal(large.shape(nested(4096)).text, `${"[".repeat(4096)}1${"]".repeat(4096)}`);
  assert.throws(() => large.shape(nested(4097)), { code: "TOO_DEEP" });
});

test("a bad value in a row that is not on the page is not seen", () => {
  const bad = [
    Object.defineProperty({}, "boom", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    }),
    {},
  ];
  bad[1].self = bad[1];
  for (let at = 20; at < 400; at++) {
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `row ${id}`, body: "x".repeat(200) }));
    rows[at].bad = bad[at % 2];
    assert.deepEqual(new Shaper({ maxTokens: 300 }).shape(rows).receipt.steps.includes("paginate"), true, `row ${at}`);
  }
});

test("a number beyond all doubles is text in a value, and a number in the text", () => {
  for (const [json, value] of [
    ['[1e999,-1E+400,1e308,"1e999",{"\\"1e999":1e-999}]', ["1e999", "-1E+400", 1e308, "1e999", { '"1e999': 0 }]],
    [`[${"9".repeat(400)}]`, ["9".repeat(400)]],
    [`["${"\\\\".repeat(3)}",1e400]`, ["\\\\\\", "1e400"]],
  ]) {
    const shaped = new Shaper().shapeJson(json);
    assert.deepEqual([shaped.text, shaped.value], [json, value]);
  }
});
