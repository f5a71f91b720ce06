// A server's client waits for the answer to `initialize`, and hosts with many servers wait for the slowest: nothing is compiled
// before it. What a list has is the same.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as LowV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { MemoryStore } from "toolshape";
import { shapeServer } from "toolshape/mcp";

const INFO = { name: "articles", version: "1.0.0" };
const rows = Array.from({ length: 900 }, (_, id) => ({ id, title: `The title of article ${id}` }));
const list = () => ({ content: [{ type: "text", text: JSON.stringify(rows) }] });

const SERVERS = {
  v2: [() => new McpServer(INFO), () => new Client(INFO), InMemoryTransport],
  v1: [() => new McpServerV1(INFO), () => new ClientV1(INFO), InMemoryV1],
  "low-level": [() => new LowV1(INFO, { capabilities: { tools: {} } }), () => new ClientV1(INFO), InMemoryV1],
};

async function connected(makeServer, makeClient, Transport, options) {
  const [server, client, [ours, theirs]] = [makeServer(), makeClient(), Transport.createLinkedPair()];
  shapeServer(server, ...options);
  if (server.registerTool) server.registerTool("list", { description: "Lists." }, list);
  else {
    const tool = { name: "list", inputSchema: { type: "object" } };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
    server.setRequestHandler(CallToolRequestSchema, list);
  }
  let notified = 0;
  client.fallbackNotificationHandler = async () => {
    notified++;
  };
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  return { client, notified: () => notified };
}

test("nothing is compiled before initialize is answered, and the first call finds all of it", async () => {
  const compiled = mock.method(WebAssembly, "Module");
  const clients = [];
  const own = { store: new MemoryStore(), onReceipt: () => {}, onWarning: () => {}, redact: (text) => text };
  for (const server of Object.values(SERVERS)) {
    clients.push(await connected(...server, []));
    clients.push(await connected(...server, [{}, own]));
  }
  assert.equal(compiled.mock.callCount(), 0);
  for (const { client, notified } of clients) {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["list", "read_result_articles"],
    );
    const { content } = await client.callTool({ name: "list", arguments: {} });
    const { totalItems, nextCursor } = JSON.parse(content[0].text);
    assert.equal(totalItems, rows.length);
    const next = await client.callTool({ name: "read_result_articles", arguments: { cursor: nextCursor } });
    assert.equal(JSON.parse(next.content[0].text).page, 2);
    assert.equal(notified(), 0);
    await client.close();
  }
  assert.equal(compiled.mock.callCount(), 1);
  compiled.mock.restore();
});

test("a mistake in the options is thrown at the line that has it", () => {
  for (const [makeServer] of Object.values(SERVERS)) {
    assert.throws(() => shapeServer(makeServer(), { maxTokens: 1 }), { code: "INVALID_POLICY" });
    for (const wrong of [{ ttlSeconds: -1 }, { store: {} }, { redact: "all" }, { onReceipts: () => {} }])
      assert.throws(() => shapeServer(makeServer(), {}, wrong), { code: "INVALID_CALL" });
  }
  for (const makeServer of [SERVERS.v1[0], SERVERS.v2[0]]) {
    const server = shapeServer(makeServer());
    assert.throws(() => server.registerTool("read_result_articles", {}, list), { code: "INVALID_CALL" });
  }
});
