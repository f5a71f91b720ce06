// Keeps complete results in a store. A result refers to the store only after the write succeeded; otherwise it reports
// the failure.

import {
  call as callCore,
  type Action,
  type Answer,
  type ArchiveTerms,
  type Content,
  type Input,
  type Lookup,
  type Redacted,
  type Redacts,
} from "./core.js";
import { checkArchive, placing } from "./misplaced.js";
import { described } from "./options.js";
import type { Shaped } from "./shaped.js";
import type { ShapedResult } from "./shaped_result.js";
import { checkReturned, type FoundTable, messageOf, type Shaper } from "./shaper.js";
import { Breaker } from "./stores/breaker.js";
import { reason, type Store } from "./stores/store.js";
import type { Call, Keep, Purpose, ResultResource, Returned, SummaryTask, TextSummary } from "./types.js";

/** The options of an archive. */
export interface ArchiveOptions {
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
export type ArchiveReturned =
  | { readonly value: unknown; readonly json?: undefined; readonly call?: ArchiveCall | undefined }
  | { readonly json: string; readonly call?: ArchiveCall | undefined };

/**
 * Shapes results like a shaper, with a store: a result that leaves something out is stored in full before it is
 * returned.
 *
 * If the store fails, the result reports it and is shaped without a store; the tool call still succeeds.
 */
export class Archive {
  readonly #shaper: Shaper;
  readonly #store: Store;
  readonly #redact: ArchiveOptions["redact"];
  readonly #onStoreError: ArchiveOptions["onStoreError"];
  readonly #limits: ArchiveTerms;
  readonly #breaker: Breaker;

  /** @throws {ToolshapeError} `INVALID_CALL` for an unknown option, or a value that an option does not take. */
  constructor(shaper: Shaper, store: Store, options: ArchiveOptions = {}) {
    const { redact, onStoreError } = options;
    checkArchive(shaper, store);
    this.#limits = placing("archive", options, () =>
      callCore<ArchiveTerms>("archiveOptions", { options: described({ ...options, store: store ?? null }) }),
    );
    this.#breaker = new Breaker(this.#limits);
    [this.#shaper, this.#store, this.#redact, this.#onStoreError] = [shaper, store, redact, onStoreError];
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
    return this.#kept(
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
    // A summary of the host's own is about the whole text, so `redact` receives both.
    const own = summary.summary === undefined ? [] : [{ text: summary.summary, isJson: false }];
    return this.#one(
      call,
      ({ contents: [content = text, written], call }) =>
        this.#shaper.summarizeText(content, written === undefined ? summary : { ...summary, summary: written }, call),
      () => [{ text, isJson: false }, ...own],
    );
  }

  /**
   * The result of a call that continues in a stored result, so that the tool need not run. Null if the call does not
   * continue a stored result of its tool, or that result is gone: run the tool, and `shape`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshot(call: ArchiveCall = {}): Promise<Shaped | null> {
    return this.#fromStore(call, (key, content, call) => this.#shaper.shapeSnapshot(key, content, call));
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
    if (shaped === null || shaped.keep === null) return shaped;
    return this.shapeResult({ content: [{ type: "text", text: messageOf(error) }], isError: true }, call);
  }

  /** @internal Like `Shaper.passResult`; null also if `redact` is to see what passes. */
  passResult(returned: unknown, tool: string | undefined, client: string | undefined): ShapedResult | null {
    return this.#limits.redacts === "all" ? null : this.#shaper.passResult(returned, tool, client);
  }

  /**
   * Like `snapshot`, but returns a `CallToolResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshotResult(call: ArchiveCall = {}): Promise<ShapedResult | null> {
    return this.#fromStore(call, (key, content, call) => this.#shaper.shapeSnapshotResult(key, content, call));
  }

  /** Applies `shape` to the stored result that answers a call, or to nothing if the caller may not read it. */
  async #fromStore<T>(
    asked: ArchiveCall,
    shape: (key: string, content: string, call: Call) => T | null,
  ): Promise<T | null> {
    const { key, content, call } = await this.#find("snapshot", asked);
    if (call.forbidden) return shape("", "", call);
    return key === null || content === null ? null : shape(key, content, call);
  }

  /**
   * Answers a call of the tool `read_result`: the part of a stored result that its arguments ask for, shaped like any
   * result. If the arguments are wrong, or there is no such result for this `scope`, the result explains it.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a mistake of the server's author.
   */
  async readResult(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<Shaped> {
    const asked = { ...call, arguments: args };
    const lookup = this.#lookup("read", asked);
    if (lookup.tables !== null) return this.#readSql(lookup, asked);
    const found = await this.#find("read", asked, lookup);
    return this.#shaper.readResult(found.key, found.content, found.call);
  }

  /** Answers in SQL. Each table is found, and `authorize` asked, as for a handle. */
  async #readSql({ tables, call }: Lookup, asked: ArchiveCall): Promise<Shaped> {
    const found: FoundTable[] = [];
    for (const handle of tables ?? [])
      found.push({ handle, ...(await this.#find("read", { ...asked, arguments: { handle } })) });
    return this.#shaper.readSql(found, { ...call, ...coreCall(asked) });
  }

  #lookup(purpose: Purpose, { authorize, ...asked }: ArchiveCall): Lookup {
    return this.#shaper.lookup(purpose, Boolean(authorize), asked);
  }

  /**
   * The content of a resource `toolshape://result/{id}`, whose id is a handle, in the form of MCP's `resources/read`: the stored result,
   * shaped as `readResult` shapes it.
   *
   * @throws {ToolshapeError} `INVALID_HANDLE`, `NOT_FOUND`, `FORBIDDEN`, `STORE_FAILED`; `INVALID_CALL`.
   */
  async resource(uri: string, call: ArchiveCall = {}): Promise<ResultResource> {
    const found = await this.#find("read", { ...call, arguments: { handle: uri } });
    return { uri, ...this.#shaper.resource(found.key, found.content, found.call) };
  }

  /**
   * The text that a call of the tool `summarize` asks for, like `Shaper.toSummarize`: pass it to `summarizeText`, with
   * your own summary if you have one. If the call is wrong, a result explains it.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a mistake of the server's author.
   */
  async toSummarize(args: Readonly<Record<string, unknown>>, call: ArchiveCall = {}): Promise<SummaryTask | Shaped> {
    const found = await this.#find("summarize", { ...call, arguments: args });
    return this.#shaper.toSummarize(found.key, found.content, found.call);
  }

  /** The stored result that a call names, or why it cannot be read; and the call with its defaults. */
  async #find(purpose: Purpose, given: ArchiveCall, lookup = this.#lookup(purpose, given)): Promise<Found> {
    const { authorize, ...asked } = given;
    const { ticket, keys, call: defaults } = lookup;
    let call: Call = { ...defaults, ...asked };
    const nothing = (why: Call = {}): Found => ({ key: null, content: null, call: { ...call, ...why } });
    try {
      if (ticket !== null) {
        const text = await this.#get(ticket);
        const opened = text === null ? null : this.#shaper.open(purpose, text, call);
        if (opened === null) return nothing();
        if (authorize && !(await this.#allows(authorize, opened.tools))) return nothing({ forbidden: true });
        keys.push(opened.key);
        call = { ...call, returnedBy: opened.tools };
      }
      for (const key of keys) {
        const content = await this.#get(key);
        if (content !== null) return { key, content, call };
      }
      return nothing();
    } catch (error) {
      this.#tell(error);
      return nothing({ storeFailure: reason(error) });
    }
  }

  /** Whether the caller may read what one of these tools returned. */
  async #allows(authorize: Authorize, tools: readonly string[]): Promise<boolean> {
    for (const tool of tools) {
      try {
        if ((await authorize(tool)) === true) return true;
      } catch (error) {
        this.#tell(error);
      }
    }
    return false;
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
    const [shaped] = await this.#kept(
      [call],
      ([source]) => [shape(source as Source)],
      (_, ...asked) => whole(...asked),
    );
    return shaped as R;
  }

  /**
   * Shapes results and performs the core's actions on the store until the core releases the results. `whole` returns all
   * that `redact` is to see of a result.
   */
  async #kept<R extends { keep: Keep | null }>(
    calls: readonly (ArchiveCall | undefined)[],
    shape: (sources: Source[]) => R[],
    whole: (at: number, ...asked: Parameters<Whole>) => Content[],
  ): Promise<R[]> {
    const contents: string[][] = [];
    const heard: Answer[][] = [];
    const nameOf = numbered();
    const redacts = this.#limits.redacts ?? undefined;
    let shaped: R[] = [];
    const each = (places: number[], work: (at: number) => Promise<Answer>): Promise<Answer[]> =>
      Promise.all(
        places.map((at) => work(at).catch((error: unknown) => (this.#tell(error), { failed: reason(error) }))),
      );
    for (;;) {
      const action = nextAction(calls.length, redacts, heard);
      switch (action.do) {
        case "done":
          return shaped;
        case "shape":
          shaped = shape(
            action.inputs.map((input, at) => ({
              ...input,
              contents: contents[at] ?? [],
              call: withStore(calls[at], input),
            })),
          );
          shaped.forEach(({ keep }, at) => keep && (contents[at] ??= [keep.content]));
          heard.push(shaped.map(({ keep }) => keep && nameOf(keep.key)));
          break;
        case "redact": {
          // What cannot be read is refused as it is without `redact`.
          const wholes = action.at.map((at) => whole(at, coreCall(calls[at]), shaped[at]?.keep ?? null));
          heard.push(
            await each(action.at, async (at) => {
              const given = wholes[action.at.indexOf(at)] as Content[];
              const redacted = await Promise.all(given.map((content) => this.#redacted(content)));
              if (redacted.every((text, part) => text === given[part]?.text)) return null;
              contents[at] = redacted;
              return { redacted: given[0]?.isJson ? "json" : "text" };
            }),
          );
          break;
        }
        case "store":
          heard.push(
            await each(action.at, async (at) => {
              const keep = shaped[at]?.keep as Keep;
              await this.#put(
                keep,
                calls.filter((_, at) => shaped[at]?.keep?.key === keep.key),
              );
              return null;
            }),
          );
      }
    }
  }

  /** What `redact` leaves of a content, as it is and as readers see it. */
  async #redacted({ text: given, isJson }: Content): Promise<string> {
    let text = given;
    let seen: string[] = [];
    for (let round = 0; ; round++) {
      const left = callCore<Redacted>("checkRedacted", { isJson, round, seen }, { text });
      text = left.text;
      seen = await Promise.all(left.readings.map((reading) => this.#callRedact(reading)));
      if (left.readings.every((reading, at) => reading === seen[at])) return text;
    }
  }

  async #callRedact(text: string): Promise<string> {
    const redacted: unknown = await this.#redact?.(text);
    return typeof redacted === "string" ? redacted : callCore("noText", { what: "redact", type: typeof redacted });
  }

  /** Stores a content, and then its ticket with the tools of the calls that returned it; and so its images. */
  async #put(keep: Keep, calls: readonly (ArchiveCall | undefined)[]): Promise<void> {
    const { key, ticket, content, owner, images } = keep;
    const set = (key: string, value: string): Promise<unknown> =>
      this.#breaker.ask(() => this.#store.set(key, value, this.#limits.ttlSeconds, owner));
    await set(key, content);
    // A ticket that cannot be read is written again.
    const known = await this.#get(ticket).catch(() => null);
    await set(ticket, calls.reduce((known, call) => this.#shaper.ticket(key, known, returning(call)), known) as string);
    if (images) await this.#put(images, calls);
  }

  async #get(key: string): Promise<string | null> {
    const content = await this.#breaker.ask(() => this.#store.get(key));
    if (content === null || content === undefined || typeof content === "string") return content ?? null;
    return callCore("noText", { what: "the store", type: typeof content });
  }

  #tell(error: unknown): void {
    try {
      this.#onStoreError?.(error);
    } catch {
      // Neither a failing store nor a failing callback may break the tool.
    }
  }
}

/** The next actions after what was heard of the last ones, by the core. It depends on nothing else, and is asked once for each. */
function nextAction(count: number, redacts: Redacts | undefined, heard: Answer[][]): Action {
  const asked = `${count} ${redacts} ${JSON.stringify(heard)}`;
  const known = actions.get(asked);
  if (known) return known;
  const action = callCore<Action>("keeping", { count, redacts, heard });
  // Reasons of failures may be new each time.
  if (count <= MOST_KNOWN && !asked.includes('"failed"')) actions.set(asked, action);
  return action;
}

const actions = new Map<string, Action>();
/** The most results whose actions are remembered. */
const MOST_KNOWN = 2;

/** Gives each key a number, as a key of the same form: the core only compares them, and then answers the same for all. */
function numbered(): (key: string) => string {
  const names = new Map<string, string>();
  return (key) => {
    const name = names.get(key) ?? String(names.size).padStart(ID_DIGITS, "0") + key.slice(ID_DIGITS);
    names.set(key, name);
    return name;
  };
}

/** The digits of a key's hash. */
const ID_DIGITS = 64;

/** What was found in a store, and its key; nothing if it is not there. And the call that it answers. */
interface Found {
  readonly key: string | null;
  readonly content: string | null;
  readonly call: Call;
}

/** Returns all that `redact` is to see of a result, which may have been shaped before. */
type Whole = (call: Call, keep: Keep | null) => Content[];

/** The input of shaping: what the tool returned, or `contents`. */
interface Source extends Input {
  readonly contents: string[];
  readonly call: Call;
}

function returnedBy({ from, contents: [content = ""], call }: Source, own: ArchiveReturned): Returned {
  if (from === "own") return { ...own, call };
  return from === "json" ? { json: content, call } : { value: content, call };
}

/** The call as the core reads it. */
function coreCall({ authorize: _, ...call }: ArchiveCall = {}): Call {
  return call;
}

/** What a ticket says of a call: which tool returned the content, and to whom. */
function returning({ tool, scope }: ArchiveCall = {}): Call {
  return { tool, scope };
}

function withStore(call: ArchiveCall | undefined, { redactFailure, storeFailure }: Input): Call {
  if (redactFailure !== null) return { ...coreCall(call), redactFailure };
  return { ...coreCall(call), ...(storeFailure === null ? { store: true } : { storeFailure }) };
}
