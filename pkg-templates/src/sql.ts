// Questions in SQL. SQLite is a module of its own, which is loaded at the first question: `crates/c-api` with one method.

import { ToolshapeError, type ErrorCode } from "./error.js";
import { theSqlModule } from "./provide.js";
import { requestOf } from "./request.js";

/** A question, as the core reads it from a call. */
export interface SqlQuestion {
  readonly sql: string;
  readonly result: string | null;
  readonly from: number;
  readonly rows: number;
  readonly cellChars: number;
}

/** A stored result that a statement may name, or why it cannot be read. */
export type SqlSource =
  | { readonly handle: string; readonly key: string; readonly content: string }
  | { readonly handle: string; readonly code: ErrorCode; readonly message: string };

interface SqlExports {
  readonly memory: WebAssembly.Memory;
  toolshape_alloc(size: number): number;
  toolshape_call(message: number): number;
  toolshape_free(buffer: number): void;
}

/** Wasm memory never shrinks, so an instance with more than this is replaced; it holds opened tables of 64 MB. */
const LARGE_BYTES = 512 * 1024 * 1024;
/** The bytes of a number in a message. */
const NUMBER = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let instance: SqlExports | undefined;

/** The answers to a question, as JSON that the core shows; null where the module is not to be had. */
export async function askSql(question: SqlQuestion, sources: readonly SqlSource[]): Promise<string | null> {
  const module = await theSqlModule();
  return module === null ? null : ask(module, question, sources);
}

function ask(module: WebAssembly.Module, question: SqlQuestion, sources: readonly SqlSource[]): string {
  const contents: string[] = [];
  const named = sources.map((source) =>
    "key" in source ? { ...source, content: contents.push(source.content) } : source,
  );
  const { result, ...asked } = question;
  const { json } = requestOf({ method: "askSql", ...asked, result: result ?? undefined, sources: named });
  try {
    const core = (instance ??= new WebAssembly.Instance(module, {}).exports as unknown as SqlExports);
    const answer = core.toolshape_call(written(core, [json, ...contents]));
    const parts = read(core, answer);
    core.toolshape_free(answer);
    if (core.memory.buffer.byteLength > LARGE_BYTES) instance = undefined;
    return unwrapped(parts);
  } catch (cause) {
    if (cause instanceof ToolshapeError) throw cause;
    // A trap leaves an instance in an unknown state.
    instance = undefined;
    throw new ToolshapeError("INTERNAL", "internal error; SQLite was reset", "", { cause });
  }
}

/** Writes a message to the module's memory: how many parts there are, how long each is, and the parts. */
function written(core: SqlExports, texts: readonly string[]): number {
  const parts = texts.map((text) => encoder.encode(text));
  const head = NUMBER * (parts.length + 1);
  const at = core.toolshape_alloc(parts.reduce((size, part) => size + part.length, head));
  if (at === 0) throw new ToolshapeError("INVALID_CALL", "there is no memory for these results", "/sql");
  const numbers = new DataView(core.memory.buffer, at, head);
  numbers.setUint32(0, parts.length, true);
  let to = at + head;
  for (const [index, part] of parts.entries()) {
    numbers.setUint32(NUMBER * (index + 1), part.length, true);
    new Uint8Array(core.memory.buffer, to, part.length).set(part);
    to += part.length;
  }
  return at;
}

/** The parts of a message. */
function read({ memory }: SqlExports, at: number): string[] {
  const numbers = new DataView(memory.buffer, at);
  const count = numbers.getUint32(0, true);
  let from = at + NUMBER * (count + 1);
  return Array.from({ length: count }, (_, index) => {
    const length = numbers.getUint32(NUMBER * (index + 1), true);
    const text = decoder.decode(new Uint8Array(memory.buffer, from, length));
    from += length;
    return text;
  });
}

/** The text of an answer. */
function unwrapped([json = "", text = ""]: string[]): string {
  const { error } = JSON.parse(json) as { error?: { code: ErrorCode; message: string; path: string } };
  if (error !== undefined) throw new ToolshapeError(error.code, error.message, error.path);
  return text;
}
