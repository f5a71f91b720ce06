// The same tools on a server of each SDK: node servers.mjs <sdk> <stdio|http> <shaped|naive>

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { FastMCP } from "fastmcp";
import * as fast from "toolshape/fastmcp";
import { MemoryStore } from "toolshape";
import { shapeServer } from "toolshape/mcp";
import { POLICY, QUESTION, SUMMARIZER, TOOLS } from "./tools.mjs";

const INFO = { name: "rows", version: "1.0.0" };
/** Of the process, since a server over HTTP is made for every request. */
const OPTIONS = { store: new MemoryStore(), summarize: SUMMARIZER };

export function v2(isShaped) {
  const server = new McpServer(INFO, { capabilities: { tools: {} } });
  if (isShaped) shapeServer(server, POLICY, OPTIONS);
  for (const { name, input, output, run } of [...TOOLS, QUESTION]) {
    const config = { description: name, inputSchema: input, outputSchema: output };
    server.registerTool(name, config, async (args) => run(input ? args : {}));
  }
  return server;
}

export function v1(isShaped) {
  const server = new McpServerV1(INFO, { capabilities: { tools: {} } });
  if (isShaped) shapeServer(server, POLICY, OPTIONS);
  for (const { name, input, output, run } of TOOLS) {
    const config = { description: name, inputSchema: input, outputSchema: output };
    server.registerTool(name, config, async (args) => run(input ? args : {}));
  }
  return server;
}

export function fastmcp(isShaped) {
  const server = new FastMCP(INFO);
  if (isShaped) fast.shapeServer(server, POLICY, OPTIONS);
  for (const { name, input, output, run } of TOOLS) {
    server.addTool({ name, description: name, parameters: input, outputSchema: output, execute: async (args) => run(args ?? {}) });
  }
  return server;
}

const SERVE = {
  v2: {
    stdio: (isShaped) => serveStdio(() => v2(isShaped)),
    http: (isShaped) => {
      const handler = createMcpHandler(() => v2(isShaped));
      listen(async (request, response) => {
        const { method, headers } = request;
        const body = method === "POST" ? Readable.toWeb(request) : undefined;
        const url = `http://${headers.host}${request.url}`;
        const answer = await handler.fetch(new Request(url, { method, headers, body, duplex: "half" }));
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body) Readable.fromWeb(answer.body).pipe(response);
        else response.end();
      });
    },
  },
  v1: {
    stdio: (isShaped) => v1(isShaped).connect(new StdioServerTransport()),
    http: (isShaped) =>
      listen(async (request, response) => {
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        await v1(isShaped).connect(transport);
        await transport.handleRequest(request, response);
      }),
  },
  fastmcp: {
    stdio: (isShaped) => fastmcp(isShaped).start({ transportType: "stdio" }),
    http: async (isShaped) => {
      const port = await freePort();
      console.log = console.error;
      await fastmcp(isShaped).start({ transportType: "httpStream", httpStream: { port, stateless: true } });
      process.stdout.write(`http://localhost:${port}/mcp\n`);
    },
  },
};

function listen(handle) {
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  server.listen(0, () => process.stdout.write(`http://localhost:${server.address().port}/mcp\n`));
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const [sdk, transport, how] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) await SERVE[sdk][transport](how === "shaped");
