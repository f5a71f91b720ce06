// A result of one short text, as most are, takes a shorter way through the binding: with the outcome of every other way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper, countTokens } from "toolshape";

const rows = Array.from({ length: 60 }, (_, id) => ({ id, name: `row ${id}` }));
const TEXTS = [
  "",
  "a word",
  "[1, 2.50, 1e3]",
  '{"b":1,\n "a":"größe 🙂"}',
  JSON.stringify(rows),
  rows.map(({ id, name }) => `${id},${name}`).join("\n"),
  "word ".repeat(700),
  "lone \ud800 surrogate",
  "{not json",
  "x".repeat(4096),
  "x".repeat(4097),
];
const POLICIES = [{}, { maxTokens: 200 }, { text: "plain", maxTokens: 200 }, { tools: { left_alone: false } }];
const CALLS = [
  {},
  { tool: "list", arguments: { page: 2 } },
  { tool: "left_alone" },
  { tool: "list", redactFailure: "it broke" },
  { client: "claude-code" },
];

/** The result except for how long it took. */
const timeless = ({ result, receipt, ...shaped }) => {
  const without = (receipt) => receipt && { ...receipt, durationMs: 0 };
  const { _meta, ...members } = result;
  return {
    ...shaped,
    ...members,
    meta: _meta && { ..._meta, "toolshape/receipt": without(_meta["toolshape/receipt"]) },
    receipt: without(receipt),
  };
};

test("one text is shaped as where it could be more than it seems", () => {
  for (const policy of POLICIES) {
    const shaper = new Shaper(policy);
    for (const call of CALLS) {
      for (const text of TEXTS) {
        const block = { type: "text", text };
        // A class of its own has the same JSON, and is read member by member.
        const other = Object.assign(Object.create({ toJSON: undefined, own: true }), { content: [block] });
        const [one, longer] = [{ content: [block] }, other].map((returned) => shaper.shapeResult(returned, call));
        assert.deepEqual(timeless(one), timeless(longer), JSON.stringify({ policy, call, text: text.slice(0, 40) }));
        if (one.unchanged) assert.equal(one.result.content[0], block, "a block that passes is the tool's own");
      }
    }
  }
});

test("a text that passes for every call passes for each as it does alone", () => {
  let passing = 0;
  for (const policy of POLICIES) {
    const shaper = new Shaper(policy);
    for (const [tool, client] of [
      ["list", undefined],
      ["left_alone", "claude-code"],
      [undefined, "codex-mcp-client"],
    ]) {
      for (const text of TEXTS) {
        const returned = { content: [{ type: "text", text }] };
        const passed = shaper.passResult(returned, tool, client);
        if (passed === null) continue;
        passing++;
        for (const call of [{}, { arguments: { filter: [1] }, store: true }]) {
          assert.deepEqual(
            timeless(passed),
            timeless(shaper.shapeResult(returned, { tool, client, ...call })),
            `${tool} ${text.slice(0, 40)}`,
          );
        }
      }
    }
    for (const more of [{ isError: true }, { _meta: {} }, { structuredContent: { a: 1 } }]) {
      assert.equal(shaper.passResult({ content: [{ type: "text", text: "a" }], ...more }, "list", undefined), null);
    }
  }
  assert.ok(passing > TEXTS.length, String(passing));
});

test("each result that passes has a receipt of its own, however many clients there are", () => {
  const shaper = new Shaper({ tools: { small: { maxTokens: 300 } } });
  const receiptOf = (text, tool, client) =>
    shaper.passResult({ content: [{ type: "text", text }] }, tool, client).receipt;
  const first = receiptOf("one", "list", "claude-code");
  first.steps.push("changed");
  const second = receiptOf("é and more", "list", "claude-code");
  assert.deepEqual(second, {
    ...first,
    steps: [],
    tokensBefore: 3,
    tokensAfter: 3,
    bytes: 11,
    durationMs: second.durationMs,
  });
  // Hosts have limits of their own, which the budget in the receipt shows.
  const large = new Shaper({ maxTokens: 100_000 });
  const budgets = ["claude-code", "another", "claude-code"].map((client) => {
    const returned = { content: [{ type: "text", text: "one" }] };
    const { receipt } = large.passResult(returned, "list", client);
    assert.equal(receipt.budget, large.shapeResult(returned, { tool: "list", client }).receipt.budget);
    return receipt.budget;
  });
  assert.ok(budgets[0] < budgets[1] && budgets[0] === budgets[2], String(budgets));
  for (let nth = 0; nth < 2500; nth++) {
    for (const [tool, budget] of [
      ["small", 300],
      ["list", first.budget],
    ]) {
      const receipt = receiptOf(`text ${nth}`, tool, `client ${nth % 1700}`);
      assert.deepEqual(
        [receipt.tool, receipt.budget, receipt.steps, receipt.bytes],
        [tool, budget, [], `text ${nth}`.length],
      );
    }
  }
});

test("the size of the largest text that may pass is exact", () => {
  const shaper = new Shaper({ maxTokens: 100_000 });
  for (const text of ["\u8a9e".repeat(4096), "\u{1f600}".repeat(2048), "[1,2]"]) {
    const { receipt } = shaper.passResult({ content: [{ type: "text", text }] }, undefined, undefined);
    const tokens = countTokens(text);
    assert.deepEqual(
      [receipt.tokensBefore, receipt.tokensAfter, receipt.bytes],
      [tokens, tokens, Buffer.byteLength(text)],
    );
  }
});

test("what passes is decided by the policy of its shaper, however many policies there are", () => {
  for (let nth = 0; nth < 3_000; nth++) {
    const maxTokens = 300 + (nth % 1_500);
    const shaped = new Shaper({ maxTokens }).passResult(
      { content: [{ type: "text", text: "one" }] },
      "list",
      "somebody",
    );
    assert.equal(shaped.receipt.budget, maxTokens);
  }
});

test("no text passes before a function that is to see every one has seen it", () => {
  const returned = { content: [{ type: "text", text: "a secret" }] };
  const passes = (options) =>
    new Archive(new Shaper(), new MemoryStore(), options).passResult(returned, "list", undefined) !== null;
  const redact = (text) => text;
  assert.deepEqual([{}, { redact }, { redact, redacts: "all" }].map(passes), [true, true, false]);
});

test("what is more than one text is read as it is", () => {
  const shaper = new Shaper();
  const text = (result) => result.content[0].text;
  const returned = [
    { content: [{ type: "text", text: "a" }], isError: true },
    { content: [{ type: "text", text: "a", annotations: { priority: 1 } }] },
    {
      content: [
        { type: "text", text: "a" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
    { content: [{ type: "text", text: 5 }] },
    { content: [{ type: "image", text: "a" }] },
    { content: "a" },
    { toJSON: () => ({ content: [{ type: "text", text: "made" }] }) },
  ];
  for (const one of returned) {
    const { result, receipt } = shaper.shapeResult(one);
    assert.ok(receipt.tokensAfter >= 0);
    for (const [key, value] of Object.entries(one)) {
      if (key !== "content" && typeof value !== "function") assert.deepEqual(result[key], value);
    }
  }
  for (const own of [returned[6], new Map([["content", [{ type: "text", text: "made" }]]])])
    assert.equal(text(shaper.shapeResult(own).result), "made");
  const failing = {
    content: [
      {
        type: "text",
        get text() {
          throw new Error("gone");
        },
      },
    ],
  };
  assert.throws(() => shaper.shapeResult(failing), { code: "UNSUPPORTED_VALUE", path: "/content/0/text" });
});

test("with a store a text that does not fit is stored, and one that fits is not", async () => {
  const store = new MemoryStore();
  const archive = new Archive(new Shaper({ maxTokens: 200 }), store);
  const shaped = await archive.shapeResult(
    { content: [{ type: "text", text: JSON.stringify(rows) }] },
    { tool: "list" },
  );
  assert.equal(await store.get(shaped.keep.key), JSON.stringify(rows));
  const passed = await archive.shapeResult({ content: [{ type: "text", text: "[1]" }] }, { tool: "list" });
  assert.deepEqual([passed.keep, passed.unchanged, passed.result.content[0].text], [null, true, "[1]"]);
});

test("bytes, dates and Maps of data are read as they are elsewhere", () => {
  const shaper = new Shaper();
  const shape = (work) => {
    try {
      return work();
    } catch ({ code, path }) {
      return [code, path];
    }
  };
  const maps = [
    new Map([
      [1, "a"],
      ["b", 2],
    ]),
    new Map([
      ["2", 1],
      ["1", 2],
    ]),
    new Map([[{}, 1]]),
    new Map([
      ["content", 1],
      [1, 2],
    ]),
  ];
  for (const value of [Buffer.from("bytes"), new Uint8Array(3), new Date(0), ...maps]) {
    const own = shape(() => shaper.shapeResult(value).result.content[0].text);
    const elsewhere = shape(() => JSON.parse(shaper.shape([value]).text)[0]);
    const written = typeof elsewhere === "string" ? elsewhere : shape(() => shaper.shape(value).text);
    assert.deepEqual(own, written, String(value));
  }
});
