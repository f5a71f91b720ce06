// `McpServer` of @modelcontextprotocol/sdk 1.x: tools are seen as messages. Only their callbacks are wrapped too,
// because the SDK keeps nothing but the message of an error that they throw.

import type { Adapter } from "./adapter.js";
import { shapeMessages, type MessageServer } from "./messages.js";
import { registerResults, type ResourceServer } from "./template.js";

type Callback = (...parameters: unknown[]) => unknown;

interface Updates {
  name?: string | null | undefined;
  callback?: Callback | undefined;
}

interface RegisteredTool {
  update(updates: Updates): void;
}

/** The part of an `McpServer` that is used here. */
export interface ServerV1 extends ResourceServer {
  server: MessageServer;
  sendToolListChanged(): void;
  tool(name: string, ...rest: unknown[]): RegisteredTool;
  registerTool(name: string, ...rest: unknown[]): RegisteredTool;
  /** Where the SDK keeps the tools. */
  _registeredTools?: Record<string, unknown>;
}

/** Shapes every tool. */
export function shapeV1(server: ServerV1, adapter: Adapter): void {
  for (const name of Object.keys(server._registeredTools ?? {})) adapter.checkName(name);
  shapeMessages(server.server, adapter);
  if (adapter.hasStore) registerResults(server, adapter);
  for (const method of ["tool", "registerTool"] as const) {
    const register = server[method].bind(server);
    server[method] = (firstName, ...rest) => {
      adapter.checkName(firstName);
      let name = firstName;
      const caught = (callback: Callback): Callback => async (...parameters) => {
        try {
          return await callback(...parameters);
        } catch (error) {
          return adapter.caught(error, { tool: name }, parameters.at(-1) as object);
        }
      };
      const registered = register(name, ...rest.slice(0, -1), caught(rest.at(-1) as Callback));
      const update = registered.update.bind(registered);
      registered.update = (updates) => {
        if (typeof updates.name === "string") {
          adapter.checkName(updates.name);
          name = updates.name;
        }
        update(updates.callback ? { ...updates, callback: caught(updates.callback) } : updates);
      };
      return registered;
    };
  }
}
