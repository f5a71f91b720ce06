/**
 * A server whose tools cost something, over stdio; `answerTo` is the same over HTTP.
 *
 * Usage: surveyed_server.mjs [<name>]
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const rows = (from) => Array.from({ length: 300 }, (_, id) => ({ id: from + id, name: `row ${id}` }));
const TOOLS = [
  { name: "rows", description: "Lists rows", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  {
    name: "pretty",
    description: "word ".repeat(500),
    inputSchema: { type: "object", properties: { a: { type: "number" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "erase", inputSchema: { type: "object" } },
];
const RESULTS = {
  rows: () => ({ content: [{ type: "text", text: JSON.stringify(rows(0)) }], structuredContent: { rows: rows(0) } }),
  pretty: () => ({ content: [{ type: "text", text: JSON.stringify(rows(9000), null, 2) }] }),
  erase: ({ all }) => ({ content: [{ type: "text", text: `erased ${all}` }] }),
};

/** The result of a request; undefined for a notification. */
export function answerTo({ method, params }, name) {
  if (method === "initialize")
    return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name, version: "1" } };
  // In two pages.
  if (method === "tools/list")
    return params.cursor === "2" ? { tools: TOOLS.slice(2) } : { tools: TOOLS.slice(0, 2), nextCursor: "2" };
  if (method === "tools/call") return RESULTS[params.name](params.arguments);
  return undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const name = process.argv[2] ?? process.env.NAME_OF_SERVER ?? "surveyed";
  console.log("listening");
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    const result = answerTo(message, name);
    if (result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  }
}
