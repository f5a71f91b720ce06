/**
 * A listing that asks the database for one page at a time, by its sort keys: whatever others insert and delete
 * meanwhile, each row comes once. Here the tool itself calls toolshape, and says how it is to be called.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Shaper, type Shaped } from "toolshape";
import * as z from "zod";
import { openArticles } from "./articles.js";

const articles = await openArticles(process.argv[2] ?? "articles.db");
const server = new McpServer({ name: "articles", version: "1.0.0" });
const shaper = new Shaper({ fields: ["id", "title", "slug", "updated", "tags"] });

server.registerTool(
  "list_articles",
  {
    description: "Lists the published articles, the newest first",
    inputSchema: z.object({
      pageSize: z.int().optional(),
      cursor: z.string().optional(),
      fields: z.array(z.string()).optional(),
    }),
  },
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

function answer({ text, isError }: Shaped) {
  return { content: [{ type: "text" as const, text }], isError };
}

await server.connect(new StdioServerTransport());
