// A server behind the gateway, on both SDKs: at /sessions as 2025-11-25 has it, at /modern as 2026-07-28 does. Prints its port.
// With `older` or `newer` it is a server on standard input.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** The rows of a topic, as JSON. */
const rowsOf = (topic, count) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, topic, note: `note ${id} of ${topic}` })));
const text = (text) => ({ content: [{ type: "text", text }] });

/** The tools; `shape` is how the SDK takes schemas, and `progress` how it says that it is working. */
function addTools(server, shape, progress) {
  const listed = shape({ topic: z.string(), count: z.number().default(400) });
  server.registerTool("list_rows", { inputSchema: listed }, ({ topic, count }) => text(rowsOf(topic, count)));
  server.registerTool("small", { inputSchema: shape({}) }, () => text("few words"));
  server.registerTool("slow", { inputSchema: shape({ topic: z.string() }) }, async ({ topic }, context) => {
    for (let done = 1; done <= 3; done++) {
      await progress(context, done);
      await sleep(100);
    }
    return text(rowsOf(topic, 400));
  });
  server.registerTool("wait", { inputSchema: shape({}) }, async (_, context) => {
    const signal = context.signal ?? context.mcpReq.signal;
    await sleep(60_000, undefined, { signal }).catch(() => {});
    cancelled += Number(signal.aborted);
    return text("waited");
  });
  server.registerTool("cancelled", { inputSchema: shape({}) }, () => text(String(cancelled)));
}

let cancelled = 0;

/** A server of the older SDK, which also asks its client, and changes its list of tools. */
function older() {
  const server = new McpServerV1({ name: "rows", version: "1.0.0" });
  addTools(
    server,
    (fields) => fields,
    ({ sendNotification, _meta }, progress) =>
      sendNotification({
        method: "notifications/progress",
        params: { progressToken: _meta?.progressToken ?? 0, progress },
      }),
  );
  server.registerTool("ask", { inputSchema: {} }, async () => {
    const params = { messages: [{ role: "user", content: { type: "text", text: "how many?" } }], maxTokens: 10 };
    const { content } = await server.server.createMessage(params);
    return text(`the model says ${content.text}`);
  });
  server.registerTool("change", { inputSchema: {} }, () => {
    server.registerTool(`new_${randomUUID().slice(0, 8)}`, { inputSchema: {} }, () => text("new"));
    return text("changed");
  });
  return server;
}

function newer() {
  const server = new McpServer({ name: "rows", version: "1.0.0" });
  addTools(
    server,
    (fields) => z.object(fields),
    ({ mcpReq: { notify, _meta } }, progress) =>
      notify({ method: "notifications/progress", params: { progressToken: _meta?.progressToken ?? 0, progress } }),
  );
  return server;
}

const sessions = new Map();

async function inSession(request, response) {
  const id = request.headers["mcp-session-id"];
  if (id !== undefined) {
    const transport = sessions.get(id);
    return transport === undefined ? response.writeHead(404).end() : transport.handleRequest(request, response);
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await older().connect(transport);
  return transport.handleRequest(request, response);
}

const modern = toNodeHandler(createMcpHandler(newer));
const server = createServer((request, response) =>
  request.url.startsWith("/modern") ? modern(request, response) : inSession(request, response),
);
const asked = process.argv[2] ?? "0";
if (asked === "older") await older().connect(new StdioServerTransport());
else if (asked === "newer") serveStdio(newer);
else server.listen(Number(asked), "127.0.0.1", () => console.log(server.address().port));
