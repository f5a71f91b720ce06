/**
 * A server of each SDK with one tool. Only what such a server needs is loaded, because its start is measured.
 *
 * Usage: servers.mjs <sdk> <stdio | http> <one of HOW>; over HTTP it prints its address.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import * as z from "zod";
import { BUDGET } from "../handlers.mjs";
import { NAME, OPTIONS, toolOf } from "./tool.mjs";

const [sdk, transport, how] = process.argv.slice(2);
const INFO = { name: "orders", version: "1.0.0" };
const INPUT = { count: z.int(), version: z.int() };
const tool = await toolOf(how);

/** The one line, if this server has it. */
async function line(entry) {
  if (!OPTIONS[how]) return () => {};
  const { shapeServer } = await import(entry);
  return (server) => shapeServer(server, { maxTokens: BUDGET }, OPTIONS[how]);
}

async function v2() {
  const { McpServer, createMcpHandler } = await import("@modelcontextprotocol/server");
  const shape = await line("toolshape/mcp");
  const newServer = () => {
    const server = new McpServer(INFO);
    shape(server);
    server.registerTool(NAME, { description: "Lists orders", inputSchema: z.object(INPUT) }, tool);
    return server;
  };
  if (transport === "stdio") {
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    return serveStdio(newServer);
  }
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  return listen(toNodeHandler(createMcpHandler(newServer)));
}

async function v1() {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const shape = await line("toolshape/mcp");
  const newServer = () => {
    const server = new McpServer(INFO);
    shape(server);
    server.registerTool(NAME, { description: "Lists orders", inputSchema: INPUT }, tool);
    return server;
  };
  if (transport === "stdio") {
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
    return newServer().connect(new StdioServerTransport());
  }
  const { StreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const sessions = new Map();
  return listen(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    const session =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, session),
      });
    if (!known) await newServer().connect(session);
    await session.handleRequest(request, response);
  });
}

async function fastmcp() {
  const { FastMCP } = await import("fastmcp");
  const shape = await line("toolshape/fastmcp");
  const server = new FastMCP(INFO);
  shape(server);
  server.addTool({
    name: NAME,
    description: "Lists orders",
    parameters: z.object(INPUT),
    execute: async (args) => tool(args),
  });
  if (transport === "stdio") return server.start({ transportType: "stdio" });
  const port = await freePort();
  console.log = console.error;
  // It would keep the last 1,000 answers of each session for clients that come back, and that is most of its memory.
  await server.start({ transportType: "httpStream", httpStream: { port, eventStore: false } });
  return announce(port);
}

function listen(handle) {
  const server = createServer((request, response) => {
    handle(request, response)?.catch?.((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  // A client that is busy for a while would else write to a connection that was closed meanwhile.
  server.keepAliveTimeout = 0;
  server.listen(0, () => announce(server.address().port));
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function announce(port) {
  process.stdout.write(`http://localhost:${port}/mcp\n`);
}

await { "TypeScript SDK 2": v2, "TypeScript SDK 1": v1, "TypeScript fastmcp": fastmcp }[sdk]();
