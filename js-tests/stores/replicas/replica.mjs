/**
 * One replica of the server, in TypeScript's SDK v2: stateless, over HTTP on loopback, its results in Redis.
 *
 * What its tools return names the replica and counts its runs, so that nobody else ever returns the same.
 * Prints its port once it listens. Usage: replica.mjs <name> <address of Redis>
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { Archive, readResultTool, Shaper } from "toolshape";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import * as z from "zod";
import { events, lines } from "./material.mjs";

const [name, url] = process.argv.slice(2);
const policy = JSON.parse(readFileSync(new URL("policy.json", import.meta.url), "utf8"));
const storage = createStorage({ driver: redisDriver({ url, base: "toolshape" }) });
const archive = new Archive(new Shaper(policy), new UnstorageStore(storage));
let runs = 0;

const TOOLS = {
  list_events: (topic) => events(topic, name, ++runs),
  report: (topic) => ({ topic, madeBy: name, events: events(topic, name, ++runs) }),
  log: (topic) => lines(topic, name, ++runs),
};

function newServer({ requestInfo }) {
  const server = new McpServer({ name: "replica", version: "1.0.0" });
  const scope = requestInfo.headers.get("x-tenant");
  const answer = ({ text, isError }) => ({
    content: [{ type: "text", text }],
    isError,
    _meta: { "tests/replica": name },
  });
  const inputSchema = z.object({ topic: z.string(), pageSize: z.int().optional(), cursor: z.string().optional() });
  for (const [tool, run] of Object.entries(TOOLS)) {
    server.registerTool(tool, { inputSchema }, async (args) => {
      const call = { tool, arguments: args, scope };
      return answer((await archive.snapshot(call)) ?? (await archive.shape(run(args.topic), call)));
    });
  }
  const { name: tool, description, inputSchema: read } = readResultTool();
  server.registerTool(tool, { description, inputSchema: fromJsonSchema(read) }, async (args) =>
    answer(await archive.readResult(args, { scope })),
  );
  return server;
}

const handler = createMcpHandler(newServer);
const server = createServer(toNodeHandler(handler));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
