// The TypeScript that the pages show runs unchanged, with what it takes for granted around it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import * as toolshape from "toolshape";
import { shapeServer } from "toolshape/mcp";
import ts from "typescript";

const ROOT = process.env.TOOLSHAPE_ROOT ?? "../..";
const PAGES = [
  "README.md",
  "docs/adapters.md",
  "docs/lists.md",
  "docs/mcp.md",
  "docs/output.md",
  "docs/shapes.md",
  "docs/stores.md",
  "docs/text.md",
  "pkg-templates/README.md",
];
/** Snippets that need a platform that fetches modules, a folder of the machine or a Redis. */
const ELSEWHERE = /compileStreaming|FileStore|createStorage|createKeyv/;

const INFO = { name: "snippets", version: "1.0.0" };
const rows = Array.from({ length: 90 }, (_, id) => ({
  id,
  slug: `row-${id}`,
  title: `Row ${id}`,
  updated: `2026-01-${String(99 - id)}`,
  body: "word ".repeat(300),
}));
const after = (last, limit) => rows.slice(last === null ? 0 : last[1] + 1).slice(0, limit);

/** What snippets take for granted. */
const GIVEN = () => ({
  ...toolshape,
  server: new McpServer(INFO),
  fastmcp: new FastMCP(INFO),
  shapeServer,
  shaper: new toolshape.Shaper({ series: { value: "id" } }),
  policy: { maxTokens: 1000 },
  store: new toolshape.MemoryStore(),
  call: { tool: "list_articles" },
  args: {},
  text: "a line\n".repeat(9000),
  rows,
  results: [rows, rows],
  articles: { publishedAfter: after, all: async () => rows },
  db: { select: after },
  tenant: undefined,
  cursorKey: "a secret of sixteen bytes",
  rights: { mayCall: async () => true },
  runTheTool: async () => rows,
});

/** The blocks of a page, each with its line. */
function snippetsOf(page) {
  const text = readFileSync(join(ROOT, page), "utf8");
  const blocks = text.matchAll(/^```ts\n([^]*?)^```$/gm);
  return Array.from(blocks, ({ index, 1: code }) => ({ line: text.slice(0, index).split("\n").length + 1, code }));
}

let ran = 0;
for (const page of PAGES) {
  for (const { line, code } of snippetsOf(page).filter(({ code }) => !ELSEWHERE.test(code))) {
    test(`${page}:${line}`, async () => {
      const given = GIVEN();
      const body = code.replace(/^import (\{.*?\}) from (".*?");/gm, "const $1 = await import($2);");
      const { outputText } = ts.transpileModule(`async () => {${body}}`, {
        compilerOptions: { target: ts.ScriptTarget.ES2022 },
      });
      const run = new Function(...Object.keys(given), `return ${outputText}`);
      await run(...Object.values(given))();
      ran++;
    });
  }
}

test("there are snippets", () => assert.ok(ran >= 15, `only ${ran}`));
