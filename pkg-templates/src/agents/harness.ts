// The results of an agent's tools, without a framework: adapters for frameworks are thin faces over it.

import { Archive, type ArchiveCall, type ArchiveOptions } from "../archive.js";
import { isProtocolError } from "../control_flow.js";
import { call as callCore } from "../core.js";
import { isToolshapeError } from "../error.js";
import { ToolNames } from "../mcp/tool_names.js";
import { checkGiven, described } from "../options.js";
import { toStandardError } from "../receipt_log.js";
import { Shaped, writtenAs } from "../shaped.js";
import { Shaper } from "../shaper.js";
import type { ShapedResult } from "../shaped_result.js";
import { sharedMemory } from "../stores/memory.js";
import type { Store } from "../stores/store.js";
import { countTokens } from "../tokens.js";
import type { Encoding, OwnTool, Policy, Receipt } from "../types.js";
import { isWritten, mcpOf, ofParts, partOf, Parts, textIn, withText } from "./parts.js";

export { Parts };

/** The options of a harness, in addition to the policy. */
export interface HarnessOptions extends ArchiveOptions {
  /**
   * Where complete results are kept. Default: the memory of this process, at most 128 MiB. Null is refused, because what is
   * left out is read from it.
   */
  readonly store?: Store | undefined;
  /** The owner of stored results, such as a tenant; needs a `cursorKey`. */
  readonly scope?: string | undefined;
  /** Called with the receipt of every shaped result. Default: a line about each that was changed, on standard error. */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /**
   * Called once with each warning, such as one of options for a tool that the agent does not have. Default: a line on standard
   * error.
   */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** The arguments of a call: an object, or its JSON text. */
export type ToolArguments = CallArguments | string;

type CallArguments = Readonly<Record<string, unknown>>;

/** A result for a model; `JSON.stringify` writes its `content`. */
export interface HarnessResult {
  /** Its texts, and the tool's own blocks and `Parts`. */
  readonly parts: readonly unknown[];
  /** The parts as blocks: texts have the form `{ type: "text", text }`. */
  // biome-ignore lint/suspicious/noExplicitAny: each framework has its own types of blocks.
  readonly blocks: any[];
  /** Its texts together. */
  readonly text: string;
  /** Whether all parts are texts. */
  readonly isText: boolean;
  /** The text, or the blocks if there are others than texts. */
  // biome-ignore lint/suspicious/noExplicitAny: each framework has its own types of blocks.
  readonly content: string | any[];
  /** Whether it reports an error. */
  readonly isError: boolean;
  /** Whether it is the tool's own: then a framework can send what the tool returned. */
  readonly isUnchanged: boolean;
  /** What the tool returned, for users and programs; undefined if it threw. */
  readonly original: unknown;
}

/** A result of a turn that is one text. */
export interface TurnResult {
  /** The name of its tool. */
  readonly tool?: string | undefined;
  readonly text: string;
}

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: OwnTool["inputSchema"];
}

/** A tool that reads stored results: its definition in the forms of MCP and of models' APIs, and its function. */
export interface HarnessTool {
  readonly mcp: OwnTool;
  /** OpenAI's Chat Completions. */
  readonly openai: { readonly type: "function"; readonly function: Definition };
  /** OpenAI's Responses. */
  readonly responses: Definition & { readonly type: "function"; readonly strict: false };
  /** Anthropic's Messages. */
  readonly anthropic: Omit<Definition, "parameters"> & { readonly input_schema: OwnTool["inputSchema"] };
  readonly call: (args: ToolArguments) => Promise<HarnessResult>;
}

/** Our tools in the forms of frameworks. */
const ADDED = new WeakSet<object>();

/** Shapes what an agent's tools return, keeps the whole, and reads it back. */
export class Harness {
  readonly #shaper: Shaper;
  readonly #archive: Archive;
  readonly #scope: string | undefined;
  readonly #onReceipt: (receipt: Receipt) => void;
  readonly #names: ToolNames;
  readonly #encoding: Encoding;
  readonly #combinedTokens: number;
  /** The tools to give to the model in addition to one's own. */
  readonly tools: readonly HarnessTool[];

  /** @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option. */
  constructor(policy: Policy = {}, options: HarnessOptions = {}) {
    callCore("checkHarnessOptions", { options: described(options) });
    const { store = sharedMemory(), scope, onReceipt, onWarning, ...ofArchive } = options;
    this.#shaper = new Shaper(policy);
    checkGiven(typeof (scope ?? "") === "string", scope, "scope", "a string, such as the name of a tenant");
    if (scope) this.#shaper.checkScope();
    this.#archive = new Archive(this.#shaper, store, ofArchive);
    [this.#scope, this.#onReceipt] = [scope ?? undefined, onReceipt ?? toStandardError()];
    this.#names = new ToolNames(policy.tools, onWarning ?? undefined);
    this.#encoding = policy.encoding ?? "o200k_base";
    this.#combinedTokens = policy.combinedTokens ?? COMBINED_TOKENS;
    this.tools = this.#shaper.addedTools(true, false).map((tool) => this.#tool(tool));
  }

  /** `tools` in the form of a framework. */
  added<T extends object>(form: (tool: HarnessTool) => T): T[] {
    return this.tools.map((tool) => {
      const added = form(tool);
      ADDED.add(added);
      return added;
    });
  }

  /** Whether one of an agent's tools is of `added`. */
  hasAdded(tools: readonly object[]): boolean {
    return tools.some((tool) => ADDED.has(tool));
  }

  /**
   * An agent's own tools, by their names, without those of `added`; `checkNames` knows them.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for one that has the name of one of `tools`.
   */
  own<T extends object>(named: readonly (readonly [name: string, tool: T])[]): (readonly [name: string, tool: T])[] {
    const own = named.filter(([, tool]) => !ADDED.has(tool));
    const added = this.tools.map(({ mcp }) => mcp.name);
    for (const [name] of own) {
      callCore("checkToolName", { name, added });
      this.#names.add(name);
    }
    return own;
  }

  /** Warns once. */
  warn(warning: string): void {
    this.#names.warn(warning);
  }

  /**
   * Runs a call, and returns its result within the budget. `work` gets the arguments, and returns anything: a text, a value, an
   * iterator, a `CallToolResult`, `Parts`, or what is shaped already. `read` finds the value for the model in an object of a framework. A
   * call of one of `tools` is answered without them. A rate limit, an error
   * whose message is over the budget, and a value without a JSON form become results.
   *
   * @throws {ToolshapeError} `INVALID_CALL` if `work` is not a function. Every other error of `work`, unchanged.
   */
  async call(
    name: string,
    args: ToolArguments,
    work: (args: CallArguments) => unknown,
    // biome-ignore lint/suspicious/noExplicitAny: each framework has its own objects.
    read: (returned: any) => unknown = (returned) => returned,
  ): Promise<HarnessResult> {
    checkGiven(typeof work === "function", work, "work", "a function of the arguments");
    const own = this.#toolOf(name);
    const given = argumentsOf(args);
    if (own !== undefined) return own.call(args);
    const continued = given && (await this.continued(given));
    if (continued) return continued;
    const call = { ...this.#shaper.planUnlisted(name).call, arguments: { ...given }, scope: this.#scope };
    if (given === undefined) return this.#result(await this.#shaped(NO_ARGUMENTS, name, call), undefined, false);
    let returned: unknown;
    let [original, value]: unknown[] = [];
    try {
      returned = await work(given);
      original = await collected(returned);
      value = read(original);
    } catch (error) {
      const shaped = isProtocolError(error) ? null : await this.#archive.thrownResult(error, call);
      if (shaped === null) throw error;
      return this.#result(shaped, undefined, false);
    }
    if (typeof value === "object" && value !== null && RESULTS.has(value))
      return made({ ...(value as HarnessResult), isUnchanged: false });
    try {
      const shaped = await this.#shaped(value, name, call);
      return this.#result(shaped, original, original === returned && isWritten(value, shaped));
    } catch (error) {
      if (!isToolshapeError(error) || !["UNSUPPORTED_VALUE", "TOO_DEEP"].includes(error.code)) throw error;
      return this.#result(await this.#shaped(new Parts([error.message], true), name, call), original, false);
    }
  }

  async #shaped(value: unknown, name: string, call: ArchiveCall): Promise<ShapedResult> {
    const returned = value instanceof Parts ? mcpOf(value) : value;
    const passed = this.#scope === undefined ? this.#archive.passResult(returned, name, undefined) : null;
    return passed ?? (await this.#archive.shapeResult(returned, call));
  }

  /**
   * The next part of a stored result, if the arguments of a call have a cursor into one: then the tool need not run, and often
   * would not know it.
   */
  async continued({ cursor }: CallArguments): Promise<HarnessResult | undefined> {
    if (typeof cursor !== "string") return undefined;
    const answer = await this.#archive.readResult({ cursor }, { scope: this.#scope });
    return answer.isError ? undefined : this.#answer(answer);
  }

  /** Warns once of options in the policy for tools that are not among these and those of `own`. */
  checkNames(tools: Iterable<string> = []): void {
    for (const tool of tools) this.#names.add(tool);
    this.#names.check();
  }

  /** Whether this is the name of one of `tools`. */
  reads(name: string): boolean {
    return this.#toolOf(name) !== undefined;
  }

  #toolOf(name: string): HarnessTool | undefined {
    return this.tools.find(({ mcp }) => mcp.name === name);
  }

  /**
   * The texts of results that a model reads together, at most `combinedTokens` of the policy in sum [default: 6000]: the largest
   * are stored first, the smallest stay as they are; what is smaller than a handle always does. The same texts give the same answer, so a turn can be fitted each time it is
   * sent.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for something else than a list of results.
   */
  async fit(turn: readonly TurnResult[]): Promise<string[]> {
    const areResults = Array.isArray(turn) && turn.every((result) => typeof result?.text === "string");
    checkGiven(areResults, turn, "turn", "a list of results, [{ tool, text }]");
    const texts = turn.map(({ text }) => text);
    const sum = texts.reduce((sum, text) => sum + countTokens(text, this.#encoding), 0);
    if (sum <= this.#combinedTokens || texts.length < 2) return texts;
    const results = turn.map(({ tool, text }) => ({ value: text, call: { tool, scope: this.#scope } }));
    const shaped = await this.#archive.shapeTogether(results, this.#combinedTokens);
    for (const { receipt } of shaped) if (receipt.steps.length > 0) this.#report(receipt);
    return shaped.map(({ text }, at) => (shaped[at]?.unchanged ? (texts[at] as string) : text));
  }

  /**
   * Items among which are results, in which the texts of each turn are within their sum. `read` finds the tool of a result and its
   * content, which is a text or blocks; undefined for another item, which ends a turn. `write` puts a content of the same kind into an
   * item.
   */
  async fitEach<T>(
    items: readonly T[],
    read: (item: T) => { tool: string | undefined; content: unknown } | undefined,
    // biome-ignore lint/suspicious/noExplicitAny: each framework has its own types of blocks.
    write: (item: T, content: any) => T,
  ): Promise<T[]> {
    const fitted = [...items];
    let turn: { at: number; content: unknown; result: TurnResult }[] = [];
    const end = async (): Promise<void> => {
      const texts = await this.fit(turn.map(({ result }) => result));
      for (const [place, { at, content, result }] of turn.entries()) {
        const text = texts[place] as string;
        if (text !== result.text) fitted[at] = write(fitted[at] as T, withText(content, text));
      }
      turn = [];
    };
    for (const [at, item] of items.entries()) {
      const result = read(item);
      const text = textIn(result?.content);
      if (result === undefined) await end();
      else if (text !== undefined) turn.push({ at, content: result.content, result: { tool: result.tool, text } });
    }
    await end();
    return fitted;
  }

  #tool(mcp: OwnTool): HarnessTool {
    const { name, description, inputSchema: parameters } = mcp;
    return {
      mcp,
      openai: { type: "function", function: { name, description, parameters } },
      responses: { type: "function", name, description, parameters, strict: false },
      anthropic: { name, description, input_schema: parameters },
      call: async (args) => {
        const given = argumentsOf(args);
        if (given === undefined)
          return made({ ...ofParts(NO_ARGUMENTS.parts), isError: true, isUnchanged: false, original: undefined });
        return this.#answer(await this.#archive.readResult(given, { scope: this.#scope }));
      },
    };
  }

  #answer({ text, image, isError, receipt }: Shaped): HarnessResult {
    this.#report(receipt);
    const part: unknown = image === null ? text : JSON.parse(image);
    return made({ ...ofParts([part]), isError, isUnchanged: false, original: part });
  }

  #result({ result, isError, unchanged, receipt }: ShapedResult, original: unknown, isOwn: boolean): HarnessResult {
    if (receipt !== null) this.#report(receipt);
    const isUnchanged = isOwn && (unchanged || receipt === null || receipt.steps.length === 0);
    const { content, structuredContent } = result;
    const isData = content.length === 0 && structuredContent !== undefined;
    const parts = isData ? [JSON.stringify(structuredContent)] : content.map(partOf);
    return made({ ...ofParts(parts), isError, isUnchanged, original });
  }

  #report(receipt: Receipt): void {
    this.#names.checkFields(receipt);
    try {
      this.#onReceipt(receipt);
    } catch {
      // A failing receipt callback must not break the result.
    }
  }
}

const COMBINED_TOKENS = 6000;

/** The arguments; undefined if they are not an object, as where a model's output is cut off. */
function argumentsOf(args: ToolArguments): CallArguments | undefined {
  let given: unknown = args;
  if (typeof args === "string") {
    try {
      given = JSON.parse(args || "{}");
    } catch {
      return undefined;
    }
  }
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as CallArguments) : undefined;
}

/** What a model reads whose arguments are not an object: the tool must not run without its filters. */
const NO_ARGUMENTS = new Parts(["The arguments are not a JSON object, so nothing was called. Repeat the call."], true);

/** The results of `call`, which pass where a tool returns one. */
const RESULTS = new WeakSet<object>();

function made(result: HarnessResult): HarnessResult {
  RESULTS.add(result);
  return writtenAs(result, result.content);
}

/** What an iterator gives, as a list; the text of what is shaped already; any other value. */
async function collected(value: unknown): Promise<unknown> {
  if (value instanceof Shaped) return new Parts([value.text], value.isError);
  if (typeof value !== "object" || value === null || !("next" in value)) return value;
  if (Symbol.asyncIterator in value) {
    const items: unknown[] = [];
    for await (const item of value as AsyncIterable<unknown>) items.push(item);
    return items;
  }
  return Symbol.iterator in value ? [...(value as Iterable<unknown>)] : value;
}
