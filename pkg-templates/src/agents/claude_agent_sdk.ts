// The tools of the Claude Agent SDK: a hook that shapes their results, and an MCP server in this process that reads them.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { call } from "../core.js";
import { Harness, Parts, type HarnessOptions } from "./harness.js";
import type { Policy } from "../types.js";

// biome-ignore lint/suspicious/noExplicitAny: the SDK has types of its own.
type Any = any;

/** The line of an agent of the Claude Agent SDK. */
export interface ClaudeAgentSdk {
  readonly harness: Harness;
  /** The options of `query` with the hook, and with `read_result`. */
  options<O extends object>(options?: O): O;
}

/** The name of our server. */
const SERVER = "toolshape";
/** The bytes of a file that is read. */
const MOST = 256_000_000;

/**
 * Shapes what the tools of agents return: `const shape = toolshape();` `query({ prompt, options: shape.options(options) })`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option.
 */
export function toolshape(policy: Policy = {}, options: HarnessOptions = {}): ClaudeAgentSdk {
  const harness = new Harness(policy, options);
  const names = harness.tools.map(({ mcp }) => `mcp__${SERVER}__${mcp.name}`);
  return {
    harness,
    options: (given: Any = {}) => {
      // A result over it goes into a file before the hook.
      const env = { ...process.env, MAX_MCP_OUTPUT_TOKENS: "100000000", ...given.env };
      const folder = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude");
      const own = { hooks: [(event: Any) => afterTool(event, folder)] };
      return {
        ...given,
        hooks: { ...given.hooks, PostToolUse: [...(given.hooks?.PostToolUse ?? []), own] },
        mcpServers: { ...given.mcpServers, [SERVER]: { type: "sdk", name: SERVER, instance: server(harness) } },
        allowedTools: [...(given.allowedTools ?? []), ...names],
        env,
      };
    },
  };

  async function afterTool(event: Any, folder: string): Promise<object> {
    const { tool_name: tool, tool_input: args } = event;
    const response = tool === "Bash" ? complete(event.tool_response, folder) : event.tool_response;
    const found: [pointer: string, text: string][] = names.includes(tool) ? [] : call("hookTexts", { tool, response });
    if (found.length === 0) return {};
    const result = await harness.call(tool, args ?? {}, () => new Parts(found.map(([, text]) => text)));
    if (result.isUnchanged) return {};
    return call("hookOutput", { response, pointers: found.map(([pointer]) => pointer), parts: result.parts });
  }
}

/**
 * What a command printed, with what Claude Code has put into a file, because it is long. Servers name any path: only a file in the
 * folder of Claude Code's own is read, and no link out of it.
 */
function complete(response: Any, folder: string): Any {
  if (typeof response?.persistedOutputPath !== "string") return response;
  const { persistedOutputPath, persistedOutputSize: _, ...rest } = response;
  try {
    const file = realpathSync(persistedOutputPath);
    const isOwn = file.startsWith(realpathSync(folder) + sep) && basename(dirname(file)) === "tool-results";
    const about = statSync(file);
    return isOwn && about.isFile() && about.size <= MOST ? { ...rest, stdout: readFileSync(file, "utf8") } : response;
  } catch {
    return response;
  }
}

/** A server for the transport of the SDK. */
function server({ tools }: Harness): Any {
  const answer = async ({ method, params }: Any): Promise<object | undefined> => {
    if (method === "initialize") {
      const { protocolVersion } = params;
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: SERVER, version: "1" } };
    }
    // Else the model has to search for the tool before it can call it.
    const _meta = { "anthropic/alwaysLoad": true };
    if (method === "tools/list") return { tools: tools.map(({ mcp }) => ({ ...mcp, _meta })) };
    if (method !== "tools/call") return {};
    const result = await tools.find(({ mcp }) => mcp.name === params.name)?.call(params.arguments ?? {});
    return result && { content: result.blocks, isError: result.isError };
  };
  return {
    connect: async (transport: Any) => {
      transport.onmessage = async (message: Any) => {
        if (message.id === undefined) return;
        const result = await answer(message);
        const error = { code: -32602, message: "unknown tool" };
        await transport.send({ jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) });
      };
      await transport.start();
    },
    close: async () => {},
  };
}
