// The transport of a client with the relay above it: naive servers of each SDK, on stdio and HTTP, in both eras.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { countTokens, expand, MemoryStore } from "toolshape";
import { shapeTransport } from "toolshape/client";
import { connect, stop } from "./clients.mjs";
import { MODERN } from "./table.mjs";
import { LOG, rows } from "./tools.mjs";

after(stop);

const INFO = { name: "here", version: "1.0.0" };
const text = ({ content: [{ text }] }) => text;
const WAYS = [
  { sdk: "v1", transport: "http" },
  { sdk: "v2", transport: "stdio", era: "2025-11-25" },
  { sdk: "v2", transport: "stdio", era: MODERN },
];

for (const way of WAYS) {
  test(`${way.sdk} on ${way.transport}${way.era ? `, ${way.era}` : ""}`, async () => {
    const receipts = [];
    const above = (transport) => {
      const shaped = shapeTransport(transport, { maxTokens: 600 }, { onReceipt: (each) => receipts.push(each) });
      assert.ok(shaped instanceof transport.constructor);
      return shaped;
    };
    const { client, close } = await connect(way, { how: "naive", above });
    const call = (name, args = {}, options) =>
      way.sdk === "v1"
        ? client.callTool({ name, arguments: args }, undefined, options)
        : client.callTool({ name, arguments: args }, options);
    const { tools } = await client.listTools();
    const { name: readTool } = tools.find(({ name }) => name.startsWith("read_result"));

    const small = await call("list_rows", { count: 2 });
    assert.deepEqual(JSON.parse(text(small)), rows(2));
    const page = await call("list_rows", { count: 400 });
    assert.ok(countTokens(text(page)) <= 600);
    const { nextCursor, items } = JSON.parse(expand(text(page)));
    const next = JSON.parse(expand(text(await call(readTool, { cursor: nextCursor }))));
    assert.equal(next.items[0].id, items.at(-1).id + 1);
    const runs = await call("runs");
    assert.equal(text(runs) >= 2, true);

    // Several at once, each with its own answer.
    const together = await Promise.all([100, 200, 300].map((count) => call("list_rows", { count })));
    assert.deepEqual(
      together.map((each) => JSON.parse(text(each)).totalItems),
      [100, 200, 300],
    );
    const log = await call("log");
    assert.ok(countTokens(text(log)) <= 600 && LOG.includes(JSON.parse(text(log)).preview.split("\n")[0]));

    const failed = await call("error");
    assert.ok(failed.isError && countTokens(text(failed)) <= 600);
    const image = await call("no_text");
    assert.equal(image.content.find(({ type }) => type === "image").data.length, 48_044);
    assert.deepEqual(image._meta["example.com/theirs"], [1, 2]);

    const progress = [];
    const reported = await call("reports", { count: 400 }, { onprogress: (each) => progress.push(each.progress) });
    assert.deepEqual(progress, [1, 2]);
    assert.equal(JSON.parse(text(reported)).totalItems, 400);
    assert.ok(receipts.length > 5);
    await close();
  });
}

/** A server in this process, with a client above whose transport the relay is. */
async function inMemory(tools, policy = {}, options = {}) {
  const server = new McpServer(INFO);
  for (const [name, run] of Object.entries(tools)) server.registerTool(name, { description: name }, run);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1(INFO);
  const transport = shapeTransport(theirs, policy, { onReceipt: () => {}, ...options });
  await Promise.all([server.connect(ours), client.connect(transport)]);
  return { server, client, transport };
}

const listing = (count) => () => ({ content: [{ type: "text", text: JSON.stringify(rows(count)) }] });

test("a call that is cancelled is cancelled at the server", async () => {
  let isCancelled = false;
  const waits = async ({ signal }) => {
    signal.addEventListener("abort", () => {
      isCancelled = true;
    });
    await sleep(200);
    return { content: [] };
  };
  const { client } = await inMemory({ waits });
  const abort = new AbortController();
  const call = client.callTool({ name: "waits" }, undefined, { signal: abort.signal });
  setTimeout(() => abort.abort(), 20);
  await assert.rejects(call);
  await sleep(20);
  assert.ok(isCancelled);
});

test("an asynchronous store, one that fails, and none", async () => {
  const memory = new MemoryStore();
  const later = {
    get: async (key) => memory.get(key),
    set: async (key, value, ttl) => (await sleep(5), memory.set(key, value, ttl)),
    delete: async () => {},
  };
  const { client } = await inMemory({ lists: listing(400) }, {}, { store: later });
  const { nextCursor, note } = JSON.parse(text(await client.callTool({ name: "lists" })));
  const next = await client.callTool({ name: readToolOf(note), arguments: { cursor: nextCursor } });
  assert.equal(JSON.parse(text(next)).page > 1, true);

  const set = async () => {
    throw new Error("disk full");
  };
  const failing = await inMemory({ lists: listing(400) }, {}, { store: { ...later, set } });
  const page = JSON.parse(text(await failing.client.callTool({ name: "lists" })));
  assert.equal(page.totalItems, 400);
  assert.doesNotMatch(page.note, /read_result/);

  const without = await inMemory({ lists: listing(400) }, {}, { store: null });
  const { tools } = await without.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["lists"],
  );
});

test("two servers, one of which ends", async () => {
  const one = await inMemory({ lists: listing(400) });
  const other = await inMemory({ lists: listing(300) });
  await one.client.close();
  await assert.rejects(one.client.callTool({ name: "lists" }));
  assert.equal(JSON.parse(text(await other.client.callTool({ name: "lists" }))).totalItems, 300);
});

test("a very large result, after which the core starts again, between two of another server", async () => {
  const huge = () => ({ content: [{ type: "text", text: "a line of the log\n".repeat(2_000_000) }] });
  const one = await inMemory({ huge, lists: listing(400) });
  const other = await inMemory({ lists: listing(300) });
  const first = JSON.parse(expand(text(await other.client.callTool({ name: "lists" }))));
  const [log] = await Promise.all([one.client.callTool({ name: "huge" }), other.client.callTool({ name: "lists" })]);
  assert.equal(JSON.parse(text(log)).totalChars, 36_000_000);
  const next = await other.client.callTool({ name: readToolOf(first.note), arguments: { cursor: first.nextCursor } });
  assert.equal(JSON.parse(expand(text(next))).items[0].id, first.items.at(-1).id + 1);
  assert.equal(JSON.parse(text(await one.client.callTool({ name: "lists" }))).totalItems, 400);
});

test("wrong options are refused with their names", () => {
  const [transport] = InMemoryTransport.createLinkedPair();
  const refuses = (given, code, message) =>
    assert.throws(
      () => shapeTransport(...given),
      (error) => error.code === code && message.test(error.message),
    );
  refuses([transport, { maxTokns: 1 }], "INVALID_POLICY", /maxTokens/);
  refuses([transport, {}, { redact: () => "" }], "INVALID_CALL", /redact/);
  refuses([undefined], "INVALID_CALL", /transport/);
  refuses([transport, {}, { store: "folder" }], "INVALID_CALL", /store/);
});

/** The tool that a note names. */
function readToolOf(note) {
  return /call (read_result\w*) with/.exec(note)[1];
}
