import { isControlFlow } from "./control_flow.js";
import { call as callCore, callShaper, run } from "./core.js";
import { isToolshapeError } from "./error.js";
import { checkGiven, checkText, escapeLoneSurrogates, optionsText } from "./options.js";
import { readReceipt, Shaped, type Passed } from "./shaped.js";
import { assemble, merged, ownForm, passed, type ShapedResult } from "./shaped_result.js";
import { soleText } from "./sole_text.js";
import type { Content, Input, Outcome, ResultOutcome } from "./core.js";
import type { Members, Parts } from "./request.js";
import type {
  Call,
  CallToolResult,
  ContentBlock,
  Keyset,
  LinkMapping,
  OwnTool,
  Plan,
  Policy,
  Returned,
  ShapedTool,
  SortValue,
  SummaryTask,
  TextSummary,
  Tool,
} from "./types.js";

/** What takes JSON text takes. */
const JSON_TEXT = "JSON text; shape takes values";

/** Shapes results under one policy. */
export class Shaper {
  readonly #policy: string;

  /** @throws {ToolshapeError} `INVALID_POLICY` for an unknown option, a wrong type or a value out of range. */
  constructor(policy: Policy = {}) {
    this.#policy = optionsText(policy, "INVALID_POLICY");
    run((core) => core.shaper(this.#policy));
  }

  /**
   * Shapes a value; a string is shaped as text. Reads only lengths and the parts of the value that are shown.
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
   * Shapes a JSON text. Numbers and keys keep their spelling.
   *
   * @throws {ToolshapeError} `INVALID_JSON` with line and column, `INVALID_CALL`, `TOO_DEEP`.
   */
  shapeJson(text: string, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const json = escapeLoneSurrogates(checkText(text, "text", JSON_TEXT));
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shapeJson(core.shaper(this.#policy), json, asked));
    return new Shaped(outcome ?? this.#passed(json, asked), startedAt, undefined, json);
  }

  /**
   * Shapes results that are returned together, so that their sum is at most `combinedTokens` (default: the policy's).
   * With a store the largest are stored first; without one each gets a smaller budget, at least 200 tokens.
   *
   * @throws {ToolshapeError} as `shape` and `shapeJson` do; the path begins with the result's index.
   */
  shapeTogether(results: readonly Returned[], combinedTokens?: number): Shaped[] {
    const startedAt = performance.now();
    const limit = optionsText({ combinedTokens }, "INVALID_CALL");
    checkReturned(results);
    const calls = results.map(({ call = {} }) => optionsText(call, "INVALID_CALL"));
    const texts = results.map(({ json }) =>
      json === undefined ? undefined : escapeLoneSurrogates(checkText(json, "json", JSON_TEXT)),
    );
    const values = results.map((one, at) => (texts[at] === undefined && "value" in one ? one.value : null));
    const outcomes = run((core) => core.exports.shapeTogether(core.shaper(this.#policy), values, texts, calls, limit));
    return outcomes.map(
      (outcome, at) =>
        new Shaped(outcome, startedAt, texts[at] === undefined ? { value: values[at] } : undefined, texts[at]),
    );
  }

  /**
   * Shapes a page of rows from your own query, sorted by `keys`: `limit` rows, and one more if more follow. It is
   * shaped like any list; the cursor contains the keys of the last row that is shown.
   *
   * @throws {ToolshapeError} `INVALID_CALL` naming the row, if rows lack a key, are not sorted by the keys or have
   * equal keys; `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  keysetPage(rows: readonly unknown[], keyset: Keyset, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const [wanted, asked] = [optionsText(keyset, "INVALID_CALL"), optionsText(call, "INVALID_CALL")];
    const outcome = run((core) => core.exports.keysetPage(core.shaper(this.#policy), rows, wanted, asked));
    return new Shaped(outcome, startedAt, { value: rows });
  }

  /**
   * The sort keys of the row after which your next query continues, in the order of `keys`; null for the first page. An
   * integer beyond the exact range of a number is a bigint.
   *
   * @throws {ToolshapeError} `INVALID_CURSOR` with the reason; `refusal` converts it to a result.
   */
  decodeKeyset(cursor: string | null | undefined, call: Call = {}): SortValue[] | null {
    const text = cursor === null || cursor === undefined ? undefined : checkText(cursor, "cursor");
    const values = this.#call<string[] | null>("decodeKeyset", { cursor: text, call });
    return values?.map(readSortValue) ?? null;
  }

  /**
   * The rows of a page for this call: the size that the caller asks for, within the policy. Fetch one more.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a page size out of range; `refusal` converts it to a result.
   */
  pageSize(call: Call = {}): number {
    return this.#call("pageSize", { call });
  }

  /**
   * The JSON Schema of a tool's results, to use as its output schema, if the policy declares that they are series or
   * grids; else null. It does not describe error results.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a name that is not a string.
   */
  outputSchema(tool?: string): Record<string, unknown> | null {
    return this.#call("outputSchema", { tool: tool === undefined ? undefined : checkText(tool, "tool") });
  }

  /**
   * Links to the rows of a list instead of the rows. `value` is MCP `content`: a text block that explains how to open a
   * link and which page it is, then a `resource_link` block for each row.
   *
   * @throws {ToolshapeError} `INVALID_CALL` naming the row, if it lacks a field of `uri` or `name`;
   * `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  links(rows: readonly unknown[], mapping: LinkMapping, call: Call = {}): Shaped<ContentBlock[]> {
    const startedAt = performance.now();
    const [wanted, asked] = [optionsText(mapping, "INVALID_CALL"), optionsText(call, "INVALID_CALL")];
    return new Shaped(
      run((core) => core.exports.links(core.shaper(this.#policy), rows, wanted, asked)),
      startedAt,
    );
  }

  /**
   * Summarizes a text over the budget by its own lines: a log by templates with counts, errors first; a document by
   * headings and leading sentences. A text within the budget passes unchanged.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, also if neither `call.store` nor `summary.uri` is given, because the rest
   * would be lost.
   */
  summarizeText(text: string, summary: TextSummary = {}, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const outcome = this.#call<Outcome>("summarizeText", { summary, call }, { text: checkText(text, "text") });
    return new Shaped(outcome, startedAt, { value: text });
  }

  /**
   * The text that a call of the tool `summarize` asks for, to pass to `summarizeText`; or the answer, if the text is
   * within the budget or the call is wrong. `key` and `content` are as in `readResult`.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for a mistake of the server's author.
   */
  toSummarize(key: string | null, content: string | null, call: Call): SummaryTask | Shaped {
    const startedAt = performance.now();
    const task = this.#ofStored<SummaryTask | Outcome>("toSummarize", key, content, call);
    return "summary" in task ? task : new Shaped(task, startedAt, { value: task.text });
  }

  /**
   * The result that explains to the model what is wrong with its call, such as an unusable cursor or a page size out of
   * range. Null for every other error.
   */
  refusal(error: unknown, call: Call = {}): Shaped | null {
    if (!isToolshapeError(error)) return null;
    const startedAt = performance.now();
    const { code, message, path } = error;
    const outcome = this.#call<Outcome | null>("refusal", { error: { code, message, path }, call });
    return outcome && new Shaped(outcome, startedAt);
  }

  /**
   * The result that reports an upstream's rate limit to the model: HTTP status 429 in the error that a client threw, in
   * a response, in a chain of causes or in an `AggregateError`. Null for everything else.
   *
   * If Retry-After is a date, the delay is counted from `now`, in seconds since 1970.
   *
   * @throws {ToolshapeError} `INVALID_CALL`; never because of `error`.
   */
  rateLimit(error: unknown, call: Call = {}, now: number = Date.now() / 1000): Shaped | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.rateLimit(core.shaper(this.#policy), error, asked, now));
    return outcome && new Shaped(outcome, startedAt);
  }

  /**
   * Shapes what a tool returned, a `CallToolResult` or any other value, to a `CallToolResult`. Texts and structured
   * content have the same data and are within the budget; everything else passes unchanged.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  shapeResult(returned: unknown, call: Call = {}): ShapedResult {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const text = soleText(returned);
    if (text !== undefined) {
      const outcome = run((core) => core.exports.shapeTextResult(core.shaper(this.#policy), text, asked));
      if (typeof outcome !== "string") return assemble(outcome, returned, startedAt);
      return passed(returned as CallToolResult, readReceipt(outcome, performance.now() - startedAt));
    }
    const own = ownForm(returned);
    const outcome = run((core) => core.exports.shapeResult(core.shaper(this.#policy), own, asked));
    return assemble(outcome, own, startedAt);
  }

  /**
   * @internal The same for a result that is one text, and passes for every call of the tool by the client that asks for no part:
   * the call is not written for the core, and not read there. Null for every other result.
   */
  passResult(returned: unknown, tool: string | undefined, client: string | undefined): ShapedResult | null {
    const startedAt = performance.now();
    const text = soleText(returned);
    if (text === undefined) return null;
    const receipt = run((core) => core.passText(this.#policy, text, tool, client, startedAt));
    return receipt === undefined ? null : passed(returned as CallToolResult, receipt);
  }

  /**
   * The result for an error that a tool threw: a rate limit, or an error with too long a message. Null for every other
   * error, for one that is a request to the client, and for one with which a framework controls a run, such as an
   * `AbortError` or an interrupt of LangGraph: rethrow it.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  thrownResult(error: unknown, call: Call = {}, now: number = Date.now() / 1000): ShapedResult | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    if (isControlFlow(error)) return null;
    const said = messageOf(error);
    const outcome = run((core) => core.exports.thrownResult(core.shaper(this.#policy), error, said, asked, now));
    return outcome && assemble(outcome, undefined, startedAt);
  }

  /**
   * The result for a call whose controls are wrong whatever the tool returns, such as a cursor of another call: return it
   * without running the tool. Null for every other call.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  checkCall(call: Call): ShapedResult | null {
    const startedAt = performance.now();
    const outcome = this.#call<ResultOutcome | null>("checkCall", { call });
    return outcome && assemble(outcome, undefined, startedAt);
  }

  /** @internal The result for the answer of a tool that an adapter adds. */
  answer({ text, image, isError, receipt }: Shaped, client: string | undefined): CallToolResult {
    const members = { tool: receipt.tool, image: image ?? undefined, isError, client };
    const outcome = this.#call<ResultOutcome>("answer", members, { text });
    return merged(outcome, undefined, receipt);
  }

  /** @internal Throws `INVALID_CALL` if calls cannot have a scope, because a tool that is shaped has no `cursorKey`. */
  checkScope(): void {
    this.#call("checkScope");
  }

  /** How an adapter handles a tool of a server with or without a store. */
  plan(tool: Tool, hasStore = false): Plan {
    return this.#call("plan", { tool, hasStore });
  }

  /** The same for a tool that is not listed: it may have arguments of any name, and its structured content is kept. */
  planUnlisted(name: string): Plan {
    return this.#call("planUnlisted", { name: checkText(name, "name") });
  }

  /** The tools that an adapter adds, with or without a store. */
  addedTools(hasStore: boolean, summarizes: boolean): OwnTool[] {
    return this.#call("addedTools", { hasStore, summarizes });
  }

  /** Whether the policy excludes a tool from shaping. */
  leavesAlone(tool: string): boolean {
    return this.#call("leavesAlone", { name: checkText(tool, "tool") });
  }

  /** @internal The next turn of a session. */
  step<T>(method: string, members: Members, parts?: Parts): T {
    return this.#call(method, members, parts);
  }

  /** @internal The whole of a value, or of a JSON text instead, as `redact` sees it. */
  contents(own: Returned, call: Call): Content[] {
    const asked = optionsText(call, "INVALID_CALL");
    const text = own.json === undefined ? undefined : escapeLoneSurrogates(checkText(own.json, "json"));
    const value = "value" in own && own.value !== undefined ? own.value : null;
    return run((core) => core.exports.contents(core.shaper(this.#policy), value, text, asked));
  }

  /** @internal The contents of what a tool returned, as `redact` sees them. */
  resultContents(returned: unknown, call: Call): Content[] {
    const asked = optionsText(call, "INVALID_CALL");
    return run((core) => core.exports.resultContents(core.shaper(this.#policy), ownForm(returned), asked));
  }

  /** @internal Like `shapeResult`, but from contents in place of those of the result. */
  shapeKeptResult(returned: unknown, { from, isRedacted }: Input, contents: string[], call: Call): ShapedResult {
    const startedAt = performance.now();
    const [asked, own] = [optionsText(call, "INVALID_CALL"), ownForm(returned)];
    const outcome = run((core) =>
      core.exports.shapeKeptResult(core.shaper(this.#policy), own, contents, from === "json", isRedacted, asked),
    );
    return assemble(outcome, own, startedAt);
  }

  /** A result that passes unchanged. */
  #passed(text: string, asked: string): Passed {
    const receipt = (): string => run((core) => core.exports.receipt(core.shaper(this.#policy), text, asked));
    return { text, unchanged: true, isError: false, receipt, keep: null };
  }

  /**
   * A tool in the form of MCP's `tools/list`, as clients of a server with or without a store see it. Its input schema has the
   * call controls, unless the policy's `controls` has them in `read_result` alone, as it does by default with a store.
   */
  tool(tool: Tool, hasStore = false): ShapedTool {
    return this.#call("tool", { tool, hasStore });
  }

  /** Calls a method that all faces share. */
  #call<T>(method: string, members?: Members, parts?: Parts): T {
    return callShaper(this.#policy, method, members, parts);
  }

  /** Calls a method about what a store has under a key; null if it has nothing. */
  #ofStored<T>(method: string, key: string | null, content: string | null, call: Call): T {
    const name = key === null ? undefined : checkText(key, "key");
    const stored = content === null ? undefined : checkText(content, "content");
    return this.#call(method, { key: name, call }, { content: stored });
  }
}

/** A sort key as a value; integers keep every digit. */
function readSortValue(json: string): SortValue {
  const value = JSON.parse(json) as SortValue;
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(json) ? BigInt(json) : value;
}

/** @throws {ToolshapeError} `INVALID_CALL` for a key that a result of several does not have. */
export function checkReturned(results: readonly object[]): void {
  checkGiven(Array.isArray(results), results, "results", "a list, [{ value, call }, { json, call }]");
  results.forEach((one, index) => callCore("checkReturned", { index, keys: Object.keys(one) }));
}

/** @internal What a server shows of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
