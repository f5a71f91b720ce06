// Tools that are registered before the line, servers that are given it twice, and tools with the names of ours: shaped, or
// refused at once, on servers of every SDK.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Server as LowV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer, Server as Low } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import { expand, MemoryStore } from "toolshape";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";
import * as z from "zod";
import { inProcess } from "./in_process.mjs";

const require = createRequire(import.meta.url);
const INFO = { name: "server", version: "1.0.0" };
const QUIET = { onReceipt: () => {} };
const POLICY = { maxTokens: 600, receipt: "meta", tools: { later: { maxTokens: 300 } } };
const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `the row of number ${id}` }));
const list = () => ({ content: [{ type: "text", text: JSON.stringify(rows) }] });
const json = ({ content: [{ text }] }) => JSON.parse(expand(text));
const refuses = (message) => (error) => error.code === "INVALID_CALL" && message.test(error.message);

class TooMany extends Error {
  status = 429;
  retryAfter = 30;
}

for (const sdk of ["v2", "v1"]) {
  test(`${sdk}: tools of before the line are shaped as those of after it`, async () => {
    let registered;
    const before = (server) => {
      registered = server.registerTool(
        "early",
        { description: "lists", inputSchema: z.object({ count: z.number() }) },
        list,
      );
      server.registerTool("boom", { description: "throws" }, () =>
        Promise.reject(new TooMany("three a day, says Ann")),
      );
      server.registerTool(
        "promised",
        { description: "promises", outputSchema: z.object({ rows: z.array(z.any()) }) },
        () => ({ ...list(), structuredContent: { rows } }),
      );
    };
    const { client, close } = await inProcess[sdk](POLICY, [{ name: "after", run: list }], {
      before,
      store: new MemoryStore(),
    });
    const { tools } = await client.listTools();
    const input = (name) => Object.keys(tools.find((tool) => tool.name === name).inputSchema.properties);
    assert.deepEqual(input("early"), ["count"]);
    assert.deepEqual(tools.map(({ name }) => name).sort(), ["after", "boom", "early", "promised", "read_result"]);
    for (const [name, args] of [
      ["early", { count: 1 }],
      ["after", {}],
    ]) {
      const page = json(await client.callTool({ name, arguments: { ...args, page: 2 } }));
      assert.deepEqual([page.totalItems, page.items[0].id], [400, page.pageSize]);
    }
    const limit = { type: "rate_limited", retryAfterSeconds: 30, upstream: "boom", message: "three a day, says Ann" };
    assert.deepEqual(json(await client.callTool({ name: "boom" })), limit);
    const promised = await client.callTool({ name: "promised" });
    assert.deepEqual(promised.structuredContent, JSON.parse(promised.content[0].text));
    registered.update({ name: "later" });
    assert.equal(
      (await client.callTool({ name: "later", arguments: { count: 1 } }))._meta["toolshape/receipt"].budget,
      300,
    );
    await close();
  });
}

test("ts-fastmcp: a server that has tools is refused, since it does not show them", () => {
  const tool = (name) => ({ name, description: name, execute: () => "" });
  const server = new FastMCP(INFO);
  server.addTool(tool("one"));
  assert.throws(() => fast.shapeServer(server), refuses(/has a tool already.*before addTool/));
  server.addTools([tool("two"), tool("three")]);
  assert.throws(() => fast.shapeServer(server), refuses(/has 3 tools already/));
  for (const name of ["one", "two", "three"]) server.removeTool(name);
  fast.shapeServer(server, {}, QUIET);
});

test("each import refuses the other's server, and names the import to use", () => {
  assert.throws(() => fast.shapeServer(new McpServer(INFO)), refuses(/takes a FastMCP;.*toolshape\/mcp/));
  assert.throws(() => shapeServer(new FastMCP(INFO)), refuses(/takes an McpServer or a Server;.*toolshape\/fastmcp/));
});

test("a server is shaped once, by whichever copy of the package", () => {
  const other = require("toolshape/mcp");
  for (const Server of [McpServer, McpServerV1]) {
    const server = shapeServer(new Server(INFO), {}, QUIET);
    for (const again of [shapeServer, other.shapeServer]) {
      assert.throws(() => again(server), refuses(/shaped already/));
      assert.throws(() => again(server.server), refuses(/shaped already/));
    }
  }
  for (const Server of [Low, LowV1]) {
    const server = shapeServer(new Server(INFO, { capabilities: { tools: {} } }), {}, QUIET);
    assert.throws(() => shapeServer(server), refuses(/shaped already/));
  }
  const server = fast.shapeServer(new FastMCP(INFO), {}, QUIET);
  assert.throws(() => fast.shapeServer(server), refuses(/shaped already/));
});

test("a server that is connected is refused, and one that was closed is shaped", async () => {
  const transport = () => ({ start: async () => {}, send: async () => {}, close: async () => {} });
  for (const server of [
    ...[McpServer, McpServerV1].map((Server) => new Server(INFO)),
    ...[Low, LowV1].map((Server) => new Server(INFO, { capabilities: { tools: {} } })),
  ]) {
    const pipe = transport();
    await server.connect(pipe);
    assert.throws(() => shapeServer(server, {}, QUIET), refuses(/connected.*before connect/));
    pipe.onclose();
    shapeServer(server, {}, QUIET);
  }
});

test("a tool with the name of one that is added is refused, before the line and after it", () => {
  const options = { ...QUIET, store: new MemoryStore(), summarize: true };
  for (const name of ["read_result", "summarize"]) {
    for (const Server of [McpServer, McpServerV1]) {
      const early = new Server(INFO);
      early.registerTool(name, { description: "mine" }, list);
      assert.throws(() => shapeServer(early, {}, options), refuses(new RegExp(`a tool ${name}, and`)));
      const late = shapeServer(new Server(INFO), {}, options);
      assert.throws(() => late.registerTool(name, { description: "mine" }, list), refuses(/rename that tool/));
      const renamed = late.registerTool("other", { description: "mine" }, list);
      assert.throws(() => renamed.update({ name }), refuses(/rename that tool/));
    }
    const server = fast.shapeServer(new FastMCP(INFO), {}, options);
    assert.throws(() => server.addTool({ name, execute: () => "" }), refuses(/rename that tool/));
    assert.throws(() => server.addTools([{ name, execute: () => "" }]), refuses(/rename that tool/));
  }
});

test("an invalid store, and misspelled options, are rejected by the call that has them", () => {
  const servers = [
    [shapeServer, McpServer],
    [shapeServer, McpServerV1],
    [fast.shapeServer, FastMCP],
  ];
  class Mine {
    get() {}
    set() {}
    delete() {}
  }
  for (const [shape, Server] of servers) {
    for (const [options, path] of [
      [{ store: {} }, "/store"],
      [{ store: Mine }, "/store"],
      [{ store: [] }, "/store"],
      [{ store: "memory" }, "/store"],
      [{ stroe: new Mine() }, "/stroe"],
      [{ onRecipt: () => {} }, "/onRecipt"],
      [{ onReceipt: true }, "/onReceipt"],
      [{ store: new Mine(), ttlSeconds: "1" }, "/ttlSeconds"],
      [{ summarize: {} }, "/summarize"],
      [{ scope: "t" }, "/scope"],
      [{ store: null, authorize: () => true }, "/authorize"],
      [{ store: null, redact: String }, "/redact"],
    ]) {
      assert.throws(
        () => shape(new Server(INFO), {}, options),
        (error) => error.code === "INVALID_CALL" && error.path === path,
        JSON.stringify(options),
      );
    }
  }
});

test("servers of a process share the store that is there by default", async () => {
  const names = async (client) => (await client.listTools()).tools.map(({ name }) => name);
  const answerOf = async (client, name, args = {}) => json(await client.callTool({ name, arguments: args }));
  for (const [sdk, connect] of Object.entries(inProcess)) {
    const made = (options) => connect(POLICY, [{ name: "list", run: list }], options);
    const [one, other, own, none] = await Promise.all([
      made(),
      made(),
      made({ store: new MemoryStore() }),
      made({ store: null }),
    ]);
    assert.deepEqual((await names(one.client)).sort(), ["list", "read_result"], sdk);
    const page = await answerOf(one.client, "list");
    const next = await answerOf(other.client, "read_result", { cursor: page.nextCursor });
    assert.equal(next.source, "snapshot", sdk);
    assert.deepEqual(
      await answerOf(other.client, "read_result", { handle: page.uri, pointer: "/0" }),
      page.items[0],
      sdk,
    );
    assert.equal((await answerOf(own.client, "read_result", { handle: page.uri })).error, "NOT_FOUND", sdk);
    assert.deepEqual(await names(none.client), ["list"], sdk);
    assert.equal((await answerOf(none.client, "list")).uri, undefined, sdk);
    await Promise.all([one, other, own, none].map(({ close }) => close()));
  }
});

for (const [sdk, connected] of Object.entries(inProcess)) {
  test(`${sdk}: a receipt names the client and the request`, async () => {
    const receipts = [];
    const onReceipt = (receipt) => receipts.push(receipt);
    const { client, close } = await connected({ maxTokens: 600 }, [{ name: "list", run: list }], { onReceipt });
    await client.callTool({ name: "list", arguments: {} });
    await close();
    const [{ tool, client: name, requestId, reason, rows: shown }] = receipts;
    // The context of fastmcp does not have it.
    const id = sdk === "ts-fastmcp" ? "undefined" : "number";
    assert.deepEqual([tool, name, typeof requestId], ["list", INFO.name, id]);
    assert.match(reason, /^about \d+ tokens > budget 600$/);
    assert.deepEqual([shown.total, shown.returned > 0], [rows.length, true]);
  });
}
