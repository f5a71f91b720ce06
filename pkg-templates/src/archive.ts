// Keeps complete results in a store. A result refers to the store only after the write succeeded; otherwise it reports
// the failure.

import { call as callCore, type ArchiveTerms, type Content, type Outcome } from "./core.js";
import type { Redacts, ResultOutcome } from "./core.js";
import { checkGiven, described } from "./options.js";
import { Session, type Source, type Whole } from "./session.js";
import { Shaped } from "./shaped.js";
import { assemble, type ShapedResult } from "./shaped_result.js";
import { checkReturned, messageOf, type Shaper } from "./shaper.js";
import { Kept } from "./stores/kept.js";
import type { Store } from "./stores/store.js";
import type { Call, Keep, ResultResource, Returned, SummaryTask, TextSummary } from "./types.js";

/** The options of an archive. */
export interface ArchiveOptions {
  /**
   * Names of fields, or paths such as `user.email`, whose values are secret in every result; `*` is any part of a name. With
   * this or `redactTexts`, `redact` receives every result too. Default none.
   */
  readonly redactFields?: readonly string[] | undefined;
  /**
   * Patterns of texts that are secret in every result, such as `sk-*`: `*` is a run of letters, digits and `_-./+=~`, `**` is
   * anything. Default none.
   */
  readonly redactTexts?: readonly string[] | undefined;
  /**
   * Receives the text of a result before it is stored: minified JSON, or plain text. If it changes the text, the result
   * is shaped again from the new text. If it throws, an error result replaces the result, and nothing is stored.
   */
  readonly redact?: ((content: string) => string | Promise<string>) | undefined;
  /**
   * Which results `redact` receives: those that leave something out, before they are `"stored"`, or `"all"`, before they
   * are shaped, so that a model reads nothing that it did not receive. Default `"stored"`.
   */
  readonly redacts?: Redacts | undefined;
  /** How long results are kept, in seconds. Default one day. */
  readonly ttlSeconds?: number | undefined;
  /** How long one call of the store may take, in seconds; after that it has failed. Default 5. */
  readonly timeoutSeconds?: number | undefined;
  /** How long a store that did not answer is left alone, in seconds; 0 for no pause. Default 10. */
  readonly pauseSeconds?: number | undefined;
  /** Called with every error of the store, of `redact` and of `authorize`; the model reads a short form. */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/** Whether the caller may read a stored result that a tool returned. */
export type Authorize = (tool: string) => boolean | Promise<boolean>;

/** A call without the store options, which the archive sets. */
export interface ArchiveCall
  extends Omit<Call, "store" | "storeFailure" | "redactFailure" | "forbidden" | "returnedBy"> {
  /**
   * Asked before a stored result is read, with the name of a tool that returned it (empty if its call named none). If the
   * result has several tools, it is asked for each until one is allowed. Anything but `true`, and an error, refuses: the
   * result is `FORBIDDEN`, and nothing of the content is read. Default: whoever has the handle may read.
   */
  readonly authorize?: Authorize | undefined;
}

/** What a tool returned, as a value or as JSON text, and its call. */
export type ArchiveReturned = Returned<ArchiveCall>;

/**
 * Shapes results like a shaper, with a store: a result that leaves something out is stored in full before it is
 * returned.
 *
 * If the store fails, the result reports it and is shaped without a store; the tool call still succeeds.
 */
export class Archive {
  readonly #shaper: Shaper;
  readonly #kept: Kept;
  readonly #given: Pick<ArchiveOptions, "redact" | "redactFields" | "redactTexts">;
  readonly #redacts: Redacts | undefined;

  /** @throws {ToolshapeError} `INVALID_CALL` for an unknown option, or a value that an option does not take. */
  constructor(shaper: Shaper, store: Store, options: ArchiveOptions = {}) {
    const { redact, redactFields, redactTexts, onStoreError } = options;
    checkGiven(typeof shaper?.shapeResult === "function", shaper, "shaper", "a Shaper");
    const asked = described({ ...options, store: store ?? null });
    const terms = callCore<ArchiveTerms>("archiveOptions", { options: asked });
    this.#kept = new Kept(store, terms, onStoreError);
    [this.#shaper, this.#redacts] = [shaper, terms.redacts ?? undefined];
    this.#given = { redact, redactFields, redactTexts };
  }

  /**
   * Like `Shaper.shape`.
   *
   * @throws {ToolshapeError} The same errors; never because of the store.
   */
  async shape(value: unknown, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(call, (source) => this.#shape(source, { value }), this.#content({ value }));
  }

  /**
   * Like `Shaper.shapeJson`.
   *
   * @throws {ToolshapeError} The same errors; never because of the store.
   */
  async shapeJson(text: string, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(call, (source) => this.#shape(source, { json: text }), this.#content({ json: text }));
  }

  /**
   * Like `Shaper.shapeTogether`: the largest are stored until all of them have at most `combinedTokens`.
   *
   * @throws {ToolshapeError} The same errors; never because of the store.
   */
  async shapeTogether(results: readonly ArchiveReturned[], combinedTokens?: number): Promise<Shaped[]> {
    checkReturned(results);
    return this.#keep(
      results.map(({ call }) => call),
      (sources) =>
        this.#shaper.shapeTogether(
          sources.map((source, at) => returnedBy(source, results[at] as ArchiveReturned)),
          combinedTokens,
        ),
      (at, ...asked) => this.#content(results[at] as ArchiveReturned)(...asked),
    );
  }

  /**
   * Like `Shaper.summarizeText`.
   *
   * @throws {ToolshapeError} The same errors; never because of the store.
   */
  async summarizeText(text: string, summary: TextSummary = {}, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#one(
      call,
      ({ contents: [content = text], call }) => this.#shaper.summarizeText(content, summary, call),
      () => [{ text, isJson: false }],
    );
  }

  /**
   * The result of a call that continues in a stored result, so that the tool need not run. Null if the call does not
   * continue a stored result of its tool, or that result is gone: run the tool, and `shape`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshot(call: ArchiveCall = {}): Promise<Shaped | null> {
    const startedAt = performance.now();
    const { read } = await this.#read<Outcome | null>("textPage", call);
    return read && new Shaped(read, startedAt);
  }

  /**
   * Like `Shaper.shapeResult`. `redact` receives each part of the result that a model may read: texts, structured content,
   * links, and blocks of a form that MCP does not have. If it changes one, the result is made from the new parts.
   *
   * @throws {ToolshapeError} The same errors; never because of the store.
   */
  async shapeResult(returned: unknown, call: ArchiveCall = {}): Promise<ShapedResult> {
    return this.#one(
      call,
      (source) =>
        source.from === "own"
          ? this.#shaper.shapeResult(returned, source.call)
          : this.#shaper.shapeKeptResult(returned, source, source.contents, source.call),
      (call) => this.#shaper.resultContents(returned, call),
    );
  }

  /**
   * @internal Like `Shaper.thrownResult`. It is stored if it leaves something out, so that nobody runs the tool again to read its
   * error.
   */
  async thrownResult(error: unknown, call: ArchiveCall): Promise<ShapedResult | null> {
    const shaped = this.#shaper.thrownResult(error, { ...call, store: true });
    const isWhole = shaped === null || shaped.keep === null;
    if (isWhole && this.#redacts !== "all") return shaped;
    const said = { content: [{ type: "text", text: messageOf(error) }], isError: true };
    return this.shapeResult(isWhole ? (shaped?.result ?? said) : said, call);
  }

  /** @internal Like `Shaper.passResult`; null also if `redact` is to see what passes. */
  passResult(returned: unknown, tool: string | undefined, client: string | undefined): ShapedResult | null {
    return this.#redacts === "all" ? null : this.#shaper.passResult(returned, tool, client);
  }

  /**
   * Like `snapshot`, but returns a `CallToolResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshotResult(call: ArchiveCall = {}): Promise<ShapedResult | null> {
    const startedAt = performance.now();
    const { read } = await this.#read<ResultOutcome | null>("page", call);
    return read && assemble(read, undefined, startedAt);
  }

  /**
   * Answers a call of the tool `read_result`: the part of a stored result that its arguments ask for, shaped like any
   * result. If the arguments are wrong, or there is no such result for this `scope`, the result explains it.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a mistake of the server's author.
   */
  async readResult(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<Shaped> {
    const startedAt = performance.now();
    const { read, content } = await this.#read<Outcome>("part", { ...call, arguments: args });
    return new Shaped(read, startedAt, { value: content });
  }

  /**
   * The content of a resource `toolshape://result/{id}`, whose id is a handle, in the form of MCP's `resources/read`: the stored result,
   * shaped as `readResult` shapes it.
   *
   * @throws {ToolshapeError} `INVALID_HANDLE`, `NOT_FOUND`, `FORBIDDEN`, `STORE_FAILED`; `INVALID_CALL`.
   */
  async resource(uri: string, call: ArchiveCall = {}): Promise<ResultResource> {
    const { read } = await this.#read<Omit<ResultResource, "uri">>("resource", { ...call, arguments: { handle: uri } });
    return { uri, ...read };
  }

  /**
   * The whole of a stored result, for a tool of yours that writes it to a file or sends it on: a text, or JSON.
   *
   * @throws {ToolshapeError} The same errors.
   */
  async whole(handle: string, call: ArchiveCall = {}): Promise<string> {
    const { read } = await this.#read<string>("value", { ...call, arguments: { handle } });
    return read.startsWith('"') ? (JSON.parse(read) as string) : read;
  }

  /**
   * The text that a call of the tool `summarize` asks for, like `Shaper.toSummarize`: pass it to `summarizeText`. If the call is wrong, a result explains it.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a mistake of the server's author.
   */
  async toSummarize(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<SummaryTask | Shaped> {
    const startedAt = performance.now();
    const { read } = await this.#read<SummaryTask | Outcome>("summary", { ...call, arguments: args });
    return "summary" in read ? read : new Shaped(read, startedAt, { value: read.text });
  }

  #read<Read>(
    reads: string,
    { authorize, ...call }: ArchiveCall,
  ): Promise<{ read: Read; content: string | undefined }> {
    return new Session(this.#shaper, this.#kept, { authorize }).read(reads, call);
  }

  #shape(source: Source, own: ArchiveReturned): Shaped {
    const returned = returnedBy(source, own);
    return returned.json === undefined
      ? this.#shaper.shape(returned.value, returned.call)
      : this.#shaper.shapeJson(returned.json, returned.call);
  }

  /** The whole of what a tool returned: its content to store, if it was shaped before. */
  #content(own: ArchiveReturned): Whole {
    return (call, keep) =>
      keep ? [{ text: keep.content, isJson: keep.key.endsWith(".json") }] : this.#shaper.contents(own, call);
  }

  async #one<R extends { keep: Keep | null }>(
    call: ArchiveCall,
    shape: (source: Source) => R,
    whole: Whole,
  ): Promise<R> {
    const [shaped] = await this.#keep(
      [call],
      ([source]) => [shape(source as Source)],
      (_, ...asked) => whole(...asked),
    );
    return shaped as R;
  }

  #keep<R extends { keep: Keep | null }>(
    calls: readonly (ArchiveCall | undefined)[],
    shape: (sources: Source[]) => R[],
    whole: (at: number, ...asked: Parameters<Whole>) => Content[],
  ): Promise<R[]> {
    const session = new Session(this.#shaper, this.#kept, this.#given);
    return session.keep(calls.map(coreCall), this.#redacts, shape, whole);
  }
}

function returnedBy({ from, contents: [content = ""], call }: Source, own: ArchiveReturned): Returned {
  if (from === "own") return { ...own, call };
  return from === "json" ? { json: content, call } : { value: content, call };
}

/** The call as the core reads it. */
function coreCall({ authorize: _, ...call }: ArchiveCall = {}): Call {
  return call;
}
