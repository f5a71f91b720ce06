/** The tools of the articles, as one writes them at first: what the database gives is what the model has to read. */
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Articles } from "./articles.js";

export function addTools(server: McpServer, articles: Articles) {
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
    {
      description: "Finds articles whose text has the words of the query",
      inputSchema: z.object({ query: z.string() }),
    },
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
}

function answer(value: unknown) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
}
