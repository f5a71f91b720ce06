// The types of results are those of both SDKs: a handler that shapes by itself compiles in a strict program.

import assert from "node:assert/strict";
import { writeFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import ts from "typescript";

const PROGRAM = `
import { McpServer as V1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult as ResultV1 } from "@modelcontextprotocol/sdk/types.js";
import { McpServer, type CallToolResult as ResultV2 } from "@modelcontextprotocol/server";
import { Archive, MemoryStore, Shaper, type CallToolResult, type ContentBlock, type LinkBlock } from "toolshape";

const shaper = new Shaper();
const one: ResultV1 = shaper.shapeResult([1]).result;
const two: ResultV2 = shaper.shapeResult([1]).result;
const back: CallToolResult[] = [one, two] as CallToolResult[];
const links: ContentBlock[] = shaper.links([{ id: 1 }], { uri: "a:{id}", name: "{id}" }).value;
const linked: { one: ResultV1; two: ResultV2 } = { one: { content: links }, two: { content: links } };
const [, first] = links;
const uri: string | undefined = first?.type === "resource_link" ? (first satisfies LinkBlock).uri : undefined;
const archive = new Archive(shaper, new MemoryStore());
new V1({ name: "v1", version: "1" }).registerTool("list", {}, async () => (await archive.shapeResult([1], { tool: "list" })).result);
new McpServer({ name: "v2", version: "1" }).registerTool("list", {}, async () => (await archive.shapeResult([1], { tool: "list" })).result);
void [back, linked, uri];
`;

test("results of toolshape are results of the SDKs", () => {
  // Next to this file, where both SDKs are found.
  const path = fileURLToPath(new URL("types_program.mts", import.meta.url));
  writeFileSync(path, PROGRAM);
  try {
    const program = ts.createProgram([path], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    });
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => "", getNewLine: () => "\n" };
    assert.equal(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host), "");
  } finally {
    rmSync(path);
  }
});
