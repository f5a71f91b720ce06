// A server of each SDK with the adapter, and a client of it, in this process: for what a tool throws here.

import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";
import { freePort } from "./ports.mjs";

const INFO = { name: "server", version: "1.0.0" };
const onReceipt = () => {};

async function linked(Server, client, [ours, theirs], policy, tools, given = {}) {
  const { name: own = INFO.name, before, after, isNaive, ...options } = given;
  const server = new Server({ ...INFO, name: own });
  before?.(server);
  if (!isNaive) shapeServer(server, policy, { onReceipt, ...options });
  after?.(server);
  for (const { name, inputSchema, outputSchema, run } of tools) {
    server.registerTool(name, { description: name, inputSchema, outputSchema }, inputSchema ? run : () => run({}));
  }
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  return { client, close: () => client.close() };
}

/**
 * By SDK: from a policy, tools (`name`, `inputSchema`, `outputSchema`, `run`) and options to a client and how to end it.
 * `before` and `after` do something with the server before and after the line; with `isNaive` there is no line. `name` is the
 * server's.
 */
export const inProcess = {
  v2: (...given) => linked(McpServer, new Client(INFO), InMemoryTransport.createLinkedPair(), ...given),
  v1: (...given) => linked(McpServerV1, new ClientV1(INFO), InMemoryV1.createLinkedPair(), ...given),
  "ts-fastmcp": async (policy, tools, { name: own = INFO.name, before, after, isNaive, ...options } = {}) => {
    const server = new FastMCP({
      ...INFO,
      name: own,
      logger: { debug() {}, error() {}, info() {}, log() {}, warn() {} },
    });
    before?.(server);
    if (!isNaive) fast.shapeServer(server, policy, { onReceipt, ...options });
    after?.(server);
    for (const { name, inputSchema, outputSchema, run } of tools) {
      server.addTool({
        name,
        description: name,
        parameters: inputSchema,
        outputSchema,
        execute: (args) => run(args ?? {}),
      });
    }
    const port = await freePort();
    await server.start({ transportType: "httpStream", httpStream: { port } });
    const client = new ClientV1(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`)));
    return {
      client,
      close: async () => {
        await client.close();
        await server.stop();
      },
    };
  },
};
