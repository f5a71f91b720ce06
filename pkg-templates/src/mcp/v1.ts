// `McpServer` of @modelcontextprotocol/sdk 1.x: tools are seen as messages, but for what their callbacks throw,
// of which the SDK keeps only the message.

import type { Adapter } from "./adapter.js";
import { shapeMessages, type MessageServer } from "./messages.js";
import { registerResults, type ResourceServer } from "./template.js";

type Callback = (...parameters: unknown[]) => unknown;

/** The part of an `McpServer` that is used here. */
export interface ServerV1 extends ResourceServer {
  server: MessageServer;
  sendToolListChanged(): void;
  tool(name: string, ...rest: unknown[]): unknown;
  registerTool(name: string, ...rest: unknown[]): unknown;
}

/** Has every tool shaped. */
export function shapeV1(server: ServerV1, adapter: Adapter): void {
  shapeMessages(server.server, adapter);
  if (adapter.hasStore) registerResults(server, adapter);
  for (const method of ["tool", "registerTool"] as const) {
    const register = server[method].bind(server);
    server[method] = (name, ...rest) => {
      const callback = rest.pop() as Callback;
      const caught: Callback = async (...parameters) => {
        try {
          return await callback(...parameters);
        } catch (error) {
          return adapter.caught(error, { tool: name }, parameters.at(-1) as object);
        }
      };
      return register(name, ...rest, caught);
    };
  }
}
