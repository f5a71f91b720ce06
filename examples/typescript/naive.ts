/** An MCP server as one writes it at first: what the database gives is what the model has to read. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { openArticles } from "./articles.js";

const articles = await openArticles(process.argv[2] ?? "articles.db");
const server = new McpServer({ name: "articles", version: "1.0.0" });

function answer(value: unknown) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
}

server.registerTool(
  "list_articles",
  { description: "Lists the published articles, the newest first", inputSchema: z.object({}) },
  async () => answer(articles.published()),
);

server.registerTool(
  "get_article",
  { description: "Opens one article", inputSchema: z.object({ slug: z.string() }) },
  async ({ slug }) => answer(articles.get(slug) ?? { error: "NOT_FOUND", slug }),
);

server.registerTool(
  "search",
  { description: "Finds articles whose text has the words of the query", inputSchema: z.object({ query: z.string() }) },
  async ({ query }) => answer(articles.search(query)),
);

server.registerTool(
  "weather",
  { description: "The weather of Seattle from 2012 to 2015, day by day", inputSchema: z.object({}) },
  async () => answer(articles.weather()),
);

server.registerTool(
  "sweep",
  { description: "How a trading rule did with each pair of its two parameters", inputSchema: z.object({}) },
  async () => answer(articles.sweep()),
);

await server.connect(new StdioServerTransport());
