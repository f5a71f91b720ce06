// A server for MCP's conformance tests: node server.mjs <v1|v2|modern> <naive|shaped|stdio>. On both SDKs over streamable HTTP
// with sessions, and on v2 as 2026-07-28 has it, without. Prints its address, unless it is naive over stdio.

import { randomUUID } from "node:crypto";
import { completable as completableV1 } from "@modelcontextprotocol/sdk/server/completable.js";
import { StdioServerTransport as StdioV1 } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  McpServer as McpServerV1,
  ResourceTemplate as ResourceTemplateV1,
} from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as TransportV1 } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ResultSchema, SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
  completable,
  createMcpHandler,
  fromJsonSchema,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { MemoryStore } from "toolshape";
import { shapeServer } from "toolshape/mcp";
import * as z from "zod";
import { listen } from "../listen.mjs";
import { ASKING_PROMPT, QUESTIONS, STATES } from "./questions.mjs";
import { NEWER_SCHEMA, PROMPTS, RESOURCES, TEMPLATE, TOOLS } from "./tools.mjs";

/** What differs from one SDK to the other. */
const SDKS = {
  v1: {
    Server: McpServerV1,
    Template: ResourceTemplateV1,
    Transport: TransportV1,
    Stdio: StdioV1,
    completable: completableV1,
    shape: (fields) => fields,
    // McpServer of v1 takes zod alone and lists it as draft 7, so the newer words are not to be had.
    newer: (server) =>
      server.registerTool(
        "json_schema_2020_12_tool",
        { description: "takes newer words", inputSchema: z.looseObject({ name: z.string().optional() }) },
        answered,
      ),
    subscribe: [SubscribeRequestSchema, UnsubscribeRequestSchema],
    client: ({ sendNotification, sendRequest, _meta, closeSSEStream }) => ({
      notify: (method, params) => sendNotification({ method, params }),
      ask: (method, params) => sendRequest({ method, params }, ResultSchema),
      progressToken: _meta?.progressToken,
      hangUp: () => closeSSEStream?.(),
    }),
  },
  v2: {
    Server: McpServer,
    Template: ResourceTemplate,
    Transport: WebStandardStreamableHTTPServerTransport,
    Stdio: StdioServerTransport,
    completable,
    shape: (fields) => z.object(fields),
    newer: (server) =>
      server.registerTool(
        "json_schema_2020_12_tool",
        { description: "takes newer words", inputSchema: fromJsonSchema(NEWER_SCHEMA) },
        answered,
      ),
    subscribe: ["resources/subscribe", "resources/unsubscribe"],
    client: ({ mcpReq: { notify, send, _meta }, http }) => ({
      notify: (method, params) => notify({ method, params }),
      ask: (method, params) => send({ method, params }),
      progressToken: _meta?.progressToken,
      hangUp: () => http?.closeSSE?.(),
    }),
  },
};

const answered = () => ({ content: [{ type: "text", text: "taken" }] });
const STORE = new MemoryStore();

function make(sdk, isShaped, isModern = false) {
  const { Server, Template, completable, shape, newer, subscribe, client } = sdk;
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    { capabilities, ...(isModern && { requestState: STATES }) },
  );
  if (isShaped) shapeServer(server, {}, { store: STORE });
  if (isModern) addQuestions(server);
  for (const { name, input, run } of TOOLS) {
    server.registerTool(name, { description: name, inputSchema: input }, async (args, context) => ({
      content: await run(args, client(context)),
    }));
  }
  newer(server);
  const words = (start) => ["paris", "park", "party"].filter((word) => word.startsWith(start));
  for (const { name, args = [], get } of PROMPTS) {
    const fields = Object.fromEntries(args.map((arg) => [arg, completable(z.string(), words)]));
    const config = { description: name, ...(args.length > 0 && { argsSchema: shape(fields) }) };
    server.registerPrompt(name, config, (args) => ({ messages: get(args) }));
  }
  for (const { uri, ...content } of RESOURCES) {
    const { mimeType } = content;
    server.registerResource(uri.slice(7), uri, { description: uri, mimeType }, () => ({
      contents: [{ uri, ...content }],
    }));
  }
  const { uri, mimeType, read } = TEMPLATE;
  server.registerResource(
    "template",
    new Template(uri, { list: undefined }),
    { description: uri, mimeType },
    ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType, text: read(id) }],
    }),
  );
  for (const method of subscribe) server.server.setRequestHandler(method, () => ({}));
  return server;
}

/** What 2026-07-28 has instead of requests from the server. */
function addQuestions(server) {
  for (const { name, input, run } of QUESTIONS) {
    server.registerTool(name, { description: name, inputSchema: input }, (_, { mcpReq }) =>
      run(mcpReq, server.server.getClientCapabilities() ?? {}, modern.notify),
    );
  }
  server.registerPrompt(ASKING_PROMPT.name, { description: ASKING_PROMPT.name }, ({ mcpReq }) =>
    ASKING_PROMPT.get(mcpReq),
  );
}

/** Messages of streams, so that a client that comes back gets what it missed. */
class Events {
  #events = [];

  async storeEvent(streamId, message) {
    return String(this.#events.push({ streamId, message }));
  }

  async replayEventsAfter(id, { send }) {
    const { streamId } = this.#events[Number(id) - 1];
    for (const [at, event] of this.#events.entries()) {
      if (at >= Number(id) && event.streamId === streamId) await send(String(at + 1), event.message);
    }
    return streamId;
  }
}

const [name, how] = process.argv.slice(2);
const sessions = new Map();

const modern = createMcpHandler(() => make(SDKS.v2, how === "shaped", true));

async function answer(request, host) {
  if (name === "modern")
    return hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? modern.fetch(request);
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
  const transport = new SDKS[name].Transport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: 500,
    enableDnsRebindingProtection: true,
    allowedHosts: [host, host.replace("localhost", "127.0.0.1")],
    allowedOrigins: [`http://${host}`, `http://${host.replace("localhost", "127.0.0.1")}`],
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await make(SDKS[name], how === "shaped").connect(transport);
  return transport.handleRequest(request);
}

if (how === "stdio") {
  if (name === "modern") serveStdio(() => make(SDKS.v2, false, true));
  else await make(SDKS[name], false).connect(new SDKS[name].Stdio());
}

if (how !== "stdio") listen(answer);
