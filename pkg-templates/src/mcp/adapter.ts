// The part of adapters that is the same for every SDK: plan a tool, run a call of it. The core makes the decisions;
// this code executes them.

import { Archive, type ArchiveCall, type ArchiveOptions } from "../archive.js";
import { run } from "../core.js";
import { described, optionsText } from "../options.js";
import { Shaped } from "../shaped.js";
import { Shaper } from "../shaper.js";
import { merged, type ShapedResult } from "../shaped_result.js";
import { MemoryStore } from "../stores/memory.js";
import type { Store } from "../stores/store.js";
import type { Call, CallToolResult, OwnTool, Plan, Policy, Receipt, Tool } from "../types.js";
import { HostSummarizer, type Summarizer } from "./summarizer.js";

export type { Plan } from "../types.js";

/** The options of an adapter, beside the policy. */
export interface AdapterOptions extends ArchiveOptions {
  /**
   * The store for complete results, for later pages and for reading back; null for none. Default: the memory of this process,
   * at most 128 MiB, which all its servers share.
   */
  readonly store?: Store | null | undefined;
  /** Adds a tool `summarize`; a `Summarizer` writes its summaries instead of toolshape. Default false. */
  readonly summarize?: boolean | Summarizer | undefined;
  /**
   * The owner of stored results, such as a tenant, from the SDK's context of a call; needs a `cursorKey`. The context is
   * what the SDK gives a tool beside its arguments: `extra` of `@modelcontextprotocol/sdk` (`authInfo`, `sessionId`), the
   * context of `@modelcontextprotocol/server` (`http?.authInfo`, `sessionId`), that of `fastmcp` (`session`, what its
   * `authenticate` returned; for resources that alone).
   */
  readonly scope?: ((context: unknown) => string | undefined) | undefined;
  /**
   * Asked before anything of a stored result is given: a later page, a part, a resource, a summary; with the SDK's context
   * of the call and a tool that returned the result. Anything but `true`, and an error, refuses with `FORBIDDEN`. Default:
   * whoever has the handle may read.
   */
  readonly authorize?: ((context: unknown, tool: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called with the receipt of every shaped result. By default a line about each that was changed goes to standard error,
   * because the protocol uses standard output.
   */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
}

/** A tool that an adapter adds, and the function that answers its calls, within the limits of a client's host. */
export interface AddedTool {
  readonly tool: OwnTool;
  readonly answer: (given: Arguments, context: unknown, client?: string) => Promise<CallToolResult>;
}

/** The arguments of a call. */
export type Arguments = Record<string, unknown>;

/** The caller: the client's name, and the SDK's context of the call. */
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
  readonly #scope: AdapterOptions["scope"];
  readonly #authorize: AdapterOptions["authorize"];
  readonly #onReceipt: (receipt: Receipt) => void;
  /** Results that were made before the SDK saw the error, by the SDK's context of the call. */
  readonly #early = new WeakMap<object, CallToolResult>();

  /**
   * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an unknown option, or a value that an option does not
   * take.
   */
  constructor(policy: Policy, options: AdapterOptions = {}) {
    const given = optionsText(described(options), "INVALID_CALL");
    run((core) => core.exports.checkAdapterOptions(given));
    const { store = sharedMemory(), summarize, scope, authorize, onReceipt, ...ofArchive } = options;
    this.#shaper = new Shaper(policy);
    if (scope) this.#shaper.checkScope();
    this.#archive = store ? new Archive(this.#shaper, store, ofArchive) : undefined;
    [this.#scope, this.#authorize] = [scope, authorize];
    this.#onReceipt = onReceipt ?? toStandardError();
    const summarizer = typeof summarize === "object" ? new HostSummarizer(summarize) : undefined;
    const answers: Record<string, AddedTool["answer"]> = {
      read_result: (given, context, client) => this.#read(given, { client, context }),
      summarize: (given, context) => this.#summarize(given, context, summarizer),
    };
    const added = this.#shaper.addedTools(this.hasStore, Boolean(summarize));
    this.added = added.map((tool) => ({ tool, answer: answers[tool.name] as AddedTool["answer"] }));
  }

  /** @throws {ToolshapeError} `INVALID_CALL` for a server's own tool that has the name of one that is added. */
  checkName(name: string): void {
    const added = this.added.map(({ tool }) => tool.name);
    run((core) => core.exports.checkToolName(name, added));
  }

  /** The result of a tool that is not shaped, without a receipt that the tool wrote. */
  untouched(tool: string, returned: unknown): unknown {
    const meta: unknown = (returned as Partial<CallToolResult> | null | undefined)?._meta;
    const hasMeta = typeof meta === "object" && meta !== null;
    return hasMeta ? this.#shaper.shapeResult(returned, { tool }).result : returned;
  }

  /** Whether the policy excludes a tool from shaping. */
  leavesAlone(tool: string): boolean {
    return this.#shaper.leavesAlone(tool);
  }

  /** Plans a tool. */
  plan(tool: Tool): Plan {
    return this.#shaper.plan(tool, this.hasStore);
  }

  /** Plans a tool that is not listed. */
  planUnlisted(name: string): Plan {
    return this.#shaper.planUnlisted(name);
  }

  /** The arguments without those that control shaping. */
  ownArguments(plan: Plan, given: Arguments): Arguments {
    if (!asksForPart(plan, given)) return { ...given };
    return Object.fromEntries(Object.entries(given).filter(([name]) => !plan.controls.includes(name)));
  }

  /** Runs a call: `given` are the arguments as the client sent them; `work` runs the tool with its own arguments. */
  async run(plan: Plan, given: Arguments, caller: Caller, work: (own: Arguments) => unknown): Promise<CallToolResult> {
    const scope = this.#scope?.(caller.context);
    // Most results pass, and their calls are never written.
    const call = (): Call => callOf(plan, given, caller.client, scope);
    const isPart = asksForPart(plan, given);
    if (isPart) {
      const answer =
        this.#shaper.checkCall(call()) ??
        (await this.#archive?.snapshotResult({ ...call(), ...this.#reader(caller.context) }));
      if (answer) return this.#told(answer);
    }
    let returned: unknown;
    try {
      returned = await work(this.ownArguments(plan, given));
    } catch (error) {
      return this.thrown(error, call());
    }
    const early = this.#early.get(caller.context as object);
    if (early) return early;
    const { tool, outputSchema } = plan.call;
    // What a scope may be is checked with the call.
    const isPlain = !isPart && scope === undefined && outputSchema === undefined;
    const passed = isPlain ? (this.#archive ?? this.#shaper).passResult(returned, tool, caller.client) : null;
    return passed ? this.#told(passed) : this.#shape(returned, call());
  }

  /** Why a call that is to run as a task is refused before: its controls are wrong. */
  refusal(plan: Plan, given: Arguments, caller: Caller): string | undefined {
    if (!asksForPart(plan, given)) return undefined;
    const [block] = this.#shaper.checkCall(this.#call(plan, given, caller))?.result.content ?? [];
    return block?.type === "text" ? block.text : undefined;
  }

  /** Shapes the result of a call that ran as a task, not here. */
  async finish(plan: Plan, given: Arguments, caller: Caller, returned: unknown): Promise<CallToolResult> {
    return this.#shape(returned, this.#call(plan, given, caller));
  }

  #call(plan: Plan, given: Arguments, { client, context }: Caller): Call {
    return callOf(plan, given, client, this.#scope?.(context));
  }

  /** Who reads a stored result: the scope, and whether it may. */
  #reader(context: unknown): Pick<ArchiveCall, "scope" | "authorize"> {
    const ask = this.#authorize;
    return { scope: this.#scope?.(context), authorize: ask && ((tool) => ask(context, tool)) };
  }

  async #shape(returned: unknown, call: Call): Promise<CallToolResult> {
    return this.#told(await (this.#archive ?? this.#shaper).shapeResult(returned, call));
  }

  /**
   * The result for an error that a tool threw, if toolshape reports it: see `Shaper.thrownResult`.
   *
   * @throws every other error, unchanged.
   */
  thrown(error: unknown, call: Call): CallToolResult {
    const shaped = this.#shaper.thrownResult(error, call);
    if (shaped === null) throw error;
    return this.#told(shaped);
  }

  /** Whether there is a store, and so resources of its results. */
  get hasStore(): boolean {
    return this.#archive !== undefined;
  }

  async #read(given: Arguments, { client, context }: Caller): Promise<CallToolResult> {
    return this.#answer(await (this.#archive as Archive).readResult(given, { client, ...this.#reader(context) }));
  }

  async #summarize(
    given: Arguments,
    context: unknown,
    summarizer: HostSummarizer | undefined,
  ): Promise<CallToolResult> {
    const [shaper, archive] = [this.#shaper, this.#archive];
    const call: Call = { tool: "summarize", arguments: given, scope: this.#scope?.(context) };
    const task = await (archive
      ? archive.toSummarize(given, { ...call, ...this.#reader(context) })
      : shaper.toSummarize(null, null, call));
    if (task instanceof Shaped) return this.#answer(task);
    const summary = { ...task.summary, ...(await summarizer?.ask(task, context)) };
    return this.#answer(await (archive ?? shaper).summarizeText(task.text, summary, call));
  }

  #answer({ text, isError, receipt }: Shaped): CallToolResult {
    const outcome = run((core) => core.exports.answer(text, isError));
    return this.#told({ result: merged(outcome, undefined, receipt), receipt });
  }

  /** The content of a resource under the URI of stored results. */
  async resource(uri: string, context: unknown): Promise<{ contents: object[] }> {
    const contents = await this.#archive?.resource(uri, this.#reader(context));
    return { contents: contents === undefined ? [] : [contents] };
  }

  /** Like `thrown`, but before the SDK sees the error; `run` then returns the same result for the call. */
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
        // A failing receipt callback must not break the result.
      }
    }
    return result;
  }
}

/** Whether a call has an argument for shaping. */
function asksForPart(plan: Plan, given: Arguments): boolean {
  return plan.controls.some((name) => name in given);
}

/** A call of a tool as the core reads it. */
function callOf(plan: Plan, given: Arguments, client: string | undefined, scope: string | undefined): Call {
  return { ...plan.call, arguments: given, client, scope };
}

let memory: MemoryStore | undefined;

/**
 * The store of adapters whose option `store` is not said. All of a process share it, because many hosts make a server for each
 * session or each request, and a handle must outlive the one that returned it.
 */
function sharedMemory(): MemoryStore {
  return (memory ??= new MemoryStore(run((core) => core.exports.defaultStoreLimits())));
}

/** Writes a line about a result that was changed; `TOOLSHAPE_LOG` says `all` for each result, `off` for none. */
function toStandardError(): (receipt: Receipt) => void {
  const { process } = globalThis as { process?: { env?: { readonly TOOLSHAPE_LOG?: string } } };
  // The environment is not a plain object, so it is read once and not for each result.
  const log = process?.env?.TOOLSHAPE_LOG;
  return (receipt) => {
    if (log === "off" || (log !== "all" && receipt.steps.length === 0)) return;
    afterwards(() => {
      try {
        console.error(run((core) => core.exports.receiptLine(JSON.stringify(receipt))));
      } catch {
        // Nobody is left to catch it, and a line that fails must not end the server.
      }
    });
  };
}

/**
 * Does what no client should wait for once the result is on its way. A Worker may end with its response, so there it is done at
 * once (https://developers.cloudflare.com/workers/runtime-apis/web-standards/#navigatoruseragent).
 */
function afterwards(work: () => void): void {
  const { navigator, setImmediate } = globalThis as {
    navigator?: { userAgent?: string };
    setImmediate?: (work: () => void) => unknown;
  };
  if (setImmediate === undefined || navigator?.userAgent === "Cloudflare-Workers") work();
  else setImmediate(work);
}
