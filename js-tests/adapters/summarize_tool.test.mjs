// The tool `summarize`, with and without a store.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer, Server } from "@modelcontextprotocol/server";
import { MemoryStore } from "toolshape";
import { shapeServer } from "toolshape/mcp";

const INFO = { name: "server", version: "1.0.0" };
const LOG = `${"INFO all is well\n".repeat(4000)}ERROR disk full\n`;
const TOOLS = { capabilities: { tools: {} } };

/** For each SDK a server and a client. */
const SDKS = {
  v2: {
    server: () => new McpServer(INFO, TOOLS),
    client: () => new Client(INFO),
    transport: InMemoryTransport,
  },
  v1: {
    server: () => new McpServerV1(INFO, TOOLS),
    client: () => new ClientV1(INFO),
    transport: InMemoryV1,
  },
};

async function connect({ server, client, transport }, options) {
  const [ours, theirs] = transport.createLinkedPair();
  const made = shapeServer(server(), { maxTokens: 600 }, { onReceipt: () => {}, ...options });
  made.registerTool("ping", { description: "ping" }, async () => ({ content: [] }));
  const peer = client();
  await Promise.all([made.connect(ours), peer.connect(theirs)]);
  return peer;
}

for (const [sdk, setting] of Object.entries(SDKS)) {
  test(`${sdk}: without a store it is the text's own lines`, async () => {
    const client = await connect(setting, { store: null, summarize: true });
    const result = await client.callTool({ name: "summarize", arguments: { text: LOG, uri: "file:///app.log" } });
    const { by, lines } = JSON.parse(result.content[0].text);
    assert.deepEqual({ by, last: lines.at(-1).text }, { by: "toolshape", last: "ERROR disk full" });
    const lost = await client.callTool({ name: "summarize", arguments: { text: LOG } });
    assert.equal(lost.isError, true);
    assert.match(lost.content[0].text, /"INVALID_CALL".*uri is missing/);
    await client.close();
  });

  test(`${sdk}: a server that does not ask for it has no such tool`, async () => {
    const client = await connect(setting, { store: null });
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["ping"],
    );
    await client.close();
  });
}

const LOW_LEVEL = {
  v2: {
    server: () => new Server(INFO, TOOLS),
    client: () => new Client(INFO),
    transport: InMemoryTransport,
    methods: ["tools/list", "tools/call"],
  },
  v1: {
    server: () => new ServerV1(INFO, TOOLS),
    client: () => new ClientV1(INFO),
    transport: InMemoryV1,
    methods: [ListToolsRequestSchema, CallToolRequestSchema],
  },
};

for (const [sdk, { server, client, transport, methods }] of Object.entries(LOW_LEVEL)) {
  test(`${sdk}: a low-level server has it too`, async () => {
    const made = shapeServer(server(), {}, { store: null, summarize: true, onReceipt: () => {} });
    made.setRequestHandler(methods[0], async () => ({ tools: [{ name: "ping", inputSchema: { type: "object" } }] }));
    made.setRequestHandler(methods[1], async () => ({ content: [] }));
    const [ours, theirs] = transport.createLinkedPair();
    const peer = client();
    await Promise.all([made.connect(ours), peer.connect(theirs)]);
    assert.deepEqual(
      (await peer.listTools()).tools.map(({ name }) => name),
      ["ping", "summarize"],
    );
    const result = await peer.callTool({ name: "summarize", arguments: { text: LOG, uri: "file:///app.log" } });
    assert.equal(JSON.parse(result.content[0].text).summarized, true);
    await peer.close();
  });
}

test("what is stored and shown of a text is redacted", async () => {
  const options = { store: new MemoryStore(), summarize: true, redact: (text) => text.replaceAll("disk", "****") };
  const client = await connect(SDKS.v2, options);
  const { content } = await client.callTool({ name: "summarize", arguments: { text: LOG } });
  const { uri, lines } = JSON.parse(content[0].text);
  assert.equal(lines.at(-1).text, "ERROR **** full");
  const read = await client.callTool({ name: "read_result", arguments: { handle: uri, lines: "4001" } });
  assert.equal(JSON.parse(read.content[0].text).text, "ERROR **** full\n");
  await client.close();
});

test("where the store fails the text is read on to its end", async () => {
  class Full extends MemoryStore {
    set() {
      throw new Error("no space left on device");
    }
  }
  const client = await connect(SDKS.v2, { store: new Full(), summarize: true });
  const text = Array.from({ length: 1500 }, (_, at) => `${at} `).join("");
  let [read, cursor] = ["", undefined];
  do {
    const { content } = await client.callTool({ name: "summarize", arguments: { text, ...(cursor && { cursor }) } });
    const page = JSON.parse(content[0].text);
    read += page.preview;
    cursor = page.nextCursor;
  } while (cursor);
  assert.equal(read, text);
  await client.close();
});
