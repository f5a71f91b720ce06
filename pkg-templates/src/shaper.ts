import { run } from "./core.js";
import { isToolshapeError } from "./error.js";
import { checkText, escapeLoneSurrogates, optionsText } from "./options.js";
import { Shaped, type Passed } from "./shaped.js";
import { assemble, type ShapedResult } from "./shaped_result.js";
import type { Input, Lookup, Purpose } from "./core.js";
import type { Call, Keyset, LinkMapping, Plan, Policy, ResultResource, Returned, ShapedTool, SortValue, SummaryTask, TextSummary, Tool } from "./types.js";

/** Shapes results under one policy. */
export class Shaper {
  readonly #policy: string;

  /**
   * @throws {ToolshapeError} `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
   */
  constructor(policy: Policy = {}) {
    this.#policy = optionsText(policy, "INVALID_POLICY");
    run((core) => core.shaper(this.#policy));
  }

  /**
   * Shapes a value; a string is shaped as text. Nothing is read of the value but what is shown, and lengths.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  shape(value: unknown, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shape(core.shaper(this.#policy), value, asked));
    return new Shaped(typeof outcome === "string" ? this.#passed(outcome, asked) : outcome, startedAt, { value });
  }

  /**
   * Shapes a JSON text: numbers and keys come out as they are spelled in it.
   *
   * @throws {ToolshapeError} `INVALID_JSON` with line and column, `INVALID_CALL`, `TOO_DEEP`.
   */
  shapeJson(text: string, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const json = escapeLoneSurrogates(checkText(text, "text"));
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shapeJson(core.shaper(this.#policy), json, asked));
    return new Shaped(outcome ?? this.#passed(json, asked), startedAt, undefined, json);
  }

  /**
   * Shapes results that come back together, so that they have at most `combinedTokens` in all (the policy's, if
   * left out): with a store the largest are stored first, without one they get less room, none less than 200.
   *
   * @throws {ToolshapeError} as `shape` and `shapeJson` do, the path led by the result's index.
   */
  shapeTogether(results: readonly Returned[], combinedTokens?: number): Shaped[] {
    const startedAt = performance.now();
    const limit = optionsText({ combinedTokens }, "INVALID_CALL");
    const calls = results.map(({ call = {} }) => optionsText(call, "INVALID_CALL"));
    const texts = results.map(({ json }) => (json === undefined ? undefined : escapeLoneSurrogates(checkText(json, "json"))));
    const values = results.map((one, at) => (texts[at] === undefined && "value" in one ? one.value : null));
    const outcomes = run((core) => core.exports.shapeTogether(core.shaper(this.#policy), values, texts, calls, limit));
    return outcomes.map((outcome, at) => new Shaped(outcome, startedAt, texts[at] === undefined ? { value: values[at] } : undefined, texts[at]));
  }

  /**
   * The handle of the stored result that serves this call, so that the tool need not run; null where its
   * cursor names none. Get it from your store by one of its `handleKeys`, and call `shapeSnapshot`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  snapshot(call: Call = {}): string | null {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.snapshot(core.shaper(this.#policy), asked));
  }

  /**
   * Shapes what your store holds under `key` for a call that it serves. Null where that is not what the call's
   * cursor names, because it was changed or belongs to another scope: then run the tool.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  shapeSnapshot(key: string, content: string, call: Call = {}): Shaped | null {
    const startedAt = performance.now();
    const [name, text] = [checkText(key, "key"), checkText(content, "content")];
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shapeSnapshot(core.shaper(this.#policy), name, text, asked));
    return outcome && new Shaped(outcome, startedAt);
  }

  /**
   * A page of rows that your own query fetched, sorted by `keys`: `limit` of them, and one more if more
   * follow. Shaped as any list; the cursor holds the keys of the last row shown.
   *
   * @throws {ToolshapeError} `INVALID_CALL` naming the row, for rows that lack a key, are not in the order of
   * their keys or are not told apart by them; `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  keysetPage(rows: readonly unknown[], keyset: Keyset, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const [wanted, asked] = [optionsText(keyset, "INVALID_CALL"), optionsText(call, "INVALID_CALL")];
    const outcome = run((core) => core.exports.keysetPage(core.shaper(this.#policy), rows, wanted, asked));
    return new Shaped(outcome, startedAt, { value: rows });
  }

  /**
   * The sort keys of the row after which your next query goes on, in the order of `keys`; null for the first
   * page. An integer that a number cannot hold is a bigint.
   *
   * @throws {ToolshapeError} `INVALID_CURSOR` with the reason, which `refusal` makes a result of.
   */
  decodeKeyset(cursor: string | null | undefined, call: Call = {}): SortValue[] | null {
    const text = cursor === null || cursor === undefined ? undefined : checkText(cursor, "cursor");
    const asked = optionsText(call, "INVALID_CALL");
    const values = run((core) => core.exports.decodeKeyset(core.shaper(this.#policy), text, asked));
    return values && values.map(readSortValue);
  }

  /**
   * How many rows a page of this call takes: what the caller asks for, within the policy. Fetch one more.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a page size out of range, which `refusal` makes a result of.
   */
  pageSize(call: Call = {}): number {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.pageSize(core.shaper(this.#policy), asked));
  }

  /**
   * The JSON Schema of a tool's results, for its output schema, if the policy declares that they are series or
   * grids; else null. Results that explain an error are not described.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a name that is no string.
   */
  outputSchema(tool?: string): Record<string, unknown> | null {
    const name = tool === undefined ? undefined : checkText(tool, "tool");
    return run((core) => core.exports.outputSchema(core.shaper(this.#policy), name));
  }

  /**
   * Links to the rows of a list instead of the rows: `value` is MCP `content`, a text block that says how to
   * open one and where the page stands, then a `resource_link` block for each row.
   *
   * @throws {ToolshapeError} `INVALID_CALL` naming the row, for one that lacks a field of `uri` or `name`;
   * `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  links(rows: readonly unknown[], mapping: LinkMapping, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const [wanted, asked] = [optionsText(mapping, "INVALID_CALL"), optionsText(call, "INVALID_CALL")];
    return new Shaped(run((core) => core.exports.links(core.shaper(this.#policy), rows, wanted, asked)), startedAt);
  }

  /**
   * The names under which a store may hold what a call of `read_result` asks for: the likelier first.
   *
   * @throws {ToolshapeError} `INVALID_HANDLE` for whatever is no handle, which `refusal` makes a result of.
   */
  readKeys(call: Call): [string, string] {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.readKeys(core.shaper(this.#policy), asked));
  }

  /**
   * Answers a call of `read_result` from what the store holds: the name under which it was found, and the
   * content; null where there is nothing. What is wrong with the call, and a content that is not the one that
   * the handle names, is explained in a result.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  readResult(key: string | null, content: string | null, call: Call): Shaped {
    const startedAt = performance.now();
    const name = key === null ? undefined : checkText(key, "key");
    const text = content === null ? undefined : checkText(content, "content");
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.readResult(core.shaper(this.#policy), name, text, asked));
    return new Shaped(outcome, startedAt, { value: content });
  }

  /**
   * Summarizes a text over the budget by its own lines: a log by templates with counts, errors first; a
   * document by headings and leading sentences. A text that fits passes unchanged.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, also where there is neither `call.store` nor `summary.uri`, so that the
   * rest would be lost.
   */
  summarizeText(text: string, summary: TextSummary = {}, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const given = checkText(text, "text");
    const [wanted, asked] = [optionsText(summary, "INVALID_CALL"), optionsText(call, "INVALID_CALL")];
    const outcome = run((core) => core.exports.summarizeText(core.shaper(this.#policy), given, wanted, asked));
    return new Shaped(outcome, startedAt, { value: text });
  }

  /**
   * What a call of the tool `summarize` is about: a text, for `summarizeText`, or its answer where there is nothing
   * to summarize, because the text fits or the call is wrong. `key` and `content` are as for `readResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for what the server's author got wrong.
   */
  toSummarize(key: string | null, content: string | null, call: Call): SummaryTask | Shaped {
    const startedAt = performance.now();
    const name = key === null ? undefined : checkText(key, "key");
    const held = content === null ? undefined : checkText(content, "content");
    const given = optionsText(call, "INVALID_CALL");
    const asked = run((core) => core.exports.toSummarize(core.shaper(this.#policy), name, held, given));
    if (!("maxTokens" in asked)) return new Shaped(asked, startedAt, { value: asked.text });
    const { text, summary, maxTokens } = asked;
    return { text, summary: JSON.parse(summary) as TextSummary, maxTokens };
  }

  /**
   * The result that explains to the model what was wrong with its call, if that is what was thrown: a cursor
   * that cannot be used, a page size out of range. Null for everything else.
   */
  refusal(error: unknown, call: Call = {}): Shaped | null {
    if (!isToolshapeError(error)) return null;
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const { code, message, path } = error;
    const outcome = run((core) => core.exports.refusal(core.shaper(this.#policy), code, message, path, asked));
    return outcome && new Shaped(outcome, startedAt);
  }

  /**
   * The result that tells the model of an upstream's rate limit, if that is what a client threw: HTTP
   * status 429, also in a response, in a chain of causes or in an `AggregateError`. Null for everything else.
   *
   * A Retry-After that is a date counts from `now`, in seconds since 1970.
   *
   * @throws {ToolshapeError} `INVALID_CALL`; never for what the error is.
   */
  rateLimit(error: unknown, call: Call = {}, now: number = Date.now() / 1000): Shaped | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.rateLimit(core.shaper(this.#policy), error, asked, now));
    return outcome && new Shaped(outcome, startedAt);
  }

  /**
   * Shapes what a tool returned, a `CallToolResult` or a value of its own, to a `CallToolResult`: texts and
   * structured content tell the same and fit, all else passes.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  shapeResult(returned: unknown, call: Call = {}): ShapedResult {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const value = returned === undefined ? null : returned;
    const outcome = run((core) => core.exports.shapeResult(core.shaper(this.#policy), value, asked));
    return assemble(outcome, returned, startedAt);
  }

  /**
   * As `shapeSnapshot`, as a `CallToolResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  shapeSnapshotResult(key: string, content: string, call: Call = {}): ShapedResult | null {
    const startedAt = performance.now();
    const [name, text] = [checkText(key, "key"), checkText(content, "content")];
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shapeSnapshotResult(core.shaper(this.#policy), name, text, asked));
    return outcome && assemble(outcome, undefined, startedAt);
  }

  /** As `rateLimit`, as a `CallToolResult`. */
  rateLimitResult(error: unknown, call: Call = {}, now: number = Date.now() / 1000): ShapedResult | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.rateLimitResult(core.shaper(this.#policy), error, asked, now));
    return outcome && assemble(outcome, undefined, startedAt);
  }

  /**
   * The result for what a tool threw: for a rate limit, and for an error whose message is too long. Null for every
   * other error, and for one that asks the client for something: throw it on.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  thrownResult(error: unknown, call: Call = {}, now: number = Date.now() / 1000): ShapedResult | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const said = error instanceof Error ? error.message : String(error);
    const outcome = run((core) => core.exports.thrownResult(core.shaper(this.#policy), error, said, asked, now));
    return outcome && assemble(outcome, undefined, startedAt);
  }

  /** What becomes of a tool in an adapter. */
  plan(tool: Tool): Plan {
    const given = optionsText(tool, "INVALID_CALL");
    return JSON.parse(run((core) => core.exports.plan(core.shaper(this.#policy), given))) as Plan;
  }

  /** The same for a tool that no list tells of: it may have arguments of any name, and its structured content stays. */
  planUnlisted(name: string): Plan {
    const text = checkText(name, "name");
    return JSON.parse(run((core) => core.exports.planUnlisted(core.shaper(this.#policy), text))) as Plan;
  }

  /** Whether the policy leaves a tool alone. */
  leavesAlone(tool: string): boolean {
    const text = checkText(tool, "tool");
    return run((core) => core.exports.leavesAlone(core.shaper(this.#policy), text));
  }

  /** @internal Where to look for what a call names in a store. */
  lookup(purpose: Purpose, call: Call): Lookup {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.lookup(core.shaper(this.#policy), purpose, asked));
  }

  /** @internal What a resource holds, as `readResult`. */
  resource(key: string | null, content: string | null, call: Call): Omit<ResultResource, "uri"> {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.resource(core.shaper(this.#policy), key ?? undefined, content ?? undefined, asked));
  }

  /** @internal As `shapeResult`, from what is to be stored of the result; `passed` are indices of blocks that stay. */
  shapeKeptResult(returned: unknown, { from, isRedacted }: Input, content: string, passed: number[], call: Call): ShapedResult {
    const startedAt = performance.now();
    const [asked, value, blocks] = [optionsText(call, "INVALID_CALL"), returned === undefined ? null : returned, new Uint32Array(passed)];
    const outcome = run((core) =>
      core.exports.shapeKeptResult(core.shaper(this.#policy), value, content, from === "json", isRedacted, blocks, asked),
    );
    return assemble(outcome, returned, startedAt);
  }

  /** A result that passes as it is. */
  #passed(text: string, asked: string): Passed {
    const receipt = (): string => run((core) => core.exports.receipt(core.shaper(this.#policy), text, asked));
    return { text, unchanged: true, isError: false, receipt, keep: null };
  }

  /** A tool, in the form of MCP's `tools/list`, as clients are to see it. */
  tool(tool: Tool): ShapedTool {
    const given = optionsText(tool, "INVALID_CALL");
    return JSON.parse(run((core) => core.exports.tool(core.shaper(this.#policy), given))) as ShapedTool;
  }
}

/** A sort key as a value, to the last digit where it is an integer. */
function readSortValue(json: string): SortValue {
  const value = JSON.parse(json) as SortValue;
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(json) ? BigInt(json) : value;
}
