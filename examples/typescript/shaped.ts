/** The server of naive.ts with toolshape in it: compare the two files to see all that it takes. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Shaper, type Shaped } from "toolshape";
import * as z from "zod";
import { openArticles } from "./articles.js";

const articles = await openArticles(process.argv[2] ?? "articles.db");
const server = new McpServer({ name: "articles", version: "1.0.0" });

const shaper = new Shaper({
  maxTokens: 2000,
  tools: {
    list_articles: { maxTokens: 1400, pageSize: 20, fields: ["title", "slug", "updated", "tags"] },
    search: { fields: ["title", "slug", "summary"] },
    weather: { series: { value: "temp_max", at: "date" } },
    sweep: { grid: { x: "fast", y: "slow", value: "score", feasible: "feasible" } },
  },
});

// What a caller may ask of the shaper, beside the tool's own arguments.
const controls = {
  pageSize: z.int().optional(),
  cursor: z.string().optional(),
  fields: z.array(z.string()).optional(),
};

// Of a series or a grid a summary comes first.
const output = z.enum(["summary", "full"]).default("summary");

function answer(shaped: Shaped) {
  return {
    content: [{ type: "text" as const, text: shaped.text }],
    isError: shaped.isError,
    _meta: { "toolshape/receipt": shaped.receipt },
  };
}

server.registerTool(
  "list_articles",
  { description: "Lists the published articles, the newest first", inputSchema: z.object(controls) },
  async (args) => {
    const call = { tool: "list_articles", arguments: args };
    try {
      const limit = shaper.pageSize(call);
      const rows = articles.publishedAfter(shaper.decodeKeyset(args.cursor, call), limit + 1);
      return answer(shaper.keysetPage(rows, { keys: [{ name: "updated", order: "desc" }, "id"], limit }, call));
    } catch (error) {
      const refusal = shaper.refusal(error, call);
      if (refusal === null) throw error;
      return answer(refusal);
    }
  },
);

server.registerTool(
  "get_article",
  { description: "Opens one article", inputSchema: z.object({ slug: z.string(), ...controls }) },
  async (args) => {
    const article = articles.get(args.slug) ?? { error: "NOT_FOUND", slug: args.slug };
    return answer(shaper.shape(article, { tool: "get_article", arguments: args }));
  },
);

server.registerTool(
  "search",
  {
    description: "Finds articles whose text has the words of the query",
    inputSchema: z.object({ query: z.string(), page: z.int().optional(), ...controls }),
  },
  async (args) => answer(shaper.shape(articles.search(args.query), { tool: "search", arguments: args })),
);

server.registerTool(
  "weather",
  {
    description: "The weather of Seattle from 2012 to 2015, day by day",
    inputSchema: z.object({ output, ...controls }),
  },
  async (args) => answer(shaper.shape(articles.weather(), { tool: "weather", arguments: args })),
);

server.registerTool(
  "sweep",
  {
    description: "How a trading rule did with each pair of its two parameters",
    inputSchema: z.object({ output, ...controls }),
  },
  async (args) => answer(shaper.shape(articles.sweep(), { tool: "sweep", arguments: args })),
);

await server.connect(new StdioServerTransport());
