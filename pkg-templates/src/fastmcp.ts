import "./index.js";
import type { Policy } from "./types.js";
import { Adapter, type AdapterOptions } from "./mcp/adapter.js";
import { shapeFastMCP, type FastMCPServer } from "./mcp/fastmcp.js";

export type { AdapterOptions } from "./mcp/adapter.js";
export type { Summarizer, SummaryRequest } from "./mcp/summarizer.js";

/**
 * Shapes the results of a `FastMCP` server's tools. Call it before tools are added.
 *
 * Returns the server.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`, and `INVALID_CALL` for a wrong option.
 */
export function shapeServer<S extends object>(server: S, policy: Policy = {}, options: AdapterOptions = {}): S {
  shapeFastMCP(server as unknown as FastMCPServer, new Adapter(policy, options));
  return server;
}
