// What real HTTP clients throw on a 429, thrown by a tool of each SDK: the shared cases, through the adapters.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mock, test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { shapeServer } from "toolshape/mcp";

const file = join(process.env.TOOLSHAPE_ROOT ?? "../..", "vectors/rate_limit.json");
const { cases } = JSON.parse(readFileSync(file, "utf8"));
const INFO = { name: "rates", version: "1.0.0" };
const SDKS = { v2: [McpServer, Client, InMemoryTransport], v1: [McpServerV1, ClientV1, InMemoryV1] };

for (const [sdk, [Server, Connected, Transport]] of Object.entries(SDKS)) {
  test(`${sdk}: ${cases.length} errors`, async () => {
    let ran = 0;
    for (const { name, error, call, now, policy, expect } of cases.filter(({ call }) => !(call.tool?.length > 128))) {
      const server = shapeServer(new Server(INFO), policy ?? {}, { onReceipt: () => {} });
      const tool = call.tool ?? "fetch";
      server.registerTool(tool, { description: "fetches" }, () => Promise.reject(error));
      const [ours, theirs] = Transport.createLinkedPair();
      const client = new Connected(INFO);
      await Promise.all([server.connect(ours), client.connect(theirs)]);
      mock.timers.enable({ apis: ["Date"], now: (now ?? 0) * 1000 });
      const result = await client.callTool({ name: tool, arguments: {} }).finally(() => mock.timers.reset());
      await client.close();
      assert.equal(result.isError, true, name);
      const [{ text }] = result.content;
      if (expect === null) assert.ok(!text.startsWith('{"type":"rate_limited"'), name);
      else if (call.tool !== undefined) assert.equal(text, expect.text, name);
      else assert.ok(text.startsWith('{"type":"rate_limited"'), name);
      ran++;
    }
    assert.ok(ran > 100);
  });
}
