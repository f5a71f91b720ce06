import "./index.js";
import { checkGiven } from "./options.js";
import type { Policy } from "./types.js";
import { Adapter, type AdapterOptions } from "./mcp/adapter.js";
import { shapeFastMCP, type FastMCPServer } from "./mcp/fastmcp.js";
import { once } from "./mcp/once.js";

export type { AdapterOptions, SdkContext } from "./mcp/adapter.js";

/**
 * Shapes the results of a `FastMCP` server's tools. Call it before tools are added.
 *
 * Returns the server.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`, and `INVALID_CALL` for a wrong option, for an object that is not a `FastMCP`, and for
 * a server that is shaped already or has tools already.
 */
export function shapeServer<S extends { readonly addTool: (tool: never) => unknown }>(
  server: S,
  policy: Policy = {},
  options: AdapterOptions = {},
): S {
  const { options: own } = (server ?? {}) as { readonly options?: { readonly name?: string } };
  const adapter = new Adapter(policy, options, own?.name);
  const isServer = typeof (server as Partial<S> | null | undefined)?.addTool === "function";
  checkGiven(isServer, server, "server", "a FastMCP; for McpServer or Server import toolshape/mcp");
  once(server, () => shapeFastMCP(server as unknown as FastMCPServer, adapter));
  return server;
}
