// The core's instance: created at the first use, discarded after a trap or when its memory has grown large.

import { ToolshapeError } from "./error.js";
import { newGlue } from "./glue.js";
import { Passing } from "./passing.js";
import { provideRanks, theModule, theRankFiles, theVocabularies } from "./provide.js";
import type { SqlQuestion, SqlSource } from "./sql.js";
import { requestOf, requestOn, type Members, type Parts, type Request } from "./request.js";
import type { Encoding, ErrorCode, Keep, Pattern, Receipt, Side } from "./types.js";

/** What the relay does next; bytes of the lines that came in are named by their places. */
export type RelayStep =
  | { readonly pass: readonly [from: number, to: number] }
  | { readonly log: string }
  | { readonly toClient: string }
  | { readonly toServer: string }
  | { readonly read: { readonly number: number; readonly key: string } }
  | {
      readonly write: {
        readonly number: number;
        readonly key: string;
        readonly value: string;
        readonly owner: string | null;
      };
    }
  | {
      readonly ask: { readonly number: number; readonly question: SqlQuestion; readonly sources: readonly SqlSource[] };
    }
  | { readonly shaped: Receipt };

/** The functions of `crates/wasm`: each returns its result or a fault. */
export interface Exports {
  /** The methods that all faces share. */
  call(method: string, members: string, parts: (string | Uint8Array)[]): unknown;
  shape(shaper: number, value: unknown, call: string): Outcome | string | Fault;
  shapeJson(shaper: number, text: string, call: string): Outcome | null | Fault;
  receipt(shaper: number, text: string, call: string): string | Fault;
  shapeTogether(
    shaper: number,
    values: unknown[],
    texts: (string | undefined)[],
    calls: string[],
    together: string,
  ): Outcome[] | Fault;
  keysetPage(shaper: number, rows: unknown, keyset: string, call: string): Outcome | Fault;
  links(shaper: number, rows: unknown, mapping: string, call: string): Outcome | Fault;
  rateLimit(shaper: number, error: unknown, call: string, now: number): Outcome | null | Fault;
  shapeResult(shaper: number, returned: unknown, call: string): ResultOutcome | Fault;
  shapeTextResult(shaper: number, text: string, call: string): ResultOutcome | string | Fault;
  shapeKeptResult(
    shaper: number,
    returned: unknown,
    contents: string[],
    isJson: boolean,
    isRedacted: boolean,
    call: string,
  ): ResultOutcome | Fault;
  thrownResult(shaper: number, error: unknown, said: string, call: string, now: number): ResultOutcome | null | Fault;
  contents(shaper: number, value: unknown, json: string | undefined, call: string): Content[] | Fault;
  resultContents(shaper: number, returned: unknown, call: string): Content[] | Fault;
  passing(shaper: number, tool: string | undefined, client: string | undefined): number | undefined;
  forgetPassing(): void;
  passText(passing: number, bytes: number): number | undefined;
  passReceipt(passing: number): string | undefined;
  encoding(name: string): number | Fault;
  countTokens(text: string, encoding: number): number;
  shortText(): number;
  countShort(length: number, encoding: number): number;
  fitsTokens(text: string, limit: number, encoding: number): number | undefined;
  truncatedLength(text: string, limit: number, encoding: number, side: Side): number | Fault;
  encode(text: string, encoding: number, special: boolean): Uint32Array | Fault;
  decode(tokens: Uint32Array, encoding: number): string | Fault;
  decodeBytes(tokens: Uint32Array, encoding: number): Uint8Array | Fault;
}

/** What a result is shaped from, and the store options of its call. */
export interface Input {
  /** What the tool returned, or the content to be stored. */
  from: "own" | "json" | "text";
  /** Whether the content comes from `redact`. */
  isRedacted: boolean;
  redactFailure: string | null;
  storeFailure: string | null;
}

/** The whole of a result, or of a part of it, as `redact` sees it. */
export interface Content {
  text: string;
  isJson: boolean;
}

/** Which results `redact` sees. */
export type Redacts = "stored" | "all";

/** How long an archive keeps results and waits for its store, the message for one that is late, and what it redacts. */
export interface ArchiveTerms {
  ttlSeconds: number;
  timeoutSeconds: number;
  /** How long a store that did not answer is left alone; a failure that takes longer than `slowSeconds` counts as no answer. */
  pauseSeconds: number;
  slowSeconds: number;
  late: string;
  /** The message for a call in the pause. */
  paused: string;
  redacts: Redacts | null;
}

/** What is to be stored. The content is left out if it is the text that the caller passed in. */
export type HeldKeep = Omit<Keep, "content"> & { content: string | null };

/** A shaped result as the core returns it. */
export interface Outcome {
  text: string;
  unchanged: boolean;
  isError: boolean;
  /** JSON text of a `Receipt` without its duration. */
  receipt: string;
  keep: HeldKeep | null;
  image?: string;
}

/** A shaped CallToolResult as the core returns it. */
export interface ResultOutcome {
  /** The result's members in order, and what each contains. */
  members: [string, "own" | "content" | "structured" | "isError" | "meta" | "ownMeta"][];
  unchanged: boolean;
  /** Whether it is all that the tool returned. */
  isOwn: boolean;
  /** Whether other members are copied from what the tool returned. */
  isResult: boolean;
  /** The index of a block that the tool returned, or the JSON text of a new one. */
  content: (number | string)[];
  /** True for the tool's own value, null for none, or JSON text. */
  structured: true | null | string;
  isError: boolean;
  receipt: string | null;
  keep: Keep | null;
}

/** An error of the core. Its first member has a name that no result has. */
export interface Fault {
  toolshapeError: ErrorCode;
  message: string;
  path: string;
}

/** Wasm memory never shrinks, so an instance with more than this in addition to its encodings is replaced. */
const LARGE_BYTES = 64 * 1024 * 1024;
/** The most policies that an instance keeps. Servers have a few, but each tenant may have its own key. */
const MOST_SHAPERS = 1000;
/** The most UTF-16 units of a short text: if each takes three bytes, they fill the core's buffer (`crates/wasm/src/tokens.rs`). */
export const SHORT_UNITS = 4096;
/** The most that a loop writes in less time than the host's encoder. */
const FEW_UNITS = 48;
const encoder = new TextEncoder();
/** The most nested calls, each from a getter of a value that the outer call reads. */
const MOST_NESTED = 8;

/** One instance of the core, with its memory. */
export class Instance {
  readonly exports: Exports;
  readonly #memory: WebAssembly.Memory;
  /** The memory's buffer, cached because reading it is slower than many calls. It changes when the memory grows. */
  #buffer: ArrayBufferLike;
  /** The buffer for short texts; its length is 0 after the memory has grown. */
  #short = new Uint8Array();
  readonly #shapers = new Map<string, number>();
  readonly #passing: Passing;
  readonly #encodings = new Map<string, number>();
  readonly #installed = new Set<Encoding>();
  /** Above this size the instance is large. */
  #limit = LARGE_BYTES;
  hasTrapped = false;

  constructor() {
    const { bindings, imports } = newGlue();
    const instance = new WebAssembly.Instance(theModule(), imports);
    bindings.__wbg_set_wasm(instance.exports);
    (instance.exports.__wbindgen_start as () => void)();
    this.exports = bindings as unknown as Exports;
    this.#passing = new Passing(this.exports);
    this.#memory = instance.exports.memory as WebAssembly.Memory;
    this.#buffer = this.#memory.buffer;
    for (const [name, { ranks, pattern }] of theRankFiles()) this.#load(name, ranks, pattern);
  }

  get isLarge(): boolean {
    if (this.#buffer.byteLength === 0) this.#buffer = this.#memory.buffer;
    return this.#buffer.byteLength > this.#limit;
  }

  /** Hands over the vocabularies that were provided since the last call; each is unpacked at its first use. */
  installVocabularies(): void {
    const vocabularies = theVocabularies();
    if (this.#installed.size === vocabularies.size) return;
    for (const [encoding, packed] of vocabularies) {
      if (this.#installed.has(encoding)) continue;
      unwrap(this.call("installVocabulary", requestOf({ encoding }, { packed: packed() })));
      this.#installed.add(encoding);
    }
  }

  /** Makes an encoding from a rank file, in this instance and in every later one. */
  loadEncoding(name: string, ranks: Uint8Array, pattern: Pattern): null {
    if (theRankFiles().has(name)) return null;
    this.#load(name, ranks, pattern);
    provideRanks(name, { ranks: ranks.slice(), pattern });
    return null;
  }

  /** A new instance would need the memory of these tables too. */
  #load(name: string, ranks: Uint8Array, pattern: Pattern): void {
    unwrap(this.call("loadEncoding", requestOf({ name, pattern }, { ranks })));
    this.#limit = this.#memory.buffer.byteLength + LARGE_BYTES;
  }

  /** How many tokens a text has. */
  countTokens(text: string, encoding: string): number {
    const handle = this.encoding(encoding);
    const bytes = this.#writeShort(text);
    return bytes === undefined ? this.exports.countTokens(text, handle) : this.exports.countShort(bytes, handle);
  }

  /** Writes a short text to the core's buffer for one, and returns its bytes; undefined for a longer text. */
  #writeShort(text: string): number | undefined {
    const { length } = text;
    if (length > SHORT_UNITS) return undefined;
    if (this.#short.length === 0)
      this.#short = new Uint8Array(this.#memory.buffer, this.exports.shortText(), 3 * SHORT_UNITS);
    const short = this.#short;
    let at = 0;
    if (length <= FEW_UNITS)
      for (let code: number; at < length && (code = text.charCodeAt(at)) < 0x80; at++) short[at] = code;
    return at === length ? length : encoder.encodeInto(text, short).written;
  }

  /** Calls a method that all faces share. */
  call<T>(method: string, { json, parts }: Request): T | Fault {
    return this.exports.call(method, json, parts) as T | Fault;
  }

  /** The handle of a shaper for a policy; equal policies share one. */
  shaper(policy: string): number {
    let handle = this.#shapers.get(policy);
    if (handle === undefined) {
      if (this.#shapers.size === MOST_SHAPERS) this.#forgetOldest();
      handle = unwrap(this.call<number>("shaper", { json: `{"policy":${policy}}`, parts: [] }));
      this.#shapers.set(policy, handle);
    }
    return handle;
  }

  #forgetOldest(): void {
    const [[policy, shaper]] = this.#shapers as unknown as [[string, number]];
    unwrap(this.call("forgetShaper", requestOf({ shaper })));
    this.#shapers.delete(policy);
    this.#passing.forget();
  }

  /** The receipt of a text of a tool that passes to a client in calls that ask for no part; undefined for every other text. */
  passText(
    policy: string,
    text: string,
    tool: string | undefined,
    client: string | undefined,
    startedAt: number,
  ): Receipt | undefined {
    const texts = this.#passing.of(this.shaper(policy), tool, client);
    if (texts === null) return undefined;
    const bytes = this.#writeShort(text);
    if (bytes === undefined) return undefined;
    const tokens = this.exports.passText(texts.handle, bytes);
    if (tokens === undefined) return undefined;
    return {
      ...texts.receipt,
      steps: [],
      tokensBefore: tokens,
      tokensAfter: tokens,
      bytes,
      durationMs: performance.now() - startedAt,
    };
  }

  /** The handle of an available encoding. */
  encoding(name: string): number {
    let handle = this.#encodings.get(name);
    if (handle === undefined) {
      handle = unwrap(this.exports.encoding(name));
      this.#encodings.set(name, handle);
    }
    return handle;
  }
}

let current: Instance | undefined;
/** Calls that are running: one, or more if a getter of a value calls toolshape. */
let calls = 0;

/** Something that lives in an instance from call to call. */
export interface Resident {
  /** Saves its state before the instance is given up, unless it has trapped; false if the instance must stay. */
  save(from: Instance): boolean;
  /** Forgets the instance, so that its memory can be collected. */
  leave(from: Instance): void;
}

const residents = new Set<Resident>();

/** Has something live in the instance. Returns its end. */
export function settle(resident: Resident): () => void {
  residents.add(resident);
  return () => residents.delete(resident);
}

function leave(from: Instance): boolean {
  for (const resident of residents) if (!resident.save(from)) return false;
  for (const resident of residents) resident.leave(from);
  return true;
}

/**
 * Runs one call of the core.
 *
 * An exception from it is a trap. The instance is then in an unknown state and is discarded, together with the result
 * of every outer call on the same instance.
 */
export function run<T>(work: (instance: Instance) => T | Fault): T {
  if (calls === MOST_NESTED) {
    throw new ToolshapeError("INVALID_CALL", `a value whose getters shape values nests more than ${MOST_NESTED} calls`);
  }
  const instance = (current ??= start());
  let answer: T | Fault;
  // Set before the call, because after a stack overflow the handler itself may fail.
  let isTrap = true;
  calls++;
  try {
    instance.installVocabularies();
    answer = work(instance);
    isTrap = false;
  } catch (error) {
    isTrap = !(error instanceof ToolshapeError);
    throw isTrap ? internal("internal error; toolshape was reset", error) : error;
  } finally {
    calls--;
    if (isTrap) instance.hasTrapped = true;
    if (current === instance && (instance.hasTrapped || (calls === 0 && instance.isLarge && leave(instance))))
      replace();
  }
  if (instance.hasTrapped) throw internal("the core failed in a call within this one");
  return unwrap(answer);
}

/** Calls a method that all faces share. */
export function call<T>(method: string, members?: Members, parts?: Parts): T {
  const request = requestOf(members, parts);
  return run((core) => core.call<T>(method, request));
}

/** Calls a method that all faces share, of the shaper for a policy. */
export function callShaper<T>(policy: string, method: string, members?: Members, parts?: Parts): T {
  const request = requestOf(members, parts);
  return run((core) => core.call<T>(method, requestOn("shaper", core.shaper(policy), request)));
}

/** Gives the instance up, so that its memory is freed, and makes the next one between two calls. */
function replace(): void {
  current = undefined;
  unpackSoon();
}

/** The instance whose vocabularies are unpacked. */
let unpacked: Instance | undefined;
let isUnpackedSoon = false;

/** Makes an instance, if there is none, and unpacks its vocabularies, between two calls: the next one counts at once. */
export function unpackSoon(): void {
  if (isUnpackedSoon || (current !== undefined && current === unpacked)) return;
  const { setTimeout: later } = globalThis as { setTimeout?: (work: () => void) => { unref?(): void } | number };
  try {
    const timer = later?.(unpack);
    isUnpackedSoon = true;
    if (typeof timer === "object") timer.unref?.();
  } catch {
    // Worker runtimes have no timers where a module is loaded: the next call does it.
  }
}

function unpack(): void {
  isUnpackedSoon = false;
  try {
    const core = (current ??= start());
    core.installVocabularies();
    for (const encoding of theVocabularies().keys()) core.countTokens("", encoding);
    unpacked = core;
  } catch {
    // The next call does the same, and throws this.
    current = undefined;
  }
}

function start(): Instance {
  try {
    return new Instance();
  } catch (error) {
    throw error instanceof ToolshapeError ? error : internal("the core cannot be started", error);
  }
}

function internal(message: string, cause?: unknown): ToolshapeError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new ToolshapeError("INTERNAL", message + why, "", cause === undefined ? undefined : { cause });
}

/** The result, or the error that is thrown. */
export function unwrap<T>(answer: T | Fault): T {
  if (typeof answer === "object" && answer !== null && "toolshapeError" in answer) {
    const { toolshapeError, message, path } = answer as Fault;
    throw new ToolshapeError(toolshapeError, message, path);
  }
  return answer as T;
}
