// The low-level `Server` of both official SDKs, whose author answers tools/list and tools/call: shaped all the same,
// and as far as it is small, or an error of the protocol, as it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, ProtocolError, Server } from "@modelcontextprotocol/server";
import { countTokens, expand, MemoryStore } from "toolshape";
import { shapeServer } from "toolshape/mcp";

const SDKS = {
  v1: {
    Server: ServerV1,
    Client: ClientV1,
    Transport: InMemoryV1,
    Refusal: McpError,
    list: ListToolsRequestSchema,
    call: CallToolRequestSchema,
  },
  v2: { Server, Client, Transport: InMemoryTransport, Refusal: ProtocolError, list: "tools/list", call: "tools/call" },
};
const POLICY = { maxTokens: 600, tools: { alone: false } };

const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `the row of number ${id}` }));
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const both = (value) => ({ ...text(value), structuredContent: value });
const count = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
  additionalProperties: false,
};
const output = {
  type: "object",
  properties: { rows: { type: "array", items: { type: "object" } } },
  required: ["rows"],
  additionalProperties: false,
};

const own = { type: "object", properties: { count: { type: "integer" }, cursor: { type: "string" } } };

const TOOLS = [
  { name: "list_rows", inputSchema: count },
  { name: "promised", inputSchema: count, outputSchema: output },
  { name: "alone", inputSchema: count },
  { name: "boom", inputSchema: { type: "object" } },
  { name: "fails", inputSchema: count },
  { name: "pages_itself", inputSchema: own, outputSchema: output },
];

class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}

/** Answers tools/call, and keeps the arguments it was given. */
const answering =
  (Refusal, seen) =>
  ({ params: { name, arguments: args } }) => {
    seen.push(args);
    switch (name) {
      case "pages_itself":
      case "hidden":
      case "promised":
        return both({ rows: rows(args.count) });
      case "boom":
        throw new TooMany("Too Many Requests");
      case "fails":
        // A long error of MCP itself passes (control_flow.test.mjs).
        throw args.count > 100
          ? new Error("no such article ".repeat(args.count))
          : new Refusal(-32602, "no such article ");
      default:
        return text(rows(args.count));
    }
  };

const PAGES = { first: TOOLS.slice(0, 2), second: TOOLS.slice(2) };
const listing = ({ params }) =>
  params?.cursor === "second" ? { tools: PAGES.second } : { tools: PAGES.first, nextCursor: "second" };

/** A client of a server that is shaped before its handlers are set, or after; or not at all. */
async function connected(
  { Server, Client, Transport, Refusal, list, call },
  when,
  lists = listing,
  client = new Client({ name: "somebody", version: "1.0.0" }),
  before = () => {},
) {
  const seen = [];
  const server = new Server({ name: "server", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  const shape = () => shapeServer(server, POLICY, { store: new MemoryStore(), onReceipt: () => {} });
  before(server);
  if (when === "before") shape();
  if (lists) server.setRequestHandler(list, lists);
  server.setRequestHandler(call, answering(Refusal, seen));
  if (when === "after") shape();
  const [ours, theirs] = Transport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const ask = (name, args = {}) => client.callTool({ name, arguments: args });
  return { server, client, seen, ask, again: (handler) => server.setRequestHandler(call, handler) };
}

const json = ({ content: [{ text }] }) => JSON.parse(expand(text));

for (const [name, sdk] of Object.entries(SDKS)) {
  for (const when of ["before", "after"]) {
    test(`${name}, shaped ${when} its handlers are set`, async (t) => {
      const { server, client, seen, ask, again } = await connected(sdk, when);
      const naive = await connected(sdk, "never");

      await t.test("a tool that was never listed is shaped", async () => {
        const result = await ask("list_rows", { count: 400, pageSize: 5, fields: ["id"] });
        assert.deepEqual(
          json(result).items,
          [0, 1, 2, 3, 4].map((id) => ({ id })),
        );
        assert.deepEqual(seen.pop(), { count: 400 });
      });
      await t.test("one on a later page of the list is too, and keeps what is its own", async () => {
        const result = await ask("pages_itself", { count: 400, cursor: "theirs", pageSize: 4 });
        assert.equal(result.structuredContent.rows.length, 4);
        assert.deepEqual(seen.pop(), { count: 400, cursor: "theirs" });
      });
      await t.test("an unlisted tool keeps its arguments and its structured content", async () => {
        const args = { count: 2, page: 7, cursor: "theirs" };
        const [result, plain] = [await ask("hidden", args), await naive.ask("hidden", args)];
        assert.deepEqual([result.content, result.structuredContent], [plain.content, plain.structuredContent]);
        assert.deepEqual(seen.pop(), args);
        const large = await ask("hidden", { count: 400 });
        assert.deepEqual(large.structuredContent, JSON.parse(large.content[0].text));
      });
      await t.test("every page of the list is, and the reader is on the first", async () => {
        const page = (cursor) =>
          client.request(
            { method: "tools/list", params: { cursor } },
            ...(name === "v1" ? [ListToolsResultSchema] : []),
          );
        const [first, second] = [await page(), await page("second")];
        assert.deepEqual(first.tools[0].inputSchema, PAGES.first[0].inputSchema);
        assert.equal(first.tools[1].outputSchema.anyOf.length, 4);
        assert.equal(first.tools.at(-1).name, "read_result");
        assert.equal(
          second.tools.some(({ name }) => name === "read_result"),
          false,
        );
      });
      await t.test("what fits stays", async () => {
        const [ours, plain] = [await ask("list_rows", { count: 3 }), await naive.ask("list_rows", { count: 3 })];
        assert.deepEqual(ours.content, plain.content);
        assert.deepEqual(await ask("alone", { count: 400 }), await naive.ask("alone", { count: 400 }));
      });
      await t.test("structured content is valid by the widened schema", async () => {
        await client.listTools();
        const result = await ask("promised", { count: 400 });
        assert.ok(countTokens(JSON.stringify(result.structuredContent)) <= POLICY.maxTokens);
        assert.equal(result.structuredContent._page.totalItems, 400);
      });
      await t.test("later pages and parts come from the store", async () => {
        const { uri, nextCursor } = json(await ask("list_rows", { count: 300 }));
        const calls = seen.length;
        assert.equal(json(await ask("list_rows", { count: 300, cursor: nextCursor })).source, "snapshot");
        assert.equal(json(await ask("read_result", { handle: uri, pointer: "/299/id" })), 299);
        assert.equal(seen.length, calls);
      });
      await t.test("a rate limit is a result, a short refusal stays one, a long one is made short", async () => {
        assert.equal(json(await ask("boom")).retryAfterSeconds, 30);
        const refusal = (client) =>
          client.ask("fails", { count: 2 }).then(
            () => assert.fail(),
            ({ code, message }) => ({ code, message }),
          );
        assert.deepEqual(await refusal({ ask }), await refusal(naive));
        const long = await ask("fails", { count: 3000 });
        assert.equal(long.isError, true);
        assert.ok(countTokens(long.content[0].text) <= POLICY.maxTokens);
      });
      await t.test("a handler that takes the place of the first is shaped too", async () => {
        again(() => text(rows(100)));
        assert.equal(json(await ask("list_rows", { count: 1 })).totalItems, 100);
      });
      await t.test("a list that changed is read again", async () => {
        PAGES.first = [
          { ...TOOLS[0], inputSchema: { type: "object", properties: { cursor: { type: "string" } } } },
          TOOLS[1],
        ];
        try {
          await server.sendToolListChanged();
          again(({ params }) => text([params.arguments]));
          assert.deepEqual(json(await ask("list_rows", { cursor: "theirs" })), [{ cursor: "theirs" }]);
        } finally {
          PAGES.first = TOOLS.slice(0, 2);
        }
      });
      await Promise.all([client.close(), naive.client.close()]);
    });
  }

  test(`${name}, for a client without a name, that names no tool`, async () => {
    const { client, ask } = await connected(sdk, "before", listing, new sdk.Client({ name: "", version: "" }));
    assert.equal(json(await ask("list_rows", { count: 400 })).totalItems, 400);
    assert.equal(json(await ask("", { count: 2 })).length, 2);
    await client.close();
  });

  test(`${name}: a check around is asked for later pages and read_result`, async () => {
    const asked = [];
    const around = (server) => {
      const set = server.setRequestHandler.bind(server);
      server.setRequestHandler = (method, handler) =>
        set(
          method,
          method === sdk.call
            ? (request, extra) => (asked.push(request.params.name), handler(request, extra))
            : handler,
        );
    };
    const { client, seen, ask } = await connected(sdk, "before", listing, undefined, around);
    const { uri, nextCursor } = json(await ask("list_rows", { count: 300 }));
    assert.equal(json(await ask("list_rows", { count: 300, cursor: nextCursor })).source, "snapshot");
    assert.equal(json(await ask("read_result", { handle: uri, pointer: "/299/id" })), 299);
    assert.deepEqual(asked, ["list_rows", "list_rows", "read_result"]);
    assert.equal(seen.length, 1);
    await client.close();
  });

  for (const [what, listing] of [
    ["no list", undefined],
    ["a list that fails", () => Promise.reject(new Error("not today"))],
  ]) {
    test(`${name}, with ${what}`, async () => {
      const { client, ask } = await connected(sdk, "before", listing);
      assert.equal(json(await ask("list_rows", { count: 400 })).totalItems, 400);
      assert.equal(json(await ask("list_rows", { count: 2 })).length, 2);
      await client.close();
    });
  }
}
