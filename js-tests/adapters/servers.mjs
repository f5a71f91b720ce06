// The same tools on a server of each SDK: node servers.mjs <sdk> <stdio|http> <shaped|naive|bare>

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { FastMCP } from "fastmcp";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";
import { freePort } from "./ports.mjs";
import { POLICY } from "./table.mjs";
import { authorize, TOOLS, TOOLS_OF_2026 } from "./tools.mjs";

const INFO = { name: "rows", version: "1.0.0" };

function noReceipt() {
  throw new Error("nobody wants it");
}

/** The options of the line in addition to the policy, by kind of server. */
const OPTIONS = { shaped: { summarize: true, authorize }, bare: { store: null, onReceipt: noReceipt } };

/** The official SDKs ask for progress in a notification. */
const reporter = (notify, _meta) => async (progress) => {
  const progressToken = _meta?.progressToken;
  if (progressToken !== undefined)
    await notify({ method: "notifications/progress", params: { progressToken, progress, total: 2 } });
};

const configOf = ({ name, about, input, output }) => ({
  description: name,
  ...about,
  inputSchema: input,
  outputSchema: output,
});

function v2(how) {
  const server = new McpServer(INFO, { capabilities: { tools: {} } });
  if (OPTIONS[how]) shapeServer(server, POLICY, OPTIONS[how]);
  for (const tool of [...TOOLS, ...TOOLS_OF_2026]) {
    server.registerTool(tool.name, configOf(tool), async (...given) => {
      const { mcpReq } = given.at(-1);
      const context = { report: reporter(mcpReq.notify, mcpReq._meta), answers: mcpReq.inputResponses };
      return tool.run(tool.input ? given[0] : {}, context);
    });
  }
  return server;
}

function v1(how) {
  const server = new McpServerV1(INFO, { capabilities: { tools: {} } });
  if (OPTIONS[how]) shapeServer(server, POLICY, OPTIONS[how]);
  for (const tool of TOOLS) {
    server.registerTool(tool.name, configOf(tool), async (...given) => {
      const { sendNotification, _meta } = given.at(-1);
      return tool.run(tool.input ? given[0] : {}, { report: reporter(sendNotification, _meta) });
    });
  }
  return server;
}

function fastmcp(how) {
  const server = new FastMCP(INFO);
  if (OPTIONS[how]) fast.shapeServer(server, POLICY, OPTIONS[how]);
  for (const { name, about = {}, input, output, run } of TOOLS) {
    const { title, annotations, ...rest } = about;
    server.addTool({
      name,
      description: name,
      ...rest,
      ...(annotations && { annotations: { title, ...annotations } }),
      parameters: input,
      outputSchema: output,
      execute: async (args, { reportProgress }) =>
        run(args ?? {}, { report: (progress) => reportProgress({ progress, total: 2 }) }),
    });
  }
  return server;
}

const SERVE = {
  v2: {
    stdio: (how) => serveStdio(() => v2(how)),
    http: (how) => {
      const handler = createMcpHandler(() => v2(how));
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
    stdio: (how) => v1(how).connect(new StdioServerTransport()),
    http: (how) => {
      const sessions = new Map();
      listen(async (request, response) => {
        const known = sessions.get(request.headers["mcp-session-id"]);
        const transport =
          known ??
          new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (id) => sessions.set(id, transport),
          });
        if (!known) await v1(how).connect(transport);
        await transport.handleRequest(request, response);
      });
    },
  },
  "ts-fastmcp": {
    stdio: (how) => fastmcp(how).start({ transportType: "stdio" }),
    http: async (how) => {
      const port = await freePort();
      console.log = console.error;
      await fastmcp(how).start({ transportType: "httpStream", httpStream: { port } });
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
  // A client that is busy for a while would else write to a connection that was closed meanwhile.
  server.keepAliveTimeout = 0;
  server.listen(0, () => process.stdout.write(`http://localhost:${server.address().port}/mcp\n`));
}

const [sdk, transport, how] = process.argv.slice(2);
await SERVE[sdk][transport](how);
