// `McpServer` of @modelcontextprotocol/sdk 1.x: tools are seen as messages. Only their callbacks are wrapped too,
// because the SDK keeps nothing but the message of an error that they throw.

import type { Adapter } from "./adapter.js";
import { shapeMessages, type MessageServer } from "./messages.js";
import { registerResults, type ResourceServer } from "./template.js";

/** The code of an unknown resource up to 2025-11-25. */
const NOT_FOUND = -32002;

type Callback = (...parameters: unknown[]) => unknown;

interface Updates {
  name?: string | null | undefined;
  callback?: Callback | undefined;
}

interface RegisteredTool {
  /** The callback, or an object for tools that run as tasks; under its former name in older versions. */
  handler?: unknown;
  callback?: unknown;
  update(updates: Updates): void;
}

/** The part of an `McpServer` that is used here. */
export interface ServerV1 extends ResourceServer {
  server: MessageServer;
  sendToolListChanged(): void;
  tool(name: string, ...rest: unknown[]): RegisteredTool;
  registerTool(name: string, ...rest: unknown[]): RegisteredTool;
  /** Where the SDK keeps the tools. */
  _registeredTools?: Record<string, RegisteredTool>;
}

/** Shapes every tool, whenever it is registered. */
export function shapeV1(server: ServerV1, adapter: Adapter): void {
  const registered = Object.entries(server._registeredTools ?? {});
  for (const [name] of registered) adapter.checkName(name);
  shapeMessages(server.server, adapter);
  if (adapter.hasStore) registerResults(server, adapter, NOT_FOUND);
  for (const [name, tool] of registered) {
    const { wrapped, adopt } = catching(name, adapter);
    const callback = tool.handler ?? tool.callback;
    // A tool that creates tasks is an object; its results are seen as messages.
    if (typeof callback === "function") tool.update({ callback: wrapped(callback as Callback) });
    adopt(tool);
  }
  for (const method of ["tool", "registerTool"] as const) {
    const register = server[method].bind(server);
    server[method] = (name, ...rest) => {
      adapter.checkName(name);
      const { wrapped, adopt } = catching(name, adapter);
      return adopt(register(name, ...rest.slice(0, -1), wrapped(rest.at(-1) as Callback)));
    };
  }
}

/** What catches the errors of a tool, also of its later callbacks and under its later names. */
function catching(
  firstName: string,
  adapter: Adapter,
): { wrapped: (callback: Callback) => Callback; adopt: (tool: RegisteredTool) => RegisteredTool } {
  let name = firstName;
  const wrapped =
    (callback: Callback): Callback =>
    async (...parameters) => {
      try {
        return await callback(...parameters);
      } catch (error) {
        return adapter.caught(error, { tool: name }, parameters.at(-1) as object);
      }
    };
  const adopt = (tool: RegisteredTool): RegisteredTool => {
    const update = tool.update.bind(tool);
    tool.update = (updates) => {
      if (typeof updates.name === "string") {
        adapter.checkName(updates.name);
        name = updates.name;
      }
      update(updates.callback ? { ...updates, callback: wrapped(updates.callback) } : updates);
    };
    return tool;
  };
  return { wrapped, adopt };
}
