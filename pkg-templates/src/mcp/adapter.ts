// What adapters do, whatever SDK they are for: plan a tool, run a call of it. The core decides; this carries.

import { Archive, type ArchiveOptions } from "../archive.js";
import { readResultTool, summarizeTool } from "../own_tools.js";
import { Shaped } from "../shaped.js";
import { Shaper } from "../shaper.js";
import type { ShapedResult } from "../shaped_result.js";
import type { Store } from "../stores/store.js";
import type { Call, CallToolResult, OwnTool, Policy, Receipt, ShapedTool, Tool } from "../types.js";
import { askSummarizer, checkSummarizer, type Summarizer } from "./summarizer.js";

/** What an adapter may be told beside the policy. */
export interface AdapterOptions extends ArchiveOptions {
  /** Where results are kept whole, for later pages and for reading back. Default none. */
  readonly store?: Store | undefined;
  /** Whether there is a tool `summarize` too, and who writes its summaries if it is not toolshape. Default false. */
  readonly summarize?: boolean | Summarizer | undefined;
  /** Whose results are kept and found, such as a tenant, from what the SDK tells of a call; needs a `cursorKey`. */
  readonly scope?: ((context: unknown) => string | undefined) | undefined;
  /** Told of every shaped result. Default one line on standard error, since standard output is the protocol's. */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
}

/** A tool as clients see it, and what its calls are shaped under. */
export interface Plan extends ShapedTool {
  readonly call: Call;
  /** Whether results stay within the tool's own output schema. */
  readonly isPreserved: boolean;
}

/** A tool that an adapter adds, and what answers it. */
export interface AddedTool {
  readonly tool: OwnTool;
  readonly answer: (given: Arguments, context: unknown) => Promise<CallToolResult>;
}

/** The arguments of a call. */
export type Arguments = Record<string, unknown>;

/** Who calls: the client's name, and what the SDK tells of the call. */
export interface Caller {
  readonly client: string | undefined;
  readonly context: unknown;
}

/** Shapes the calls of a server's tools. */
export class Adapter {
  /** The tools that are added to the server's own. */
  readonly added: readonly AddedTool[];
  readonly #shaper: Shaper;
  readonly #archive: Archive | undefined;
  readonly #policy: Policy;
  readonly #scope: NonNullable<AdapterOptions["scope"]>;
  readonly #onReceipt: (receipt: Receipt) => void;
  /** What was told already of a call, by what the SDK tells of it. */
  readonly #early = new WeakMap<object, CallToolResult>();

  /** @throws {ToolshapeError} `INVALID_POLICY`, `INVALID_CALL`. */
  constructor(policy: Policy, options: AdapterOptions) {
    const { store, summarize = false, scope = () => undefined, onReceipt = toStandardError } = options;
    this.#shaper = new Shaper(policy);
    this.#archive = store && new Archive(this.#shaper, store, options);
    this.#scope = scope;
    this.#policy = policy;
    this.#onReceipt = onReceipt;
    const archive = this.#archive;
    const summarizer = typeof summarize === "object" ? summarize : undefined;
    if (summarizer) checkSummarizer(summarizer);
    this.added = [
      ...(archive ? [{ tool: readResultTool(), answer: (given: Arguments, context: unknown) => this.#read(archive, given, context) }] : []),
      ...(summarize ? [{ tool: summarizeTool(!!archive), answer: (given: Arguments, context: unknown) => this.#summarize(given, context, summarizer) }] : []),
    ];
  }

  /** Whether the policy leaves a tool alone. */
  leavesAlone(tool: string): boolean {
    return this.#policy.tools?.[tool] === false;
  }

  /** What becomes of a tool. */
  plan(tool: Tool): Plan {
    const shaped = this.#shaper.tool(tool);
    const { ownArguments } = shaped;
    const isPreserved = JSON.stringify(shaped.tool.outputSchema) === JSON.stringify(tool.outputSchema);
    const outputSchema = tool.outputSchema && (isPreserved ? tool.outputSchema : true);
    return { ...shaped, isPreserved, call: { tool: tool.name || undefined, ownArguments, outputSchema } };
  }

  /** The arguments without those that are for shaping. */
  ownArguments(plan: Plan, given: Arguments): Arguments {
    return Object.fromEntries(Object.entries(given).filter(([name]) => !plan.controls.includes(name)));
  }

  /** Runs a call: `given` are its arguments as the client sent them, `work` the tool without those for shaping. */
  async run(plan: Plan, given: Arguments, caller: Caller, work: () => unknown): Promise<CallToolResult> {
    const call = this.#call(plan, given, caller);
    const page = await this.#archive?.snapshotResult(call);
    if (page) return this.#told(page);
    let returned: unknown;
    try {
      returned = await work();
    } catch (error) {
      return this.thrown(error, call);
    }
    return this.#early.get(caller.context as object) ?? this.#shape(returned, call);
  }

  /** Shapes what a call led to that is not run here, since a task told of it. */
  async finish(plan: Plan, given: Arguments, caller: Caller, returned: unknown): Promise<CallToolResult> {
    return this.#shape(returned, this.#call(plan, given, caller));
  }

  #call(plan: Plan, given: Arguments, { client, context }: Caller): Call {
    // A client may have no name, as a call may name no tool; neither is for us to refuse.
    return { ...plan.call, arguments: given, client: client || undefined, scope: this.#scope(context) };
  }

  async #shape(returned: unknown, call: Call): Promise<CallToolResult> {
    return this.#told(await (this.#archive ?? this.#shaper).shapeResult(returned, call));
  }

  /**
   * The result for what a tool threw: for a rate limit, and for an error whose message is too long; none for an error
   * that asks the client for something.
   *
   * @throws every other error, as it is.
   */
  thrown(error: unknown, call: Call): CallToolResult {
    if ((error as { code?: unknown } | null)?.code === URL_ELICITATION_REQUIRED) throw error;
    const limit = this.#shaper.rateLimitResult(error, call);
    if (limit !== null) return this.#told(limit);
    const text = error instanceof Error ? error.message : String(error);
    const shaped = this.#shaper.shapeResult({ content: [{ type: "text", text }], isError: true }, call);
    // The error itself tells of no limit, whatever its message speaks of.
    const isMisread = shaped.receipt?.steps[0] === "rateLimit";
    if (shaped.unchanged || isMisread) throw error;
    return this.#told(shaped);
  }

  /** Whether there is a store, and resources of what it holds. */
  get hasStore(): boolean {
    return this.#archive !== undefined;
  }

  async #read(archive: Archive, given: Arguments, context: unknown): Promise<CallToolResult> {
    return this.#answer(await archive.readResult(given, { scope: this.#scope(context) }));
  }

  async #summarize(given: Arguments, context: unknown, summarizer: Summarizer | undefined): Promise<CallToolResult> {
    const [shaper, archive] = [this.#shaper, this.#archive];
    const call: Call = { tool: "summarize", arguments: given, scope: this.#scope(context) };
    const task = await (archive ? archive.toSummarize(given, call) : shaper.toSummarize(null, null, call));
    if (task instanceof Shaped) return this.#answer(task);
    const summary = { ...task.summary, ...(summarizer && (await askSummarizer(summarizer, task, context))) };
    return this.#answer(await (archive ?? shaper).summarizeText(task.text, summary, call));
  }

  #answer({ text, isError, receipt }: Shaped): CallToolResult {
    return this.#told({ result: { content: [{ type: "text", text }], ...(isError && { isError }), _meta: { [RECEIPT]: receipt } }, receipt });
  }

  /** What a resource under the address of stored results holds. */
  async resource(uri: string, context: unknown): Promise<{ contents: object[] }> {
    const contents = await this.#archive?.resource(uri, { scope: this.#scope(context) });
    return { contents: contents === undefined ? [] : [contents] };
  }

  /** As `thrown`, before the SDK sees the error; `run` then gives the same for the call. */
  caught(error: unknown, call: Call, context: object): CallToolResult {
    const result = this.thrown(error, call);
    this.#early.set(context, result);
    return result;
  }

  #told({ result, receipt }: Pick<ShapedResult, "result" | "receipt">): CallToolResult {
    if (receipt !== null) {
      try {
        this.#onReceipt(receipt);
      } catch {
        // What is told of a result does not break it.
      }
    }
    return result;
  }
}

/** JSON-RPC's code for a call that waits until the client's user has been to an address; the error says to which. */
const URL_ELICITATION_REQUIRED = -32042;

/** Where the receipt stands in `_meta`. */
const RECEIPT = "toolshape/receipt";

function toStandardError(receipt: Receipt): void {
  const { tool, steps, tokensBefore, tokensBeforeExact, tokensAfter, budget, durationMs } = receipt;
  const before = `${tokensBeforeExact ? "" : "about "}${tokensBefore}`;
  const how = steps.length === 0 ? "as it was" : steps.join(", ");
  console.error(`toolshape ${tool ?? ""}: ${before} tokens, ${tokensAfter} of ${budget} told (${how}), ${durationMs.toFixed(1)} ms`);
}
