// A server that does what few do: it pages its tools, has a method and a notification of its own, says more of results and of
// itself than the protocol names, and reports which calls were cancelled.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";

const capabilities = { tools: {}, experimental: { "example/greet": { version: 2 } } };
const server = new Server(
  { name: "odd", version: "1.0.0", title: "An odd server" },
  { capabilities, instructions: "Greet first." },
);

const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const names = [...Array.from({ length: 12 }, (_, at) => `tool_${at}`), "with_meta", "slow", "was_cancelled"];
const PAGE = 5;
const cancelled = [];

server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const from = Number(params?.cursor ?? 0);
  const tools = names.slice(from, from + PAGE).map((name) => ({
    name,
    title: `The tool ${name}`,
    description: `does ${name}`,
    inputSchema,
    annotations: { readOnlyHint: true, "example/cost": 3 },
    _meta: { "example/color": "green" },
  }));
  return {
    tools,
    ...(from + PAGE < names.length && { nextCursor: String(from + PAGE) }),
    _meta: { "example/total": names.length },
  };
});

const text = (text) => ({ content: [{ type: "text", text }] });
const TOOLS = {
  with_meta: (_, { _meta }) => ({
    content: [
      {
        type: "text",
        text: "has more about it",
        annotations: { priority: 0.5 },
        _meta: { "example/source": "a table" },
      },
    ],
    _meta: { "example/asked": Object.keys(_meta ?? {}), "example/cost": { tokens: 3 } },
    "example/neighbour": [1, 2.5],
  }),
  slow: (_, { signal }) =>
    new Promise((resolve) => {
      const done = setTimeout(() => resolve(text("done")), 1500);
      signal.addEventListener("abort", () => {
        clearTimeout(done);
        cancelled.push(String(signal.reason?.message ?? signal.reason));
        resolve(text("cancelled"));
      });
    }),
  was_cancelled: () => text(JSON.stringify(cancelled)),
};
server.setRequestHandler(
  CallToolRequestSchema,
  ({ params: { name, arguments: args } }, extra) => TOOLS[name]?.(args, extra) ?? text(`${name}: ${args?.text}`),
);

const method = (name, params) => z.object({ method: z.literal(name), params: z.looseObject(params).optional() });
server.setRequestHandler(method("example/greet", {}), ({ params }) => ({
  greeting: `Hello, ${params.name}!`,
  "example/mood": "good",
}));
server.setRequestHandler(method("example/notify", {}), async () => {
  await server.notification({ method: "notifications/example/notified", params: { what: "a secret" } });
  return {};
});
await server.connect(new StdioServerTransport());
