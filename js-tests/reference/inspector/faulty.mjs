// A server whose one tool has a schema of which the Inspector finds fault.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "faulty", version: "1.0.0" }, { capabilities: { tools: {} } });
const inputSchema = { type: "object", properties: { anything: true } };
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "faulty", description: "is faulty", inputSchema }],
}));
await server.connect(new StdioServerTransport());
