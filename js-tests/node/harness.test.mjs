// The results of an agent's tools, without a framework.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens, expand, MemoryStore, Shaper } from "toolshape";
import { Harness, Parts } from "toolshape/agents";

const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `the row of number ${id}` }));
const harness = (policy = {}, options = {}) =>
  new Harness({ maxTokens: 600, ...policy }, { store: new MemoryStore(), onReceipt: () => {}, ...options });
const never = () => assert.fail("is not run");

class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}

test("a page, and the questions after it", async () => {
  const given = harness();
  const run = async ({ count }) => rows.slice(0, count);
  const page = await given.call("list_rows", { count: 400 }, run);
  assert.ok(countTokens(page.text) <= 600 && !page.isUnchanged && !page.isError);
  assert.deepEqual(page.original, rows);
  assert.equal(JSON.stringify(page), JSON.stringify(page.text));
  const { nextCursor, items } = JSON.parse(expand(page.text));
  const [tool] = given.tools;
  for (const answer of [
    await tool.call({ cursor: nextCursor }),
    await given.call("read_result", { cursor: nextCursor }, never),
  ])
    assert.deepEqual(JSON.parse(expand(answer.text)).items[0], rows[items.length]);
  assert.ok((await given.call("read_result", { handle: "abcdefghabcdefgh" }, never)).isError);
  const small = await given.call("list_rows", { count: 2 }, run);
  assert.ok(small.isUnchanged);
  assert.deepEqual(JSON.parse(small.text), rows.slice(0, 2));
});

test("structured content without content is read", async () => {
  for (const data of [rows.slice(0, 2), rows]) {
    const value = { content: [], structuredContent: { rows: data } };
    const { text } = await harness().call("list_rows", {}, () => value);
    assert.ok(text.includes('"the row of number 1"') && countTokens(text) <= 600, text);
  }
});

test("arguments that are not an object call nothing", async () => {
  const given = harness();
  for (const args of ['{"id":1', "{bad", '"text"', "[1]", "7", [1], 7]) {
    for (const name of ["delete_files", "read_result"]) {
      const { isError, text } = await given.call(name, args, never);
      assert.ok(isError && text.includes("not a JSON object"), text);
    }
    assert.ok((await given.tools[0].call(args)).isError);
  }
  assert.equal((await given.call("echo", "", (args) => args)).text, "{}");
});

test("the forms of the tool", () => {
  const [{ mcp, openai, responses, anthropic }] = harness().tools;
  assert.equal(mcp.name, "read_result");
  assert.deepEqual(openai.function.parameters, mcp.inputSchema);
  assert.deepEqual(responses.parameters, mcp.inputSchema);
  assert.deepEqual(anthropic.input_schema, mcp.inputSchema);
});

test("errors keep their meaning", async () => {
  const thrown = (error) => harness().call("boom", {}, () => Promise.reject(error));
  assert.equal(JSON.parse((await thrown(new TooMany("Too Many Requests"))).text).retryAfterSeconds, 30);
  const long = await thrown(new Error("no such article ".repeat(3000)));
  assert.ok(long.isError && countTokens(long.text) <= 600);
  const interrupt = Object.assign(new Error("a draft ".repeat(9000)), { is_bubble_up: true });
  for (const error of [
    new Error("no such article"),
    interrupt,
    new DOMException("stopped ".repeat(9000), "AbortError"),
  ])
    await assert.rejects(thrown(error), (caught) => caught === error);
});

test("values as tools return them", async () => {
  const asked = (value, policy) => harness(policy).call("list_rows", {}, () => value);
  const odd = await asked({ when: new Date(0), big: 12345678901234567890n, map: new Map([["a", 1]]) });
  assert.deepEqual(odd.text.includes("12345678901234567890"), true);
  const many = rows.map((row) => ({ ...row, big: 2n ** 70n }));
  assert.equal(JSON.parse((await asked(many)).text).totalItems, 400);
  // An image of 100 by 100 pixels, by its header.
  const data = `iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAID${"AAAA".repeat(9000)}`;
  const image = { type: "image", data, mimeType: "image/png" };
  const both = await asked({ content: [image, { type: "text", text: JSON.stringify(rows) }] });
  assert.deepEqual(both.parts[0], image);
  const own = { type: "image-data", big: 1n };
  const mixed = await asked(new Parts([own, JSON.stringify(rows), "beside"]));
  assert.ok(mixed.parts[0] === own && countTokens(mixed.text) <= 600);
  assert.equal(JSON.parse(both.text).totalItems, 400);
  assert.ok(countTokens((await asked("GET /articles 200\n".repeat(9000))).text) <= 600);
  assert.ok((await asked(rows, { tools: { list_rows: false } })).isUnchanged);
  // What a framework writes in the same way passes.
  for (const value of ["a text", [1, { b: null }], undefined, { content: [{ type: "text", text: "a" }] }])
    assert.ok((await asked(value)).isUnchanged);
  for (const value of [1n, [{ big: 2n ** 70n }], new Map([["a", 1]]), new Set([1])])
    assert.ok(!(await asked(value)).isUnchanged);
});

test("iterators are collected once", async () => {
  async function* later() {
    yield* rows;
  }
  for (const made of [() => rows.values(), later]) {
    const page = await harness().call("list_rows", {}, made);
    assert.equal(JSON.parse(page.text).totalItems, 400);
    assert.deepEqual(page.original, rows);
    const few = await harness({ maxTokens: 60_000 }).call("list_rows", {}, made);
    assert.deepEqual([JSON.parse(few.text), few.isUnchanged], [rows, false]);
  }
});

test("what is shaped already stays", async () => {
  const inner = await harness().call("list_rows", {}, () => rows);
  const again = await harness().call("outer", {}, () => inner);
  assert.deepEqual([again.text, again.original, again.isUnchanged], [inner.text, rows, false]);
  const shaped = new Shaper({ maxTokens: 300 }).shape(rows);
  assert.equal((await harness().call("outer", {}, () => shaped)).text, shaped.text);
});

test("a value without a JSON form is an error that says so", async () => {
  const cycle = [...rows];
  cycle.push(cycle);
  for (const value of [cycle, Symbol("a"), () => rows, new Response("a")]) {
    const result = await harness().call("odd", {}, () => value);
    assert.ok(result.isError && !result.isUnchanged && result.original === value);
    assert.match(result.text, /cycle|no JSON form/);
  }
});

test("results of one turn", async () => {
  const given = harness({ maxTokens: 4000, combinedTokens: 2500 });
  const page = async (tool) => ({
    tool,
    text: (await given.call(tool, {}, () => rows.map((row) => ({ ...row, of: tool })))).text,
  });
  const log = { tool: "log", text: Array.from({ length: 60 }, (_, at) => `GET /articles/${at} 200\n`).join("") };
  const turn = [await page("one"), { tool: "small", text: "one line" }, log, await page("two")];
  const sum = (texts) => texts.reduce((sum, text) => sum + countTokens(text), 0);
  const fitted = await given.fit(turn);
  assert.ok(sum(fitted) <= 2500 && sum(turn.map(({ text }) => text)) > 2500);
  assert.deepEqual([fitted[1], fitted[2]], ["one line", log.text]);
  assert.deepEqual(await given.fit(turn), fitted);
  assert.deepEqual(await given.fit(fitted.map((text) => ({ text }))), fitted);
  const stored = fitted.find((text, at) => text !== turn[at].text);
  assert.ok(!(await given.tools[0].call({ handle: JSON.parse(stored).uri })).isError);
});

test("a page over the budget of its own call keeps its handle", async () => {
  const store = new MemoryStore();
  // Such as a server whose budget is larger.
  const [larger, smaller] = [1500, 400].map((maxTokens) => harness({ maxTokens }, { store }));
  const { text } = await larger.call("rows", {}, () => rows);
  const [shown, first] = [text, (await smaller.call("rows", {}, () => text)).text].map((each) =>
    JSON.parse(expand(each)),
  );
  assert.deepEqual([first.uri, first.totalItems], [shown.uri, rows.length]);
  assert.ok(first.items.length > 0 && first.items.length < shown.items.length);
  let read = first.items;
  for (let cursor = first.nextCursor; cursor; ) {
    const following = JSON.parse(expand((await smaller.tools[0].call({ cursor })).text));
    [read, cursor] = [[...read, ...following.items], following.nextCursor];
  }
  assert.deepEqual(read, rows);
});

test("results that are shaped twice are asked about their whole", async () => {
  const given = harness({ maxTokens: 1500, combinedTokens: 700 });
  const many = [...rows, ...rows];
  const turn = await Promise.all(
    ["one", "two"].map(async (tool) => ({ tool, text: (await given.call(tool, {}, () => many)).text })),
  );
  const small = JSON.parse((await given.fit(turn)).find((text, at) => text !== turn[at].text));
  const [tool] = given.tools;
  const handle = small.uri.slice(-16);
  assert.equal(small.description, "[{id, name}] (800 items)");
  assert.ok((await tool.call({ sql: `SELECT count(*) FROM ${handle}` })).text.includes("800"));
  assert.equal(JSON.parse((await tool.call({ handle, pointer: "/799" })).text).id, 399);
  const shown = JSON.parse(expand(turn[0].text)).items.length;
  assert.equal(JSON.parse(expand((await tool.call({ cursor: small.nextCursor })).text)).items[0].id, many[shown].id);
});

test("an error that is cut is read on", async () => {
  const given = harness();
  const message = Array.from({ length: 3000 }, (_, each) => `no such article ${each}\n`).join("");
  const error = await given.call("boom", {}, () => Promise.reject(new Error(message)));
  assert.ok(error.isError);
  const { uri: handle } = JSON.parse(error.text);
  const found = await given.tools[0].call({ handle, search: "no such article 2999" });
  assert.ok(!found.isError && found.text.includes("2999"), found.text);
});

test("a cursor that another tool gets goes on", async () => {
  const given = harness();
  const { nextCursor, items } = JSON.parse(expand((await given.call("list_rows", {}, () => rows)).text));
  const after = await given.call("list_rows", { cursor: nextCursor }, never);
  assert.deepEqual(JSON.parse(expand(after.text)).items[0], rows[items.length]);
  const own = await given.call("list_rows", { cursor: "eyJpZCI6Mn0" }, (args) => args);
  assert.deepEqual(JSON.parse(own.text), { cursor: "eyJpZCI6Mn0" });
});

test("a tool that the agent does not have is warned of once", () => {
  const warnings = [];
  const given = harness({ tools: { list_rwos: false } }, { onWarning: (warning) => warnings.push(warning) });
  for (let at = 0; at < 2; at++) given.checkNames(["list_rows"]);
  assert.equal(warnings.length, 1);
  assert.ok(warnings[0].includes('did you mean "list_rows"?'), warnings[0]);
});

test("calls at once, and wrong options", async () => {
  const given = harness();
  const pages = await Promise.all([100, 200, 300].map((count) => given.call("l", {}, () => rows.slice(0, count))));
  assert.deepEqual(
    pages.map(({ text }) => JSON.parse(text).totalItems),
    [100, 200, 300],
  );
  assert.throws(() => new Harness({ maxTokns: 1 }), { code: "INVALID_POLICY" });
  assert.throws(() => new Harness({}, { authorize: () => true }), /store, scope, onReceipt, onWarning/);
  assert.throws(() => new Harness({}, { store: null }), { path: "/store" });
  assert.throws(() => new Harness({ store: new MemoryStore() }), /an option of an adapter/);
  assert.throws(() => new Harness({}, { maxTokens: 500 }), /an option of the policy/);
  assert.throws(() => new Harness(new MemoryStore()), { code: "INVALID_POLICY" });
  assert.throws(() => new Harness({}, { scope: "a tenant" }), { code: "INVALID_CALL" });
  // Ignored, it would show results to everybody.
  const byCall = { scope: () => "a tenant" };
  assert.throws(() => new Harness({ cursorKey: "of a length that will do" }, byCall), { path: "/scope" });
  assert.throws(() => new Harness({}, { nameOfTenant: "a" }), /store, scope, onReceipt, onWarning, redact/);
  assert.throws(() => new Harness({}, { maxTokens: 600 }), /option of the policy/);
  assert.throws(() => new Harness({}, new MemoryStore()), /an instance of MemoryStore/);
  await assert.rejects(given.call("l", {}, rows), { path: "/work" });
  for (const turn of ["a", [{ text: 1 }], ["a", "b"]]) await assert.rejects(given.fit(turn), { path: "/turn" });
});

test("a misspelt name in the policy is a warning", async () => {
  const warnings = [];
  const tools = { list_row: { maxTokens: 300 }, list_rows: { fields: ["id", "nmae"] } };
  const given = harness({ tools }, { onWarning: (warning) => warnings.push(warning) });
  given.own([["list_rows", {}]]);
  given.checkNames();
  for (let at = 0; at < 2; at++) await given.call("list_rows", {}, () => rows);
  assert.deepEqual(
    warnings.map((warning) => warning.match(/"(list_row|nmae)"/)[1]),
    ["list_row", "nmae"],
  );
});
