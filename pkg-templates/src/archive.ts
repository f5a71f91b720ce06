// Results whole in a store: what a result tells of the store is true, or the result tells that it is not.

import { ToolshapeError, type ErrorCode } from "./error.js";
import { handleKeys } from "./handle.js";
import { Shaped } from "./shaped.js";
import type { ShapedResult } from "./shaped_result.js";
import type { Shaper } from "./shaper.js";
import { checkPositive, reason, storeFailed, type Store } from "./stores/store.js";
import type { Call, CallToolResult, ContentBlock, Returned, SummaryTask, TextSummary } from "./types.js";

/** What an archive does with results. */
export interface ArchiveOptions {
  /**
   * Sees the text of a result before it is stored: JSON, minified, or plain text. Where it changes it, the result
   * is made anew from what it gave back. Where it throws, nothing is stored.
   */
  readonly redact?: ((content: string) => string | Promise<string>) | undefined;
  /** How long results are kept, in seconds. Default a day. */
  readonly ttlSeconds?: number | undefined;
  /** How long the store may take for one thing, in seconds; after that it has failed. Default 5. */
  readonly timeoutSeconds?: number | undefined;
  /** Told of every fault of the store, and of `redact`; the model is told in a few words. */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/** A stored result as MCP's `resources/read` gives it. */
export interface ResultResource {
  readonly uri: string;
  readonly mimeType: "application/json" | "text/plain";
  readonly text: string;
}

/** A call, but for what the archive says of the store. */
export type ArchiveCall = Omit<Call, "store" | "storeFailure">;

/** What a tool returned, as a value or as a JSON text, and the call that it answers. */
export type ArchiveReturned =
  | { readonly value: unknown; readonly json?: undefined; readonly call?: ArchiveCall | undefined }
  | { readonly json: string; readonly call?: ArchiveCall | undefined };

/**
 * Shapes as a shaper does, with a store: whatever a result leaves out is kept whole before the result is told.
 *
 * Where the store fails, the result says so and is shaped without; the call of the tool succeeds all the same.
 */
export class Archive {
  readonly #shaper: Shaper;
  readonly #store: Store;
  readonly #redact: NonNullable<ArchiveOptions["redact"]>;
  readonly #ttlSeconds: number;
  readonly #timeoutSeconds: number;
  readonly #onStoreError: NonNullable<ArchiveOptions["onStoreError"]>;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(shaper: Shaper, store: Store, options: ArchiveOptions = {}) {
    const { redact = (content) => content, ttlSeconds = 24 * 60 * 60, timeoutSeconds = 5, onStoreError = () => {} } = options;
    checkPositive("ttlSeconds", ttlSeconds);
    checkPositive("timeoutSeconds", timeoutSeconds);
    [this.#shaper, this.#store] = [shaper, store];
    [this.#redact, this.#onStoreError] = [redact, onStoreError];
    [this.#ttlSeconds, this.#timeoutSeconds] = [ttlSeconds, timeoutSeconds];
  }

  /**
   * As `Shaper.shape`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shape(value: unknown, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one({ value, call });
  }

  /**
   * As `Shaper.shapeJson`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeJson(text: string, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one({ json: text, call });
  }

  /**
   * As `Shaper.shapeTogether`: the largest are stored until all of them have at most `combinedTokens`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeTogether(results: readonly ArchiveReturned[], combinedTokens?: number): Promise<Shaped[]> {
    return this.#kept(results, (asked) => this.#shaper.shapeTogether(asked, combinedTokens));
  }

  /**
   * As `Shaper.summarizeText`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async summarizeText(text: string, summary: TextSummary = {}, call: ArchiveCall = {}): Promise<Shaped> {
    const summarize = (one: Returned): Shaped => this.#shaper.summarizeText((one as { value: string }).value, summary, one.call);
    const [shaped] = await this.#kept([{ value: text, call }], (results) => results.map(summarize));
    return shaped as Shaped;
  }

  /**
   * The result of a call that goes on in one that is stored: the tool need not run. Null where the call begins
   * anew, or what its cursor names is no longer there: run the tool, and `shape`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshot(call: ArchiveCall = {}): Promise<Shaped | null> {
    return this.#fromStore(call, (key, content) => this.#shaper.shapeSnapshot(key, content, call));
  }

  /**
   * As `Shaper.shapeResult`. Where `redact` changes what is to be stored of a result, its texts and structured
   * content are made anew from what it gave back.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeResult(returned: unknown, call: ArchiveCall = {}): Promise<ShapedResult> {
    const shaped = this.#shaper.shapeResult(returned, { ...call, store: true });
    if (shaped.keep === null) return shaped;
    const { key, content } = shaped.keep;
    let told = returned;
    try {
      const redacted: unknown = await this.#redact(content);
      checkRedacted(redacted, key);
      if (redacted !== content) told = withContent(returned, shaped, redacted);
      const clean = redacted === content ? shaped : this.#shaper.shapeResult(told, { ...call, store: true });
      const { keep } = clean;
      if (keep !== null) await this.#ask(() => this.#store.set(keep.key, keep.content, this.#ttlSeconds));
      return clean;
    } catch (error) {
      this.#tell(error);
      return this.#shaper.shapeResult(told, { ...call, storeFailure: reason(error) });
    }
  }

  /**
   * As `snapshot`, as a `CallToolResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshotResult(call: ArchiveCall = {}): Promise<ShapedResult | null> {
    return this.#fromStore(call, (key, content) => this.#shaper.shapeSnapshotResult(key, content, call));
  }

  /** What `shape` makes of the stored result that serves a call. */
  async #fromStore<T>(call: ArchiveCall, shape: (key: string, content: string) => T | null): Promise<T | null> {
    const handle = this.#shaper.snapshot(call);
    if (handle === null) return null;
    try {
      for (const key of handleKeys(handle)) {
        const content = await this.#get(key);
        const shaped = content === null ? null : shape(key, content);
        if (shaped !== null) return shaped;
      }
    } catch (error) {
      this.#tell(error);
    }
    return null;
  }

  /**
   * What the tool `read_result` answers: the part of a stored result that its arguments ask for, shaped as any
   * result. What is wrong with them, and a result that is not there for this `scope`, is explained in a result.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  async readResult(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<Shaped> {
    return (await this.#read(args, call)).shaped;
  }

  /**
   * What a resource `toolshape://result/{id}` holds, as MCP's `resources/read` gives it: the stored result, shaped
   * as `readResult` shapes it.
   *
   * @throws {ToolshapeError} `INVALID_HANDLE`, `NOT_FOUND`, `STORE_FAILED`; `INVALID_CALL`.
   */
  async resource(uri: string, call: ArchiveCall = {}): Promise<ResultResource> {
    const { key, shaped } = await this.#read({ handle: uri }, call);
    if (shaped.isError) {
      const { error, message } = shaped.value as { error: ErrorCode; message: string };
      throw new ToolshapeError(error, message, "/handle");
    }
    const isText = shaped.unchanged && key?.endsWith(".txt") === true;
    return { uri, mimeType: isText ? "text/plain" : "application/json", text: shaped.text };
  }

  /**
   * What a call of the tool `summarize` is about, as `Shaper.toSummarize`: hand it on to `summarizeText`, with a summary
   * of your own if you have one. What is wrong with the call is explained in a result.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  async toSummarize(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<SummaryTask | Shaped> {
    const asked = { tool: "summarize", ...call, arguments: args, store: true };
    if (args.handle === undefined) return this.#shaper.toSummarize(null, null, asked);
    const found = await this.#find(asked);
    return found instanceof Shaped ? found : this.#shaper.toSummarize(found.key, found.content, asked);
  }

  async #read(args: Readonly<Record<string, unknown>>, call: ArchiveCall): Promise<{ key: string | null; shaped: Shaped }> {
    const asked = { tool: "read_result", ...call, arguments: args };
    const found = await this.#find(asked);
    if (found instanceof Shaped) return { key: null, shaped: found };
    return { key: found.key, shaped: this.#shaper.readResult(found.key, found.content, asked) };
  }

  /** What the store has of the result that a call names by its handle, or the result that says what is wrong. */
  async #find(asked: ArchiveCall): Promise<Found | Shaped> {
    try {
      return await this.#stored(asked);
    } catch (error) {
      const shaped = this.#shaper.refusal(error, asked);
      if (shaped === null) throw error;
      return shaped;
    }
  }

  async #stored(asked: ArchiveCall): Promise<Found> {
    for (const key of this.#shaper.readKeys(asked)) {
      let content: string | null;
      try {
        content = await this.#get(key);
      } catch (error) {
        this.#tell(error);
        throw storeFailed("the store cannot be read", error);
      }
      if (content !== null) return { key, content };
    }
    return { key: null, content: null };
  }

  async #one(returned: ArchiveReturned): Promise<Shaped> {
    const shape = (one: Returned): Shaped =>
      one.json === undefined ? this.#shaper.shape(one.value, one.call) : this.#shaper.shapeJson(one.json, one.call);
    const [shaped] = await this.#kept([returned], (results) => results.map(shape));
    return shaped as Shaped;
  }

  /**
   * The results, once the store has what they tell of. Where `redact` changes one, or the store fails, they are
   * shaped again; that is done with when each was redacted, and kept or not.
   */
  async #kept(given: readonly ArchiveReturned[], shape: (results: readonly Returned[]) => Shaped[]): Promise<Shaped[]> {
    const results: Returned[] = given.map((one) => ({ ...one, call: { ...one.call, store: true } }));
    const isRedacted = new Set<number>();
    const isKept = new Set<string>();
    for (;;) {
      const all = shape(results);
      const settling = all.map(async ({ keep }, at) => {
        if (keep === null || isKept.has(keep.key)) return false;
        const { key, content } = keep;
        // Not the value again, which may read otherwise the second time.
        const instead = (text: string, call: Call): Returned => (key.endsWith(".json") ? { json: text, call } : { value: text, call });
        try {
          if (!isRedacted.has(at)) {
            const redacted: unknown = await this.#redact(content);
            isRedacted.add(at);
            if (redacted !== content) {
              checkRedacted(redacted, key);
              results[at] = instead(redacted, { ...given[at]?.call, store: true });
              return true;
            }
          }
          await this.#ask(() => this.#store.set(key, content, this.#ttlSeconds));
          isKept.add(key);
          return false;
        } catch (error) {
          this.#tell(error);
          results[at] = instead(content, { ...given[at]?.call, storeFailure: reason(error) });
          return true;
        }
      });
      if (!(await Promise.all(settling)).includes(true)) return all;
    }
  }

  async #get(key: string): Promise<string | null> {
    const content = await this.#ask(() => this.#store.get(key));
    if (content === null || content === undefined || typeof content === "string") return content ?? null;
    throw storeFailed(`the store gave back ${typeof content} instead of text`);
  }

  /** What the store answers, if that is in time. */
  async #ask<T>(work: () => T | Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = storeFailed(`the store did not answer within ${this.#timeoutSeconds} seconds`);
      timer = setTimeout(reject, this.#timeoutSeconds * 1000, error);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#onStoreError(error);
    } catch {
      // What is wrong with the store does not break the tool, nor does what is wrong with telling so.
    }
  }
}

/** What a store holds, and under which name; nothing where it is not there. */
type Found = { readonly key: string; readonly content: string } | { readonly key: null; readonly content: null };

/** Refuses what cannot stand for the text that `redact` was given. */
function checkRedacted(redacted: unknown, key: string): asserts redacted is string {
  if (typeof redacted !== "string") throw storeFailed(`redact gave back ${typeof redacted} instead of text`);
  if (!key.endsWith(".json")) return;
  try {
    JSON.parse(redacted);
  } catch {
    throw storeFailed("redact gave back what is no JSON");
  }
}

/** What a tool returned with another content in place of what was shaped of it; blocks that passed stay. */
function withContent(returned: unknown, { result, keep }: ShapedResult, content: string): unknown {
  const value: unknown = keep?.key.endsWith(".json") ? JSON.parse(content) : content;
  const { content: blocks, structuredContent } = (returned ?? {}) as Partial<CallToolResult>;
  if (!Array.isArray(blocks) && structuredContent === undefined) return value;
  const passed = (blocks ?? []).filter((block: ContentBlock) => result.content.includes(block));
  const replaced: CallToolResult = { ...(returned as CallToolResult), content: [{ type: "text", text: content }, ...passed] };
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (structuredContent !== undefined) replaced.structuredContent = isObject ? value : { result: value };
  return replaced;
}
