// Servers whose tools are seen as messages only: `McpServer` of @modelcontextprotocol/sdk 1.x, which accepts only zod
// schemas, and the low-level `Server` of either version. The handlers of tools/list and tools/call are wrapped, so that
// the server checks arguments and results first; and the handler of tasks/result, which returns results of tools too.

import type { Adapter, Params } from "./adapter.js";
import { clientOf, type KnowsClient } from "./client.js";

type Handler = (request: Request, extra: unknown) => unknown;

interface Request {
  params?: Params;
  [member: string]: unknown;
}

/** A method: its name, or the schema of its requests. */
type Method = string | { shape?: { method?: { value?: string } } };

/** The part of a low-level `Server` that is used here. */
export interface MessageServer extends KnowsClient, HandlerServer {
  sendToolListChanged?(): unknown;
}

/** The part of one whose handlers are wrapped. */
export interface HandlerServer {
  setRequestHandler(method: Method, handler: Handler): void;
}

/** Where the SDKs keep the registered handlers. */
interface WithHandlers {
  _requestHandlers?: Map<string, Handler>;
}

/** The methods that are shaped. */
const METHODS = ["tools/list", "tools/call", "tasks/result"];

/** Shapes what the handlers of tools answer. */
export function shapeMessages(server: MessageServer, adapter: Adapter): void {
  let list: Handler | undefined;
  wrapHandlers(server, METHODS, (method, handler) => {
    if (method === "tools/list") list = handler;
    return (request, extra) => {
      const ask = (asked: string, params: Params): unknown =>
        asked === method ? handler({ ...request, params }, extra) : list?.({ method: asked, params }, extra);
      const caller = { client: clientOf(server, extra), context: extra, meta: request.params?.["_meta"] };
      return adapter.request(method, request.params ?? {}, ask, caller);
    };
  });
  const changed = server.sendToolListChanged?.bind(server);
  if (changed) {
    server.sendToolListChanged = () => {
      adapter.forgetTools();
      return changed();
    };
  }
}

/** Wraps the handlers of these methods: those that are registered already, and those that are registered later. */
export function wrapHandlers(
  server: HandlerServer,
  methods: readonly string[],
  wrap: (method: string, handler: Handler) => Handler,
): void {
  const wrapped = (method: string | undefined, handler: Handler): Handler =>
    method !== undefined && methods.includes(method) ? wrap(method, handler) : handler;
  const set = server.setRequestHandler.bind(server);
  server.setRequestHandler = (method, handler) => set(method, wrapped(nameOf(method), handler));
  const handlers = (server as WithHandlers)._requestHandlers;
  for (const method of methods) {
    const handler = handlers?.get(method);
    if (handlers && handler) handlers.set(method, wrap(method, handler));
  }
}

function nameOf(method: Method): string | undefined {
  return typeof method === "string" ? method : method.shape?.method?.value;
}
