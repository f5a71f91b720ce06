// The part of adapters that is the same for every SDK: answer a client's request, with what the server answers. The core
// makes the decisions; this code executes them.

import { Archive, type ArchiveCall, type ArchiveOptions } from "../archive.js";
import { isProtocolError } from "../control_flow.js";
import { call as callCore, unpackSoon } from "../core.js";
import { isToolshapeError, ToolshapeError } from "../error.js";
import { areOnlyHosts, described, optionsText } from "../options.js";
import { Shaped } from "../shaped.js";
import { Shaper } from "../shaper.js";
import type { ShapedResult } from "../shaped_result.js";
import { toStandardError } from "../receipt_log.js";
import { sharedMemory } from "../stores/memory.js";
import type { Store } from "../stores/store.js";
import type { Call, CallToolResult, OwnTool, Plan, Policy, Receipt, Tool } from "../types.js";
import { READ_RESULT, ToolNames } from "./tool_names.js";

export type { Plan } from "../types.js";

/** The SDK's context of a call. Its type depends on the SDK: annotate the parameter with it. */
// biome-ignore lint/suspicious/noExplicitAny: the package imports no SDK, and a callback reads the context of one.
export type SdkContext = any;

/** The options of an adapter, in addition to the policy. */
export interface AdapterOptions extends ArchiveOptions {
  /**
   * The store for complete results, for later pages and for reading back; null for none. Default: the memory of this process,
   * at most 128 MiB, which all its servers share.
   */
  readonly store?: Store | null | undefined;
  /** Adds a tool `summarize`. Default false. */
  readonly summarize?: boolean | undefined;
  /**
   * The owner of stored results, such as a tenant, from the SDK's context of a call; needs a `cursorKey`. The context is
   * what the SDK gives a tool in addition to its arguments: `extra` of `@modelcontextprotocol/sdk` (`authInfo`, `sessionId`), the
   * context of `@modelcontextprotocol/server` (`http?.authInfo`, `sessionId`), that of `fastmcp` (`session`, what its
   * `authenticate` returned; for resources that alone).
   */
  readonly scope?: ((context: SdkContext) => string | undefined) | undefined;
  /**
   * Asked before anything of a stored result is given: a later page, a part, a resource, a summary; with the SDK's context
   * of the call and a tool that returned the result. Anything but `true`, and an error, refuses with `FORBIDDEN`. Default:
   * whoever has the handle may read.
   */
  readonly authorize?: ((context: SdkContext, tool: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called with the receipt of every shaped result. By default a line about each that was changed goes to standard error,
   * because the protocol uses standard output.
   */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /** Called once with each warning, such as one of options for a tool that the server does not have. Default: standard error. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** A tool that an adapter adds, and the function that answers its calls, within the limits of a client's host. */
export interface AddedTool {
  readonly tool: OwnTool;
  readonly answer: (given: Arguments, caller: Caller) => Promise<CallToolResult>;
}

/** The arguments of a call. */
export type Arguments = Record<string, unknown>;

/** The parameters of a request. */
export interface Params {
  readonly name?: string | undefined;
  readonly arguments?: Arguments | undefined;
  readonly cursor?: string | undefined;
  readonly task?: object | undefined;
  readonly taskId?: string | undefined;
  readonly [member: string]: unknown;
}

/** Sends a request to the server itself, and returns its result. */
export type Ask = (method: string, params: Params) => unknown;

/** The caller: the client's name, the SDK's context of the request, and the request's `_meta`. */
export interface Caller {
  readonly client: string | undefined;
  readonly context: unknown;
  readonly meta?: unknown;
}

/** The result of `tools/list`. */
interface Listed {
  readonly tools: readonly Tool[];
  readonly nextCursor?: string | undefined;
}

/** JSON-RPC's code for parameters that are wrong. */
const INVALID_PARAMS = -32602;
/** The most pages of a list that are read to find a tool. */
const MOST_PAGES = 100;
/** The most tasks whose calls are kept. The oldest are dropped, so that tasks that are never fetched do not use memory for ever. */
const MOST_TASKS = 1000;

/** What the SDKs' contexts have of a connection. */
interface Connected {
  readonly sessionId?: string;
  readonly requestInfo?: unknown;
  readonly http?: unknown;
}

type Owner = Pick<Call, "scope" | "session">;

/** What shapes, where results are kept, and the tools that are added. */
interface Parts {
  readonly shaper: Shaper;
  readonly archive: Archive | undefined;
  readonly added: readonly AddedTool[];
}

/** Shapes the calls of a server's tools. */
export class Adapter {
  /** Whether there is a store, and so resources of its results. */
  readonly hasStore: boolean;
  /** Whether all calls without a session and without HTTP are of one client. */
  hasOneClient = true;
  #session: string | undefined;
  /** Whether there is any option; without one nothing can be wrong. */
  readonly #isSet: boolean;
  readonly #make: () => Parts;
  #made: Parts | undefined;
  readonly #scope: AdapterOptions["scope"];
  readonly #authorize: AdapterOptions["authorize"];
  readonly #onReceipt: (receipt: Receipt) => void;
  /** The server's tools, for the names in the policy. */
  readonly #names: ToolNames;
  /** The plans of tools, with the JSON that they are for, by the tools' names. */
  readonly #plans = new Map<string, { readonly json: string; readonly plan: Plan }>();
  #areNamesChecked = false;
  /** The calls that were answered by a task, by its id. */
  readonly #tasks = new Map<string, { readonly plan: Plan; readonly given: Arguments }>();
  /** Errors that were caught before the SDK saw them, by the SDK's context of the call. */
  readonly #early = new WeakMap<object, { readonly error: unknown }>();

  /**
   * `server` is the name of the server.
   *
   * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an unknown option, or a value that an option does not
   * take.
   */
  constructor(policy: Policy, options: AdapterOptions = {}, server?: string) {
    const [ofPolicy, asked] = [optionsText(policy, "INVALID_POLICY"), described(options)];
    const { store, summarize, scope, authorize, onReceipt, onWarning, ...ofArchive } = options;
    this.hasStore = store !== null;
    [this.#scope, this.#authorize] = [scope, authorize];
    this.#onReceipt = onReceipt ?? toStandardError();
    this.#names = new ToolNames(policy.tools, onWarning);
    this.#make = () => {
      callCore("checkAdapterOptions", { options: asked });
      const readTool =
        policy.readTool ?? (server === undefined ? undefined : callCore<string>("readToolOf", { server }));
      const own = new Shaper(policy);
      const shaper = readTool === undefined ? own : new Shaper({ ...policy, readTool });
      if (scope) shaper.checkScope();
      if (!this.hasStore) checkOffload(policy);
      const archive = this.hasStore ? new Archive(shaper, store ?? sharedMemory(), ofArchive) : undefined;
      const read: AddedTool["answer"] = (given, caller) => this.#readResult(given, caller);
      const summary: AddedTool["answer"] = (given, caller) => this.#summarize(given, caller);
      const tools = shaper.addedTools(this.hasStore, Boolean(summarize));
      const added = tools.map((tool) => ({ tool, answer: tool.name === "summarize" ? summary : read }));
      return { shaper, archive, added };
    };
    this.#isSet = !areOnlyHosts(asked) || ofPolicy !== "{}";
    // A mistake is thrown where it was made. Otherwise the core is started by the first list or call, so that the client
    // does not wait for it when it connects.
    if (this.#isSet) this.#made = this.#make();
  }

  get #parts(): Parts {
    return (this.#made ??= this.#make());
  }

  get #shaper(): Shaper {
    return this.#parts.shaper;
  }

  get #archive(): Archive | undefined {
    return this.#parts.archive;
  }

  /** The tools that are added to the server's own. */
  get added(): readonly AddedTool[] {
    return this.#parts.added;
  }

  /** @throws {ToolshapeError} `INVALID_CALL` for a server's own tool that has the name of one that is added. */
  checkName(name: string): void {
    if (this.#isSet || name.startsWith(READ_RESULT)) {
      const added = this.added.map(({ tool }) => tool.name);
      callCore("checkToolName", { name, added });
    }
    this.#names.add(name);
  }

  /** Warns of options for tools that the server does not have, once its tools are known. */
  checkNames(): void {
    this.#names.check();
  }

  /** The result of a tool that is not shaped, without a receipt that the tool wrote. */
  untouched(tool: string, returned: unknown): unknown {
    const meta: unknown = (returned as Partial<CallToolResult> | null | undefined)?._meta;
    const hasMeta = typeof meta === "object" && meta !== null;
    return hasMeta ? this.#shaper.shapeResult(returned, { tool }).result : returned;
  }

  /** Whether the policy excludes a tool from shaping. */
  leavesAlone(tool: string): boolean {
    return this.#isSet && this.#shaper.leavesAlone(tool);
  }

  /**
   * Answers a client's request for tools: `tools/list`, `tools/call` and `tasks/result`; any other is sent to the server.
   *
   * @throws {ToolshapeError} for a tool of the server with the name of one that is added; and what `ask` throws.
   */
  async request(method: string, params: Params, ask: Ask, caller: Caller): Promise<unknown> {
    switch (method) {
      case "tools/list":
        return this.#listTools(params, ask);
      case "tools/call":
        return this.#callTool(params, ask, caller);
      case "tasks/result":
        return this.#finishTask(params.taskId, await ask(method, params), caller);
      default:
        return ask(method, params);
    }
  }

  async #listTools(params: Params, ask: Ask): Promise<Listed> {
    const result = (await ask("tools/list", params)) as Listed;
    const tools = result.tools.map((tool) => {
      this.checkName(tool.name);
      return this.plan(tool).tool;
    });
    if (result.nextCursor === undefined) this.checkNames();
    // Many hosts read one page: the added tools are at the end of the first.
    const ours = params.cursor === undefined ? this.added.map(({ tool }) => tool as unknown as Tool) : [];
    return { ...result, tools: [...tools, ...ours] };
  }

  async #callTool(params: Params, ask: Ask, caller: Caller): Promise<unknown> {
    const { name = "", arguments: given = {}, task } = params;
    const added = this.added.find(({ tool }) => tool.name === name);
    if (added) {
      await this.#checkNames(name, ask);
      return added.answer(given, caller);
    }
    const plan = await this.#findPlan(name, ask);
    const work = (own: Arguments): unknown => ask("tools/call", { ...params, arguments: own });
    if (task !== undefined) return this.#startTask(plan, given, caller, work);
    return this.run(plan, given, caller, work, isProtocolError);
  }

  /** A client may call a tool that it has not listed; the tool is then looked up in the list, if there is one. */
  async #findPlan(name: string, ask: Ask): Promise<Plan> {
    try {
      await this.#readList(name, ask);
    } catch {
      // A failing list must not make the call fail.
    }
    return this.#plans.get(name)?.plan ?? this.#shaper.planUnlisted(name);
  }

  /** Refuses an added tool if the server has one of its own with that name. */
  async #checkNames(name: string, ask: Ask): Promise<void> {
    if (this.#areNamesChecked) return;
    try {
      await this.#readList(name, ask);
    } catch (error) {
      if (isToolshapeError(error)) throw error;
    }
    this.#areNamesChecked = true;
  }

  /** Reads the list up to a tool, or all of it. */
  async #readList(name: string, ask: Ask): Promise<void> {
    let cursor: string | undefined;
    for (let pages = 0; !this.#plans.has(name) && pages < MOST_PAGES; pages++) {
      ({ nextCursor: cursor } = await this.#listTools(cursor === undefined ? {} : { cursor }, ask));
      if (cursor === undefined) break;
    }
  }

  /** Drops the plans of listed tools, because the list changed. */
  forgetTools(): void {
    this.#plans.clear();
    this.#areNamesChecked = false;
  }

  /** Plans a tool. */
  plan(tool: Tool): Plan {
    const json = JSON.stringify(tool);
    const known = this.#plans.get(tool.name);
    if (known?.json === json) return known.plan;
    const plan = this.#shaper.plan(tool, this.hasStore);
    // Who lists the tools is about to call one.
    unpackSoon();
    this.#plans.set(tool.name, { json, plan });
    return plan;
  }

  /** The arguments without those that control shaping. */
  ownArguments(plan: Plan, given: Arguments): Arguments {
    if (!asksForPart(plan, given)) return { ...given };
    return Object.fromEntries(Object.entries(given).filter(([name]) => !plan.controls.includes(name)));
  }

  /**
   * Runs a call: `given` are the arguments as the client sent them; `work` runs the tool with its own arguments; `isAnswer` says
   * which errors the SDK answers the request with, instead of making a result of their messages.
   */
  async run(
    plan: Plan,
    given: Arguments,
    caller: Caller,
    work: (own: Arguments) => unknown,
    isAnswer: (error: unknown) => boolean = () => false,
  ): Promise<CallToolResult> {
    const owner = this.#owner(caller.context);
    // Most results pass, and their calls are never written.
    const call = (): Call => callOf(plan, given, caller, owner);
    const isPart = asksForPart(plan, given);
    if (isPart) {
      const answer =
        this.#shaper.checkCall(call()) ??
        (await this.#archive?.snapshotResult({ ...call(), authorize: this.#asking(caller.context) }));
      if (answer) return this.#reported(answer, caller);
    }
    let returned: unknown;
    try {
      returned = await work(this.ownArguments(plan, given));
    } catch (error) {
      if (isAnswer(error)) throw error;
      return this.#thrown(error, call(), caller);
    }
    const early = this.#early.get(caller.context as object);
    if (early) return this.#thrown(early.error, call(), caller);
    const { tool, outputSchema } = plan.call;
    // What a scope may be is checked with the call.
    const isPlain = !isPart && owner.scope === undefined && outputSchema === undefined;
    const passed = isPlain ? (this.#archive ?? this.#shaper).passResult(returned, tool, caller.client) : null;
    return passed ? this.#reported(passed, caller) : this.#shape(returned, call(), caller);
  }

  /** Runs a call that is to be answered by a task. */
  async #startTask(plan: Plan, given: Arguments, caller: Caller, work: (own: Arguments) => unknown): Promise<unknown> {
    if (asksForPart(plan, given)) {
      const [block] = this.#shaper.checkCall(this.#call(plan, given, caller))?.result.content ?? [];
      // The answer to such a call is a task or an error.
      if (block?.type === "text") throw Object.assign(new Error(block.text), { code: INVALID_PARAMS });
    }
    const created = await work(this.ownArguments(plan, given));
    const id = (created as { task?: { taskId?: string } } | undefined)?.task?.taskId;
    if (id !== undefined) this.#tasks.set(id, { plan, given });
    for (const oldest of this.#tasks.keys()) {
      if (this.#tasks.size <= MOST_TASKS) break;
      this.#tasks.delete(oldest);
    }
    return created;
  }

  /** Shapes the result of a task, by the arguments of its call. */
  #finishTask(id: string | undefined, returned: unknown, caller: Caller): Promise<CallToolResult> {
    // The task may be dropped, or another server started it.
    const { plan, given } = this.#tasks.get(id ?? "") ?? { plan: this.#shaper.planUnlisted(""), given: {} };
    return this.#shape(returned, this.#call(plan, given, caller), caller);
  }

  #call(plan: Plan, given: Arguments, caller: Caller): Call {
    return callOf(plan, given, caller, this.#owner(caller.context));
  }

  /** Whose results are stored: a scope's, and the conversation in which they are listed. */
  #owner(context: unknown): Owner {
    const { sessionId, requestInfo, http } = (context ?? {}) as Connected;
    const isAlone = this.hasOneClient && requestInfo === undefined && http === undefined;
    const session = sessionId ?? (isAlone ? (this.#session ??= crypto.randomUUID()) : undefined);
    return { scope: this.#scope?.(context), session };
  }

  /** Who reads a stored result, and whether it may. */
  #reader(context: unknown): Owner & Pick<ArchiveCall, "authorize"> {
    return { ...this.#owner(context), authorize: this.#asking(context) };
  }

  #asking(context: unknown): ArchiveCall["authorize"] {
    const ask = this.#authorize;
    return ask && ((tool) => ask(context, tool));
  }

  async #shape(returned: unknown, call: Call, caller: Caller): Promise<CallToolResult> {
    return this.#reported(await (this.#archive ?? this.#shaper).shapeResult(returned, call), caller);
  }

  /**
   * The result for an error that a tool threw, if toolshape reports it: see `Shaper.thrownResult`.
   *
   * @throws every other error, unchanged.
   */
  async #thrown(error: unknown, call: Call, caller: Caller): Promise<CallToolResult> {
    const shaped = await (this.#archive ?? this.#shaper).thrownResult(error, call);
    if (shaped === null) throw error;
    return this.#reported(shaped, caller);
  }

  async #readResult(given: Arguments, caller: Caller): Promise<CallToolResult> {
    const { client, context } = caller;
    const read = (this.#archive as Archive).readResult(given, { client, ...this.#reader(context) });
    return this.#answer(await read, caller, client);
  }

  async #summarize(given: Arguments, caller: Caller): Promise<CallToolResult> {
    const { context } = caller;
    const [shaper, archive] = [this.#shaper, this.#archive];
    const call: Call = { tool: "summarize", arguments: given, ...this.#owner(context) };
    const task = await (archive
      ? archive.toSummarize(given, { ...call, ...this.#reader(context) })
      : shaper.toSummarize(null, null, call));
    if (task instanceof Shaped) return this.#answer(task, caller);
    return this.#answer(await (archive ?? shaper).summarizeText(task.text, task.summary, call), caller);
  }

  #answer(shaped: Shaped, caller: Caller, client?: string): CallToolResult {
    return this.#reported({ result: this.#shaper.answer(shaped, client), receipt: shaped.receipt }, caller);
  }

  /** The content of a resource under the URI of stored results. */
  async readResource(uri: string, context: unknown): Promise<{ contents: object[] }> {
    const contents = await this.#archive?.resource(uri, this.#reader(context));
    return { contents: contents === undefined ? [] : [contents] };
  }

  /**
   * A result for the SDK, which keeps nothing but the message of an error; `run` then reports the error itself.
   *
   * @throws the error, unchanged, if toolshape does not report it.
   */
  caught(error: unknown, call: Call, context: object): CallToolResult {
    const shaped = this.#shaper.thrownResult(error, call);
    if (shaped === null) throw error;
    this.#early.set(context, { error });
    return shaped.result;
  }

  #reported(
    { result, receipt }: Pick<ShapedResult, "result" | "receipt">,
    { client, context }: Caller,
  ): CallToolResult {
    if (receipt !== null) {
      this.#names.checkFields(receipt);
      try {
        const requestId = requestIdOf(context);
        this.#onReceipt({
          ...receipt,
          ...(client !== undefined && { client }),
          ...(requestId !== undefined && { requestId }),
        });
      } catch {
        // A failing receipt callback must not break the result.
      }
    }
    return result;
  }
}

/** The id of a request, where the SDKs' contexts have it. */
function requestIdOf(context: unknown): string | number | undefined {
  type WithId = { readonly requestId?: string | number; readonly mcpReq?: { readonly id?: string | number } };
  const { requestId, mcpReq } = (context ?? {}) as WithId;
  return requestId ?? mcpReq?.id;
}

/** Whether a call has an argument for shaping. */
function asksForPart(plan: Plan, given: Arguments): boolean {
  return plan.controls.some((name) => name in given);
}

/** A call of a tool as the core reads it. */
function callOf(plan: Plan, given: Arguments, { client, meta }: Caller, owner: Owner): Call {
  return { ...plan.call, arguments: given, client, meta: meta as Call["meta"], ...owner };
}

/** @throws {ToolshapeError} `INVALID_CALL` for a policy that offloads results to a store that is not there. */
function checkOffload({ overflow }: Policy): void {
  if (overflow !== "offload") return;
  const message = 'overflow "offload" requires a store, and store is null: leave store out, or set overflow to "shape"';
  throw new ToolshapeError("INVALID_CALL", message, "/store");
}
