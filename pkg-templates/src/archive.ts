// Results whole in a store: what a result tells of the store is true, or the result tells that it is not.

import { run, type Answer, type Input, type Purpose } from "./core.js";
import { optionsText } from "./options.js";
import type { Shaped } from "./shaped.js";
import { passedBlocks, type ShapedResult } from "./shaped_result.js";
import type { Shaper } from "./shaper.js";
import { reason, storeFailed, type Store } from "./stores/store.js";
import type { Call, Keep, ResultResource, Returned, SummaryTask, TextSummary } from "./types.js";

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
  readonly #redact: ArchiveOptions["redact"];
  readonly #onStoreError: ArchiveOptions["onStoreError"];
  readonly #limits: { ttlSeconds: number; timeoutSeconds: number; late: string };

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(shaper: Shaper, store: Store, options: ArchiveOptions = {}) {
    const { redact, onStoreError, ttlSeconds, timeoutSeconds } = options;
    const limits = optionsText({ ttlSeconds, timeoutSeconds }, "INVALID_CALL");
    this.#limits = run((core) => core.exports.archiveOptions(limits));
    [this.#shaper, this.#store, this.#redact, this.#onStoreError] = [shaper, store, redact, onStoreError];
  }

  /**
   * As `Shaper.shape`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shape(value: unknown, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(call, (source) => this.#shape(source, { value }));
  }

  /**
   * As `Shaper.shapeJson`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeJson(text: string, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(call, (source) => this.#shape(source, { json: text }));
  }

  /**
   * As `Shaper.shapeTogether`: the largest are stored until all of them have at most `combinedTokens`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeTogether(results: readonly ArchiveReturned[], combinedTokens?: number): Promise<Shaped[]> {
    return this.#kept(results.map(({ call }) => call), (sources) =>
      this.#shaper.shapeTogether(sources.map((source, at) => returnedBy(source, results[at] as ArchiveReturned)), combinedTokens),
    );
  }

  /**
   * As `Shaper.summarizeText`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async summarizeText(text: string, summary: TextSummary = {}, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(call, ({ from, content, call }) => this.#shaper.summarizeText(from === "own" ? text : content, summary, call));
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
    let passed: number[] = [];
    return this.#one(call, (source) => {
      if (source.from !== "own") return this.#shaper.shapeKeptResult(returned, source, source.content, passed, source.call);
      const shaped = this.#shaper.shapeResult(returned, source.call);
      passed = passedBlocks(shaped);
      return shaped;
    });
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
    const { key, content } = await this.#find("snapshot", call);
    return key === null || content === null ? null : shape(key, content);
  }

  /**
   * What the tool `read_result` answers: the part of a stored result that its arguments ask for, shaped as any
   * result. What is wrong with them, and a result that is not there for this `scope`, is explained in a result.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  async readResult(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<Shaped> {
    const found = await this.#find("read", { ...call, arguments: args });
    return this.#shaper.readResult(found.key, found.content, found.call);
  }

  /**
   * What a resource `toolshape://result/{id}` holds, as MCP's `resources/read` gives it: the stored result, shaped
   * as `readResult` shapes it.
   *
   * @throws {ToolshapeError} `INVALID_HANDLE`, `NOT_FOUND`, `STORE_FAILED`; `INVALID_CALL`.
   */
  async resource(uri: string, call: ArchiveCall = {}): Promise<ResultResource> {
    const found = await this.#find("read", { ...call, arguments: { handle: uri } });
    return { uri, ...this.#shaper.resource(found.key, found.content, found.call) };
  }

  /**
   * What a call of the tool `summarize` is about, as `Shaper.toSummarize`: hand it on to `summarizeText`, with a summary
   * of your own if you have one. What is wrong with the call is explained in a result.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  async toSummarize(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<SummaryTask | Shaped> {
    const found = await this.#find("summarize", { ...call, arguments: args });
    return this.#shaper.toSummarize(found.key, found.content, found.call);
  }

  /** What the store has of what a call names, or why it could not be asked; and the call that this answers. */
  async #find(purpose: Purpose, asked: ArchiveCall): Promise<Found> {
    const { keys, call: defaults } = this.#shaper.lookup(purpose, asked);
    const call: Call = { ...defaults, ...asked };
    try {
      for (const key of keys) {
        const content = await this.#get(key);
        if (content !== null) return { key, content, call };
      }
      return { key: null, content: null, call };
    } catch (error) {
      this.#tell(error);
      return { key: null, content: null, call: { ...call, storeFailure: reason(error) } };
    }
  }

  #shape(source: Source, own: ArchiveReturned): Shaped {
    const returned = returnedBy(source, own);
    return returned.json === undefined ? this.#shaper.shape(returned.value, returned.call) : this.#shaper.shapeJson(returned.json, returned.call);
  }

  async #one<R extends { keep: Keep | null }>(call: ArchiveCall, shape: (source: Source) => R): Promise<R> {
    const [shaped] = await this.#kept([call], ([source]) => [shape(source as Source)]);
    return shaped as R;
  }

  /** Results, once the store has what they tell of: does what the core says, until it says that they may be told. */
  async #kept<R extends { keep: Keep | null }>(calls: readonly (ArchiveCall | undefined)[], shape: (sources: Source[]) => R[]): Promise<R[]> {
    const contents: string[] = [];
    const heard: Answer[][] = [];
    const redact = this.#redact;
    let shaped: R[] = [];
    const each = (places: number[], work: (keep: Keep, at: number) => Promise<Answer>): Promise<Answer[]> =>
      Promise.all(places.map((at) => work(shaped[at]?.keep as Keep, at).catch((error: unknown) => (this.#tell(error), { failed: reason(error) }))));
    for (;;) {
      const action = run((core) => core.exports.keeping(calls.length, redact !== undefined, JSON.stringify(heard)));
      switch (action.do) {
        case "done":
          return shaped;
        case "shape":
          shaped = shape(action.inputs.map((input, at) => ({ ...input, content: contents[at] ?? "", call: withStore(calls[at], input) })));
          shaped.forEach(({ keep }, at) => keep && (contents[at] ??= keep.content));
          heard.push(shaped.map(({ keep }) => keep && keep.key));
          break;
        case "redact":
          heard.push(
            await each(action.at, async ({ key, content }, at) => {
              const redacted: unknown = await redact?.(content);
              if (typeof redacted !== "string") return run((core) => core.exports.noText("redact", typeof redacted));
              if (redacted === content) return null;
              run((core) => core.exports.checkRedacted(key, redacted));
              contents[at] = redacted;
              return { redacted: true };
            }),
          );
          break;
        case "store":
          heard.push(
            await each(action.at, async ({ key, content }) => {
              await this.#ask(() => this.#store.set(key, content, this.#limits.ttlSeconds));
              return null;
            }),
          );
      }
    }
  }

  async #get(key: string): Promise<string | null> {
    const content = await this.#ask(() => this.#store.get(key));
    if (content === null || content === undefined || typeof content === "string") return content ?? null;
    return run((core) => core.exports.noText("the store", typeof content));
  }

  /** What the store answers, if that is in time. */
  async #ask<T>(work: () => T | Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, this.#limits.timeoutSeconds * 1000, storeFailed(this.#limits.late));
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#onStoreError?.(error);
    } catch {
      // What is wrong with the store does not break the tool, nor does what is wrong with telling so.
    }
  }
}

/** What a store holds, and under which name; nothing where it is not there. And the call that it answers. */
interface Found {
  readonly key: string | null;
  readonly content: string | null;
  readonly call: Call;
}

/** What a result is shaped from: what the tool returned, or `content`. */
interface Source extends Input {
  readonly content: string;
  readonly call: Call;
}

function returnedBy({ from, content, call }: Source, own: ArchiveReturned): Returned {
  if (from === "own") return { ...own, call };
  return from === "json" ? { json: content, call } : { value: content, call };
}

function withStore(call: ArchiveCall | undefined, { storeFailure }: Input): Call {
  return { ...call, ...(storeFailure === null ? { store: true } : { storeFailure }) };
}
