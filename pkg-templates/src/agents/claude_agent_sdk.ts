// The tools of the Claude Agent SDK: a hook that shapes their results, and an MCP server in this process that reads them.

import { readFileSync } from "node:fs";
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
    options: (given: Any = {}) => ({
      ...given,
      hooks: { ...given.hooks, PostToolUse: [...(given.hooks?.PostToolUse ?? []), { hooks: [afterTool] }] },
      mcpServers: { ...given.mcpServers, [SERVER]: { type: "sdk", name: SERVER, instance: server(harness) } },
      allowedTools: [...(given.allowedTools ?? []), ...names],
      // A result over it goes into a file before the hook.
      env: { ...process.env, MAX_MCP_OUTPUT_TOKENS: "100000000", ...given.env },
    }),
  };

  async function afterTool({ tool_name: tool, tool_input: args, tool_response }: Any): Promise<object> {
    const response = complete(tool_response);
    const found: [pointer: string, text: string][] = names.includes(tool) ? [] : call("hookTexts", { tool, response });
    if (found.length === 0) return {};
    const result = await harness.call(tool, args ?? {}, () => new Parts(found.map(([, text]) => text)));
    if (result.isUnchanged) return {};
    return call("hookOutput", { response, pointers: found.map(([pointer]) => pointer), parts: result.parts });
  }
}

/** A result with what Claude Code has put into a file, because it is long. */
function complete(response: Any): Any {
  if (typeof response?.persistedOutputPath !== "string") return response;
  const { persistedOutputPath, persistedOutputSize: _, ...rest } = response;
  try {
    return { ...rest, stdout: readFileSync(persistedOutputPath, "utf8") };
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
