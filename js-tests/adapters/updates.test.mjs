// Tools that change after they were registered, on servers of both official SDKs: shaped as what they have become.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { expand } from "toolshape";
import { shapeServer } from "toolshape/mcp";
import * as z from "zod";

const SDKS = { v2: [McpServer, Client, InMemoryTransport], v1: [McpServerV1, ClientV1, InMemoryV1] };
const POLICY = { maxTokens: 600, tools: { small: { maxTokens: 300 } } };

const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `the row of number ${id}` }));
const list = ({ count }) => ({ content: [{ type: "text", text: JSON.stringify(rows(count)) }] });
const json = ({ content: [{ text }] }) => JSON.parse(expand(text));

class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}

for (const [sdk, [Server, Connected, Transport]] of Object.entries(SDKS)) {
  test(sdk, async (t) => {
    const receipts = [];
    const server = shapeServer(new Server({ name: "changing", version: "1.0.0" }), POLICY, {
      store: null,
      onReceipt: (receipt) => receipts.push(receipt),
    });
    const registered = server.registerTool(
      "list",
      { description: "lists", inputSchema: z.strictObject({ count: z.number() }) },
      list,
    );
    const [ours, theirs] = Transport.createLinkedPair();
    const client = new Connected({ name: "somebody", version: "1.0.0" });
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    const call = (name, args) => client.callTool({ name, arguments: args });
    const tools = async () => (await client.listTools()).tools;
    assert.equal(json(await call("list", { count: 400 })).totalItems, 400);

    await t.test("another callback", async () => {
      registered.update({ callback: () => Promise.reject(new TooMany("Too Many Requests")) });
      assert.deepEqual(json(await call("list", { count: 1 })), {
        type: "rate_limited",
        retryAfterSeconds: 30,
        upstream: "list",
        message: "Too Many Requests",
      });
      registered.update({ callback: list });
      assert.deepEqual(json(await call("list", { count: 2 })), rows(2));
    });
    await t.test("other arguments, one of them called as ours", async () => {
      const seen = [];
      const params = z.strictObject({ count: z.number(), cursor: z.string().optional() });
      registered.update({
        paramsSchema: sdk === "v1" ? params.shape : params,
        callback: (args) => seen.push(args) && list(args),
      });
      const [{ inputSchema }] = await tools();
      assert.deepEqual(Object.keys(inputSchema.properties), [
        "count",
        "cursor",
        "page",
        "pageSize",
        "shapeCursor",
        "fields",
      ]);
      assert.equal(json(await call("list", { count: 400, cursor: "theirs", pageSize: 3 })).items.length, 3);
      assert.deepEqual(seen, [{ count: 400, cursor: "theirs" }]);
    });
    await t.test("another name, and its policy", async () => {
      registered.update({ name: "small" });
      assert.deepEqual(
        (await tools()).map(({ name }) => name),
        ["small"],
      );
      await call("small", { count: 400 });
      assert.deepEqual([receipts.at(-1).tool, receipts.at(-1).budget], ["small", 300]);
    });
    await t.test("disabled, enabled, removed", async () => {
      const other = server.registerTool(
        "other",
        { description: "lists", inputSchema: z.strictObject({ count: z.number() }) },
        list,
      );
      const names = async () => (await tools()).map(({ name }) => name);
      other.disable();
      assert.deepEqual(await names(), ["small"]);
      other.enable();
      assert.equal(json(await call("other", { count: 400 })).totalItems, 400);
      other.remove();
      assert.deepEqual(await names(), ["small"]);
      assert.equal(
        await call("other", { count: 1 }).then(
          ({ isError }) => isError,
          () => true,
        ),
        true,
      );
    });
    await client.close();
  });
}
