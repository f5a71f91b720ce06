// The types serve strict programs of both module kinds, with and without the types of a browser.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import ts from "typescript";
import { folder } from "./package.mjs";

const PROGRAM = `
import { Shaper, ToolshapeError, countTokens, fitsTokens, type Call, type ErrorCode, type GridResult, type Keep, type Policy, type Receipt, type SeriesResult, type Shaped } from "toolshape";
import { decode, decodeBytes, encode, encodeWithSpecial, loadEncoding, truncateToTokens, type LoadedEncoding } from "toolshape";
import { useModule, useVocabulary, Shaper as SlimShaper } from "toolshape/slim";
import "toolshape/cl100k_base";
import { Archive, MemoryStore, type ArchiveCall, type ArchiveOptions, type ResultResource, type Store } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { shapeServer, type AdapterOptions } from "toolshape/mcp";
import { shapeServer as shapeFastMCP } from "toolshape/fastmcp";
import { readResultTool, summarizeTool, type CallToolResult, type OwnTool, type ShapedResult, type ShapedTool, type SummaryTask } from "toolshape";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { shapeTransport, type ClientTransport } from "toolshape/client";
import { Harness, type HarnessResult } from "toolshape/agents";
import { toolshape as forAiSdk } from "toolshape/ai-sdk";
import { toolshape as forOpenAiAgents } from "toolshape/openai-agents";
import { toolshape as forLangChain } from "toolshape/langchain";
import { toolshape as forClaude } from "toolshape/claude-agent-sdk";

declare const transport: ClientTransport & { readonly isOwn: true };
const isOwn: true = shapeTransport(transport, {}, { store: null }).isOwn;
const answered: Promise<HarnessResult> = new Harness({ combinedTokens: 6000 }).call("list", {}, () => [1]);
const same: { readonly list: { readonly execute: () => number } } = forAiSdk().tools({ list: { execute: () => 1 } });
const toolSet: Record<string, { readonly inputSchema: object }> = forAiSdk().tools({ list: { inputSchema: {}, execute: () => 1 } });
const agent = forOpenAiAgents().agent({ name: "agent", tools: [], mcpServers: [], clone: (config: object) => config });
const model: string = forClaude().options({ model: "opus" }).model, middleware: { readonly name: string } = forLangChain();
const agentName: string = model + middleware.name + agent.name + String(isOwn) + String(same.list) + String(toolSet) + String(answered);
void agentName;

const policy: Policy = { maxTokens: 4000, encoding: "cl100k_base", tools: { raw: false, list: { fields: ["id"] } } };
const call: Call = { tool: "list", arguments: { q: 1 }, page: 2, cursor: null };
const shaped: Shaped = new Shaper(policy).shape([1], call);
const value: unknown = shaped.value;
const text: string = shaped.text + new Shaper().shapeJson("[]").text;
const flags: boolean[] = [shaped.isError, shaped.unchanged, shaped instanceof Object];
const receipt: Receipt = shaped.receipt;
const figures: number[] = [shaped.tokens, receipt.tokensBefore, receipt.durationMs, countTokens("a"), countTokens("a", "estimate")];
const within: number | null = fitsTokens("a", 3);
const inMcp: ShapedResult = new Shaper({ schema: "preserve" }).shapeResult([1], { client: "codex", outputSchema: true, ownArguments: ["page"] });
const result: CallToolResult = inMcp.result;
const listed: ShapedTool = new Shaper().tool({ name: "list", inputSchema: { type: "object" } });
const task: SummaryTask | Shaped = new Shaper().toSummarize(null, null, { arguments: { text: "a", uri: "file:///a" } });
const short: Shaped = "summary" in task ? new Shaper().summarizeText(task.text, task.summary) : task;
const own: OwnTool[] = [readResultTool(), summarizeTool(true)];
const adapter: AdapterOptions = { summarize: true, store: new MemoryStore(), scope: () => "tenant", onReceipt: ({ tokensAfter }) => void tokensAfter, redact: (content) => content };
const server: { registerTool(): void } = shapeServer({ registerTool() {} }, {}, adapter), fast: object = shapeFastMCP({ addTool() {} });
const keep: Keep | null = new Shaper({ overflow: "offload", offloadOver: 9000, snapshot: false }).shape([1], { store: true }).keep;
const together: Shaped[] = new Shaper({ maxTokens: 6000 }).shapeTogether([{ value: [1], call }, { json: "[1]" }], 6000);
const series: SeriesResult<{ t: number }> = new Shaper({ tools: { p: { series: { value: "v", extremes: true } } } }).shape([], { output: "full" }).value as SeriesResult<{ t: number }>;
const first: number | string | null | undefined = series.output === "summary" ? series.indices[0] : series.nextCursor;
const time: number | undefined = series.entries[0]?.t;
const grid = new Shaper({ output: "full", grid: { goal: "min" } }).shape([]).value as GridResult;
const picture: string | undefined = grid.asciiSummary, cells: unknown[] | undefined = grid.output === "full" ? grid.cells : grid.topCells;
const schema: Record<string, unknown> | null = new Shaper({ series: {}, tools: { p: { series: false } } }).outputSchema("p");
const limited: Shaped | null = new Shaper().rateLimit(new Error("429"), call);
try {
  new SlimShaper();
} catch (error) {
  if (error instanceof ToolshapeError) {
    const code: ErrorCode = error.code;
    const where: string = error.path + error.message + code;
    void where;
  }
}
useModule(new Uint8Array(8));
useVocabulary("o200k_base", new Uint8Array(8));
const mine: Store = { get: (key: string) => key, set: (_key: string, _value: string, ttlSeconds: number) => void ttlSeconds, delete: () => true };
const stores: Store[] = [mine, new MemoryStore({ maxBytes: 1e6 }), new FileStore("results", { maxBytes: 1e6 })];
const keeping: ArchiveOptions = { redact: async (text: string) => text, ttlSeconds: 60, onStoreError: (error: unknown) => void error };
const archive = new Archive(new Shaper(policy), mine, keeping);
const asked: ArchiveCall = { tool: "list", scope: "tenant", authorize: async (tool: string) => tool === "list" };
const promised: Promise<Shaped> = archive.shape([1], asked);
const going: Promise<Shaped | null> = archive.snapshot(asked);
const read: Promise<Shaped> = archive.readResult({ handle: "x", pointer: "/1" }, asked);
const resource: Promise<ResultResource> = archive.resource("toolshape://result/x");
const all: Promise<Shaped[]> = archive.shapeTogether([{ value: [1], call: asked }, { json: "[1]" }], 6000);
void [stores, KeyvStore, UnstorageStore, promised, going, read, resource, all];
// @ts-expect-error the archive itself says what becomes of the store
void archive.shape([1], { storeFailure: "x" });
void [first, time, picture, cells, schema, value, text, flags, figures, within, limited, keep, together];

// @ts-expect-error no such option
new Shaper({ maxToken: 1 });
// @ts-expect-error no such encoding
countTokens("a", "gpt2");
const mine8: LoadedEncoding = loadEncoding("mine", new Uint8Array(8), "cl100k_base");
const numbers: Uint32Array = encode(truncateToTokens("a", 1, mine8, "tail"), mine8);
const spelled: [string, Uint8Array, Uint32Array] = [decode(numbers), decodeBytes([1, 2]), encodeWithSpecial("a")];
void [new Shaper({ encoding: mine8 }), spelled];
// @ts-expect-error what is read is not for writing
shaped.text = "";
// @ts-expect-error a code is one of those there are
const wrong: ErrorCode = "OOPS";
void wrong;
`;

const scratch = mkdtempSync(join(tmpdir(), "toolshape-types-"));
mkdirSync(join(scratch, "node_modules"));
symlinkSync(folder, join(scratch, "node_modules/toolshape"), "junction");
after(() => rmSync(scratch, { recursive: true }));

const NODE = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const BUNDLER = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
const OLD = { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 };

for (const [name, file, options, lib] of [
  ["an ES module in Node", "esm.mts", NODE, ["lib.es2022.d.ts"]],
  ["a CommonJS module in Node", "cjs.cts", NODE, ["lib.es2022.d.ts"]],
  ["a bundler, for browsers", "bundled.ts", BUNDLER, ["lib.es2022.d.ts", "lib.dom.d.ts"]],
]) {
  test(name, () => assert.equal(check(file, PROGRAM, { ...options, lib }), ""));
}

test("every entry under the old resolution, which knows no exports", () => {
  assert.equal(check("old.ts", PROGRAM, { ...OLD, lib: ["lib.es2022.d.ts"] }), "");
});

function check(file, text, options) {
  const path = join(scratch, file);
  writeFileSync(path, text);
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedSideEffectImports: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...options,
  });
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => scratch, getNewLine: () => "\n" };
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
}
