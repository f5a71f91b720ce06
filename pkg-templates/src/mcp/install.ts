// The one call that shapes any server of the official SDKs.

import { checkGiven } from "../options.js";
import type { Policy } from "../types.js";
import { Adapter, type AdapterOptions } from "./adapter.js";
import { shapeMessages, type MessageServer } from "./messages.js";
import { once } from "./once.js";
import { shapeV1, type ServerV1 } from "./v1.js";
import { shapeV2, type ServerV2 } from "./v2.js";

export {
  Adapter,
  type AddedTool,
  type AdapterOptions,
  type Arguments,
  type Caller,
  type SdkContext,
} from "./adapter.js";

/** Where the SDKs keep the name of a server. */
interface Named {
  readonly server?: Named;
  readonly _serverInfo?: { readonly name?: string };
}

function nameOf(server: unknown): string | undefined {
  const named = server as Named | null | undefined;
  return (named?.server ?? named)?._serverInfo?.name;
}

type AnyFunction = (...parameters: never) => unknown;

/** An `McpServer` or a low-level `Server` of either SDK. */
export type SdkServer = { readonly registerTool: AnyFunction } | { readonly setRequestHandler: AnyFunction };

/**
 * Shapes the results of a server's tools: an `McpServer` of `@modelcontextprotocol/server` 2.x or
 * `@modelcontextprotocol/sdk` 1.x, or the low-level `Server` of either. Tools are shaped whenever they are registered.
 *
 * Returns the server.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`, and `INVALID_CALL` for an object that is not such a server, for one that is
 * shaped or connected already, and for a tool of its own with the name of one that is added.
 */
export function shapeServer<S extends SdkServer>(server: S, policy: Policy = {}, options: AdapterOptions = {}): S {
  const adapter = new Adapter(policy, options, nameOf(server));
  const has = (name: string): boolean =>
    typeof (server as unknown as Record<string, unknown> | null | undefined)?.[name] === "function";
  const isServer = has("registerTool") || has("setRequestHandler");
  checkGiven(isServer, server, "server", "an McpServer or a Server; for fastmcp import toolshape/fastmcp");
  once(server, () => {
    if (has("registerTool")) {
      if (has("tool")) shapeV1(server as unknown as ServerV1, adapter);
      else shapeV2(server as unknown as ServerV2, adapter);
    } else {
      shapeMessages(server as unknown as MessageServer, adapter);
    }
  });
  return server;
}
