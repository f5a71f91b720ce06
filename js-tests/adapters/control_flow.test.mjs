// What a framework throws to stop, pause or redirect a run passes unchanged, however long it is; a failure of the same length is
// a result within the budget.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { Shaper } from "toolshape";
import { Adapter, shapeServer } from "toolshape/mcp";

const LONG = "Approve the refund of order 7? ".repeat(2000);

// As LangGraph has them; `interrupt` throws the payload as JSON.
class GraphBubbleUp extends Error {
  get is_bubble_up() {
    return true;
  }
}
class GraphInterrupt extends GraphBubbleUp {
  constructor(interrupts) {
    super(JSON.stringify(interrupts, null, 2));
    this.name = "GraphInterrupt";
    this.interrupts = interrupts;
  }
}
class APIUserAbortError extends Error {}
const named = (name, more = {}) => Object.assign(new Error(LONG), { name }, more);

const PASSING = {
  "LangGraph's interrupt": new GraphInterrupt([{ value: { question: LONG } }]),
  "LangGraph's interrupt, minified": Object.defineProperty(new Error(LONG), "is_bubble_up", { get: () => true }),
  "LangGraph's command to a parent": named("ParentCommand"),
  "an aborted fetch": new DOMException(LONG, "AbortError"),
  "an aborted timer of Node": named("AbortError", { code: "ABORT_ERR" }),
  "axios, cancelled": named("CanceledError", { code: "ERR_CANCELED" }),
  "an SDK of a model, aborted": new APIUserAbortError(LONG),
  "Temporal, cancelled": named("CancelledFailure"),
  "Next's redirect": Object.assign(new Error(LONG), { digest: "NEXT_REDIRECT;replace;/login;307;" }),
  "URLs that a user is sent to": Object.assign(new McpError(-32042, LONG), { data: { elicitations: [] } }),
  "only such, in a group": new AggregateError([named("AbortError"), new GraphInterrupt([])], LONG),
  "an abort with a status": named("AbortError", { status: 429 }),
};

const SHAPED = {
  "a failure": new Error(LONG),
  "a timeout": new DOMException(LONG, "TimeoutError"),
  "a group with a failure": new AggregateError([named("AbortError"), new Error(LONG)], LONG),
  "an empty group": new AggregateError([], LONG),
  "a recursion limit of LangGraph": named("GraphRecursionError"),
  "a text": LONG,
};

const shaper = new Shaper({ maxTokens: 300 });
const adapter = new Adapter({ maxTokens: 300 }, { onReceipt: () => {} });
const plan = adapter.plan({ name: "refund", inputSchema: { type: "object", properties: {} } });
const run = (error) =>
  adapter.run(plan, {}, { client: undefined, context: {} }, () => {
    throw error;
  });

for (const [name, error] of Object.entries(PASSING)) {
  test(`${name} passes`, async () => {
    assert.equal(shaper.thrownResult(error), null);
    await assert.rejects(run(error), (thrown) => thrown === error);
  });
}

for (const [name, error] of Object.entries(SHAPED)) {
  test(`${name} is a result`, async () => {
    assert.equal(shaper.thrownResult(error)?.isError, true);
    assert.equal((await run(error)).isError, true);
  });
}

test("a server that answers with an error of MCP is heard by its client, with the code and the data", async () => {
  const server = new Server({ name: "low", version: "1" }, { capabilities: { tools: {} } });
  shapeServer(server, { maxTokens: 300 }, { onReceipt: () => {} });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    throw params.name === "protocol" ? new McpError(-32001, LONG, { retry: 1 }) : new Error(LONG);
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1({ name: "c", version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  await assert.rejects(client.callTool({ name: "protocol" }), { code: -32001, data: { retry: 1 } });
  assert.equal((await client.callTool({ name: "failure" })).isError, true);
  await client.close();
});
