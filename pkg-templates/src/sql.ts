// Questions in SQL. SQLite is a module of its own, which is loaded at the first question: `crates/plain` with one method.

import { ToolshapeError } from "./error.js";
import type { ErrorCode } from "./types.js";
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
/** The first UTF-16 units that take two and three bytes. */
const [TWO_BYTES, THREE_BYTES] = [0x80, 0x800];
/** The module keeps opened tables within these bounds, and so are their contents here. */
const MOST_OPENED = 16;
const MOST_OPENED_BYTES = 64 * 1024 * 1024;
/** What the module asks of its host: a clock, which ends a question that takes too long. */
const imports = { toolshape: { now: () => performance.now() } };
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let instance: SqlExports | undefined;

/** Contents that the module has, and their bytes there, by key, those asked last at the end. */
const opened = new Map<string, { readonly content: string; readonly bytes: number }>();

/** Notes what the module has now. */
function note(key: string, content: string, bytes: number): void {
  opened.delete(key);
  opened.set(key, { content, bytes });
  let all = [...opened.values()].reduce((size, one) => size + one.bytes, 0);
  for (const [oldest, one] of opened) {
    if (opened.size <= MOST_OPENED && all <= MOST_OPENED_BYTES) break;
    all -= one.bytes;
    opened.delete(oldest);
  }
}

/** Gives up the instance with all that it has. */
function reset(): void {
  instance = undefined;
  opened.clear();
}

/** The answers to a question, as JSON that the core shows; null where the module is not to be had. */
export async function askSql(question: SqlQuestion, sources: readonly SqlSource[]): Promise<string | null> {
  const module = await theSqlModule();
  return module === null ? null : ask(module, question, sources);
}

function ask(module: WebAssembly.Module, question: SqlQuestion, sources: readonly SqlSource[]): string {
  try {
    const core = (instance ??= new WebAssembly.Instance(module, imports).exports as unknown as SqlExports);
    // What the module no longer has, it says by an empty answer.
    const answer = answered(core, question, sources, true) || answered(core, question, sources, false);
    if (core.memory.buffer.byteLength > LARGE_BYTES) reset();
    return answer;
  } catch (cause) {
    if (cause instanceof ToolshapeError) throw cause;
    // A trap leaves an instance in an unknown state.
    reset();
    throw new ToolshapeError("INTERNAL", "internal error; SQLite was reset", "", { cause });
  }
}

/** The answer to a question; contents that the module had before are left out if `leavesOut`. */
function answered(core: SqlExports, question: SqlQuestion, sources: readonly SqlSource[], leavesOut: boolean): string {
  const sent: number[] = [];
  const named = sources.map((source) => {
    if (!("key" in source)) return source;
    const { handle, key, content } = source;
    const known = leavesOut ? opened.get(key) : undefined;
    if (known?.content === content) {
      sent.push(known.bytes);
      return { handle, key, kept: known.bytes };
    }
    const given = placed(core, content);
    sent.push(given.bytes);
    return { handle, key, ...given };
  });
  const { result, ...asked } = question;
  const { json } = requestOf({ method: "askSql", ...asked, result: result ?? undefined, sources: named });
  const at = core.toolshape_call(written(core, json));
  const parts = read(core, at);
  core.toolshape_free(at);
  const answer = unwrapped(parts);
  if (answer === "") return answer;
  for (const source of sources) if ("key" in source) note(source.key, source.content, sent.shift() ?? 0);
  return answer;
}

/** Writes a message of one part: how many there are, how long it is, and the part. */
function written(core: SqlExports, json: string): number {
  const part = encoder.encode(json);
  const at = allocated(core, 2 * NUMBER + part.length);
  const numbers = new DataView(core.memory.buffer, at);
  numbers.setUint32(0, 1, true);
  numbers.setUint32(NUMBER, part.length, true);
  new Uint8Array(core.memory.buffer, at + 2 * NUMBER).set(part);
  return at;
}

/** Writes a text into a buffer of the module, without a copy of it here: the buffer and the bytes that the text has there. */
function placed(core: SqlExports, text: string): { buffer: number; bytes: number } {
  let most = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= TWO_BYTES) most += unit >= THREE_BYTES ? 2 : 1;
  }
  const buffer = allocated(core, most);
  return { buffer, bytes: encoder.encodeInto(text, new Uint8Array(core.memory.buffer, buffer, most)).written };
}

/** A new buffer of the module. */
function allocated(core: SqlExports, bytes: number): number {
  const at = core.toolshape_alloc(bytes);
  if (at === 0) {
    // The buffers of the results before this one go with the instance.
    reset();
    throw new ToolshapeError("INVALID_CALL", "out of memory for these results", "/sql");
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
