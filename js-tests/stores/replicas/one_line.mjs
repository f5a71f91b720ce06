/**
 * One replica of a server that is shaped by one line, in TypeScript's SDK v2: stateless, over HTTP on loopback, its results
 * in Redis where an address is given, and otherwise in its own memory, as by default.
 *
 * Every replica returns the same. Prints its port once it listens. Usage: one_line.mjs <name> [<address of Redis>]
 */
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { shapeServer } from "toolshape/mcp";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import * as z from "zod";
import { events } from "./material.mjs";

const [, url] = process.argv.slice(2);
const options = url && {
  store: new UnstorageStore(createStorage({ driver: redisDriver({ url, base: "toolshape" }) })),
};

function newServer() {
  const server = shapeServer(
    new McpServer({ name: "replica", version: "1.0.0" }),
    { maxTokens: 1500 },
    { onReceipt() {}, ...options },
  );
  server.registerTool("list_events", { inputSchema: z.strictObject({ topic: z.string() }) }, ({ topic }) => ({
    content: [{ type: "text", text: JSON.stringify(events(topic, "any replica", 1)) }],
  }));
  return server;
}

const server = createServer(toNodeHandler(createMcpHandler(newServer)));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
