// Servers whose tools are seen as messages only: `McpServer` of @modelcontextprotocol/sdk 1.x, which accepts only zod
// schemas, and the low-level `Server` of either version. The handlers of tools/list and tools/call are wrapped, so that
// the server checks arguments and results first; and the handler of tasks/result, which returns results of tools too.

import { isToolshapeError } from "../error.js";
import type { Tool } from "../types.js";
import type { Adapter, Arguments, Caller, Plan } from "./adapter.js";
import { clientOf, type KnowsClient } from "./client.js";
import { Tasks } from "./tasks.js";

type Handler = (request: Request, extra: unknown) => unknown;

interface Request {
  params?: { name?: string; arguments?: Arguments; task?: object; taskId?: string; [member: string]: unknown };
  [member: string]: unknown;
}

/** A method: its name, or the schema of its requests. */
type Method = string | { shape?: { method?: { value?: string } } };

/** The part of a low-level `Server` that is used here. */
export interface MessageServer extends KnowsClient {
  setRequestHandler(method: Method, handler: Handler): void;
  sendToolListChanged?(): unknown;
}

/** Where the SDKs keep the registered handlers. */
interface WithHandlers {
  _requestHandlers?: Map<string, Handler>;
}

/** The result of tools/list. */
interface Listed {
  tools: Tool[];
  nextCursor?: string | undefined;
}

/** JSON-RPC's code for parameters that are wrong. */
const INVALID_PARAMS = -32602;
/** The most pages of a list that are read to find a tool. */
const MOST_PAGES = 100;

/** Wraps the handlers of tools: those that are registered already, and those that are registered later. */
export function shapeMessages(server: MessageServer, adapter: Adapter): void {
  const plans = new Map<string, Plan>();
  const added = new Map(adapter.added.map((one) => [one.tool.name, one]));
  const tasks = new Tasks();
  let list: Handler | undefined;

  const listed = async (request: Request, extra: unknown): Promise<Listed> => {
    const result = (await list?.(request, extra)) as Listed;
    const tools = result.tools.map((tool) => {
      adapter.checkName(tool.name);
      const plan = adapter.plan(tool);
      plans.set(tool.name, plan);
      return plan.tool;
    });
    // Many hosts read one page: the added tools are at the end of the first.
    const isFirst = request.params?.["cursor"] === undefined;
    const ours = isFirst ? adapter.added.map(({ tool }) => tool as unknown as Tool) : [];
    return { ...result, tools: [...tools, ...ours] };
  };

  /** Reads the list up to a tool, or all of it. */
  const readList = async (name: string, extra: unknown): Promise<void> => {
    let cursor: string | undefined;
    for (let pages = 0; list && !plans.has(name) && pages < MOST_PAGES; pages++) {
      const params = cursor === undefined ? {} : { cursor };
      ({ nextCursor: cursor } = await listed({ method: "tools/list", params }, extra));
      if (cursor === undefined) break;
    }
  };

  /** A client may call a tool that it has not listed; the tool is then looked up in the list, if there is one. */
  const planOf = async (name: string, extra: unknown): Promise<Plan> => {
    try {
      await readList(name, extra);
    } catch {
      // A failing list must not make the call fail.
    }
    return plans.get(name) ?? adapter.planUnlisted(name);
  };

  /** Refuses an added tool if the server has one of its own with that name. */
  let isChecked = false;
  const checkAdded = async (name: string, extra: unknown): Promise<void> => {
    if (isChecked) return;
    try {
      await readList(name, extra);
    } catch (error) {
      if (isToolshapeError(error)) throw error;
    }
    isChecked = true;
  };

  const callerOf = (extra: unknown): Caller => ({ client: clientOf(server, extra), context: extra });

  const call =
    (handler: Handler): Handler =>
    async (request, extra) => {
      const { params = {} } = request;
      const given = params.arguments ?? {};
      const ours = added.get(params.name ?? "");
      if (ours) {
        await checkAdded(ours.tool.name, extra);
        return ours.answer(given, extra, clientOf(server, extra));
      }
      const plan = await planOf(params.name ?? "", extra);
      const work = (own: Arguments): unknown => handler({ ...request, params: { ...params, arguments: own } }, extra);
      if (params.task === undefined) return adapter.run(plan, given, callerOf(extra), work);
      const refused = adapter.refusal(plan, given, callerOf(extra));
      // The answer to such a call is a task or an error.
      if (refused !== undefined) throw Object.assign(new Error(refused), { code: INVALID_PARAMS });
      const created = await work(adapter.ownArguments(plan, given));
      tasks.remember(created, { plan, given });
      return created;
    };

  const finish =
    (handler: Handler): Handler =>
    async (request, extra) => {
      const result = await handler(request, extra);
      const { plan, given } = tasks.of(request.params?.taskId) ?? { plan: adapter.planUnlisted(""), given: {} };
      return adapter.finish(plan, given, callerOf(extra), result);
    };

  const wrap = (method: string | undefined, handler: Handler): Handler => {
    switch (method) {
      case "tools/list":
        list = handler;
        return listed;
      case "tools/call":
        return call(handler);
      case "tasks/result":
        return finish(handler);
      default:
        return handler;
    }
  };

  const set = server.setRequestHandler.bind(server);
  server.setRequestHandler = (method, handler) => set(method, wrap(nameOf(method), handler));
  const changed = server.sendToolListChanged?.bind(server);
  if (changed) {
    server.sendToolListChanged = () => {
      plans.clear();
      isChecked = false;
      return changed();
    };
  }
  const handlers = (server as WithHandlers)._requestHandlers;
  for (const method of ["tools/list", "tools/call", "tasks/result"]) {
    const handler = handlers?.get(method);
    if (handlers && handler) handlers.set(method, wrap(method, handler));
  }
}

function nameOf(method: Method): string | undefined {
  return typeof method === "string" ? method : method.shape?.method?.value;
}
