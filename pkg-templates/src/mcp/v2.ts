// `McpServer` of @modelcontextprotocol/server 2.x: tools are wrapped when they are registered, so that the SDK still
// checks arguments and results, and converts them to the form of each protocol era.

import type { CallToolResult } from "../types.js";
import type { Adapter, Arguments, Plan } from "./adapter.js";
import { clientOf, type KnowsClient, metaOf } from "./client.js";
import { wrapHandlers, type HandlerServer } from "./messages.js";
import {
  argumentsSchema,
  checkOutput,
  jsonOf,
  uncheckedSchema,
  widenedSchema,
  type ReceivedArguments,
  type StandardSchema,
} from "./standard.js";
import { registerResults, type ResourceServer } from "./template.js";

/** The code of an unknown resource since 2026-07-28. */
const NOT_FOUND = -32602;

type Callback = (...parameters: unknown[]) => unknown;

/** The author's part of a registered tool. */
interface Own {
  _meta: unknown;
  inputSchema: StandardSchema | undefined;
  outputSchema: StandardSchema | undefined;
  callback: Callback;
}

interface Updates {
  name?: string | null | undefined;
  annotations?: unknown;
  paramsSchema?: StandardSchema | undefined;
  outputSchema?: StandardSchema | undefined;
  callback?: Callback | undefined;
}

interface RegisteredTool {
  _meta?: unknown;
  inputSchema?: StandardSchema | undefined;
  outputSchema?: StandardSchema | undefined;
  /** The callback as it was registered, which may be the author's with a check around it. */
  handler: Callback;
  update(updates: Updates): void;
}

/** The part of an `McpServer` that is used here. */
export interface ServerV2 extends ResourceServer {
  server: KnowsClient & HandlerServer;
  sendToolListChanged(): void;
  registerTool(name: string, config: object, callback: Callback): RegisteredTool;
  /** Where the SDK keeps the tools. */
  _registeredTools?: Record<string, RegisteredTool>;
}

/** The dialect of the schemas that the SDK lists. */
const DIALECT = "draft-2020-12";
/** The schema that the SDK lists of a tool that takes nothing. */
const NO_ARGUMENTS = { type: "object", properties: {} };

/** Shapes every tool, whenever it is registered. */
export function shapeV2(server: ServerV2, adapter: Adapter): void {
  const register = server.registerTool.bind(server);
  const earlier = Object.entries(server._registeredTools ?? {});
  for (const [name] of earlier) adapter.checkName(name);
  const adopt = (name: string, registered: RegisteredTool): RegisteredTool => {
    const { inputSchema, outputSchema, handler, _meta } = registered;
    wrap(registered, name, { inputSchema, outputSchema, callback: handler, _meta }, server, adapter);
    return registered;
  };
  for (const [name, registered] of earlier) adopt(name, registered);
  // Not before the first list or call, and without the notification that the tools have changed: see `Adapter`.
  let hasAdded = false;
  const add = (): void => {
    if (hasAdded) return;
    hasAdded = true;
    const notify = server.sendToolListChanged;
    server.sendToolListChanged = () => {};
    for (const { tool, answer } of adapter.added) {
      const { name, inputSchema, ...config } = tool;
      register(name, { ...config, inputSchema: uncheckedSchema(inputSchema) }, (given, context) =>
        answer(given as Arguments, { client: clientOf(server.server, context), context }),
      );
    }
    server.sendToolListChanged = notify;
  };
  wrapHandlers(server.server, ["tools/list", "tools/call"], (_method, handler) => (request, extra) => {
    add();
    return handler(request, extra);
  });
  if (adapter.hasStore) registerResults(server, adapter, NOT_FOUND);
  server.registerTool = (name, config, callback) => {
    adapter.checkName(name);
    return adopt(name, register(name, config, callback));
  };
}

function wrap(registered: RegisteredTool, firstName: string, first: Own, server: ServerV2, adapter: Adapter): void {
  const update = registered.update.bind(registered);
  let [name, own] = [firstName, first];
  const apply = (updates: Updates): void => {
    const tool = adapter.leavesAlone(name) ? leftAlone(name, own, adapter) : wrapped(name, own, server, adapter);
    update({ ...updates, ...tool });
  };
  registered.update = (updates) => {
    if (typeof updates.name === "string") {
      adapter.checkName(updates.name);
      name = updates.name;
    }
    own = {
      _meta: own._meta,
      inputSchema: updates.paramsSchema ?? own.inputSchema,
      outputSchema: updates.outputSchema ?? own.outputSchema,
      callback: updates.callback ?? own.callback,
    };
    apply(updates);
  };
  apply({});
}

/** A tool that is not shaped. */
function leftAlone(name: string, { inputSchema, outputSchema, callback }: Own, adapter: Adapter): Updates {
  const untouched: Callback = async (...given) => adapter.untouched(name, await callback(...given));
  return {
    ...(inputSchema && { paramsSchema: inputSchema }),
    ...(outputSchema && { outputSchema }),
    callback: untouched,
  };
}

/** The schemas and the callback of a tool, wrapped with shaping. */
function wrapped(name: string, own: Own, { server }: ServerV2, adapter: Adapter): Updates {
  const { inputSchema, outputSchema, callback, _meta } = own;
  let planned: Plan | undefined;
  const plan = (): Plan =>
    (planned ??= adapter.plan({
      name,
      inputSchema: inputSchema ? jsonOf(inputSchema, "input", DIALECT) : NO_ARGUMENTS,
      outputSchema: jsonOf(outputSchema, "output", DIALECT),
      _meta,
    }));
  // Structured content that was made here or is already checked; the SDK passes on the same object.
  const known = new WeakSet<object>();
  const note = (value: unknown): void => void (typeof value === "object" && value !== null && known.add(value));
  const isKnown = (value: unknown): boolean => typeof value === "object" && value !== null && known.has(value);
  const work = async ({ own }: ReceivedArguments, context: unknown): Promise<unknown> => {
    const result = await (inputSchema ? callback(own, context) : callback(context));
    const { structuredContent, isError } = (result ?? {}) as Partial<CallToolResult>;
    if (outputSchema && structuredContent !== undefined && isError !== true) {
      await checkOutput(outputSchema, structuredContent, name);
      note(structuredContent);
    }
    return result;
  };
  return {
    paramsSchema: argumentsSchema(inputSchema, adapter, plan),
    ...(outputSchema && { outputSchema: widenedSchema(outputSchema, plan, isKnown) }),
    callback: async (asked, context) => {
      adapter.checkNames();
      const caller = { client: clientOf(server, context), context, meta: metaOf(context) };
      const result = await adapter.run(plan(), (asked as ReceivedArguments).given, caller, () =>
        work(asked as ReceivedArguments, context),
      );
      // A value that was shrunk within its schema is checked by the schema again.
      if (!plan().isPreserved) note(result.structuredContent);
      return result;
    },
  };
}
