// server.mjs probe|second [--shape [--store=FOLDER]]: one of the two servers of a run, naive or with the one line. A host that
// starts a process for each call needs a store that lasts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { articles, events, issues, lines, log, PNG, tickets } from "./data.mjs";

const [, , name, ...flags] = process.argv;
const server = new McpServer({ name, version: "1.0.0" });
const folder = flags.find((flag) => flag.startsWith("--store="))?.slice("--store=".length);
const store = folder && new (await import("toolshape/file-store")).FileStore(folder);
if (flags.includes("--shape")) {
  const options = JSON.parse(readFileSync(join(import.meta.dirname, "toolshape.json"), "utf8"));
  (await import("toolshape/mcp")).shapeServer(server, options, store ? { store } : {});
}

const text = (value) => ({ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const link = { type: "resource_link", uri: "probe://linked", name: "LINK-NAME", description: "LINK-DESCRIPTION" };

function tool(tool, description, inputSchema, run, more = {}) {
  server.registerTool(tool, { description, inputSchema, annotations: { readOnlyHint: true }, ...more }, run);
}

const PROBE = () => {
  tool("list_articles", "Lists all articles.", { query: z.string().optional() }, () => ({
    content: [text(articles())],
  }));
  const row = z.object({ id: z.number(), title: z.string(), state: z.string() });
  const typed = { outputSchema: { items: z.array(row), total: z.number() } };
  tool(
    "list_tickets",
    "Lists all tickets.",
    {},
    () => {
      const result = { items: tickets(), total: tickets().length };
      return { content: [text(result)], structuredContent: result };
    },
    typed,
  );
  tool("list_events", "Lists all events.", {}, () => ({ content: [text(events())] }));
  tool("build_log", "The log of the last build.", {}, () => ({ content: [text(log())] }));
  tool("screenshot", "A picture, and the articles in it.", {}, () => ({ content: [text(articles(60)), image] }));
  tool("get_article", "One article by its id.", { id: z.number() }, ({ id }) => {
    const found = articles(800)[id];
    return found ? { content: [text(found)] } : { content: [text(`there is no article ${id}`)], isError: true };
  });
  // What a host shows.
  tool("numbers", "Three numbers.", {}, () => ({ content: [text([1, 2, 3])] }));
  tool("sized", "A text of that many characters.", { length: z.number() }, ({ length }) => ({
    content: [text(lines(length))],
  }));
  tool("quoted", "A text with a quotation mark.", {}, () => ({ content: [text('a "quoted" word')] }));
  tool(
    "channels",
    "Something in each channel.",
    {},
    () => ({
      content: [text("IN-CONTENT")],
      structuredContent: { from: "IN-STRUCTURED" },
      _meta: { "probe/from": "IN-META" },
    }),
    { outputSchema: { from: z.string() } },
  );
  tool(
    "beside",
    "A picture and a link next to structured content.",
    {},
    () => ({
      content: [text("IN-CONTENT"), link, image],
      structuredContent: { from: "IN-STRUCTURED" },
    }),
    { outputSchema: { from: z.string() } },
  );
  tool("linked", "A text and a link.", {}, () => ({ content: [text("IN-CONTENT"), link] }));
};

const SECOND = () => tool("list_issues", "Lists issues.", {}, () => ({ content: [text(issues())] }));

(name === "probe" ? PROBE : SECOND)();
await server.connect(new StdioServerTransport());
