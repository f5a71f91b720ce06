import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const client = new MCPClient({ servers: JSON.parse(process.env.MCP_SERVERS), timeout: 60_000 });
const tools = await (client.listTools ?? client.getTools).call(client);
const model = { id: "fake/fake", url: `${process.env.MODEL_URL}/v1`, apiKey: "x" };
const agent = new Agent({ id: "agent", name: "agent", instructions: "go", model, tools });
console.log((await agent.generate("go", { maxSteps: 60 })).text);
process.exit(0);
