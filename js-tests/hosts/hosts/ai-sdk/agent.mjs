import { experimental_createMCPClient as createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";

const servers = Object.values(JSON.parse(process.env.MCP_SERVERS));
const clients = await Promise.all(servers.map((server) => createMCPClient({ transport: new StdioTransport(server) })));
const tools = Object.assign({}, ...(await Promise.all(clients.map((client) => client.tools()))));
const model = createOpenAICompatible({ name: "fake", baseURL: `${process.env.MODEL_URL}/v1`, apiKey: "x" })("fake");
console.log((await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(60) })).text);
for (const client of clients) await client.close();
