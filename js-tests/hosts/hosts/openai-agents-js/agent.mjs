import { Agent, MCPServerStdio, OpenAIProvider, Runner } from "@openai/agents";

const servers = Object.entries(JSON.parse(process.env.MCP_SERVERS));
const mcpServers = servers.map(([name, { command, args }]) => new MCPServerStdio({ name, command, args }));
for (const server of mcpServers) await server.connect();
const agent = new Agent({ name: "agent", instructions: "go", model: "gpt-5.1", mcpServers });
const modelProvider = new OpenAIProvider({ apiKey: "x", baseURL: `${process.env.MODEL_URL}/v1` });
const { finalOutput } = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, "go", { maxTurns: 60 });
console.log(finalOutput);
for (const server of mcpServers) await server.close();
