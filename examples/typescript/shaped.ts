/** The articles over stdio. `naive.ts` and `shaped.ts` differ by one line, and by what it imports. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { shapeServer } from "toolshape/mcp";
import { openArticles } from "./articles.js";
import { policy } from "./policy.js";
import { addTools } from "./tools.js";

const server = new McpServer({ name: "articles", version: "1.0.0" });
shapeServer(server, policy, { summarize: true });
addTools(server, await openArticles(process.argv[2] ?? "articles.db"));
await server.connect(new StdioServerTransport());
