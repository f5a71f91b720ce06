import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const servers = Object.entries(JSON.parse(process.env.MCP_SERVERS));
const mcpServers = Object.fromEntries(servers.map(([name, server]) => [name, { transport: "stdio", ...server }]));
const client = new MultiServerMCPClient({ mcpServers });
const model = new ChatOpenAI({
  model: "gpt-4.1",
  apiKey: "x",
  configuration: { baseURL: `${process.env.MODEL_URL}/v1` },
});
const agent = createAgent({ model, tools: await client.getTools() });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { recursionLimit: 200 });
console.log(messages.at(-1).content);
await client.close();
