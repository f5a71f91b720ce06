// The tools of the Claude Agent SDK: a hook that shapes their results, and an MCP server in this process that reads them.

import { readFileSync } from "node:fs";
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

/** Where the results of tools have the texts that a model reads. A list of texts is read line by line. */
const PLACES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Bash: [["stdout"], ["stderr"]],
  Read: [["file", "content"]],
  Grep: [["content"], ["filenames"]],
  Glob: [["filenames"]],
  WebFetch: [["result"]],
};

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

  async function afterTool(event: Any): Promise<object> {
    const { tool_name: tool, tool_input: args, tool_response: response } = event;
    const root = { response: complete(structuredClone(response)) };
    const places = placesIn(tool, root).filter(([holder, key]) => textAt(holder[key]) !== "");
    if (places.length === 0 || names.includes(tool)) return {};
    const texts = places.map(([holder, key]) => textAt(holder[key]));
    const result = await harness.call(tool, args ?? {}, () => new Parts(texts));
    if (result.isUnchanged) return {};
    // Texts that were made one are where the first was.
    const parts = result.parts.length === places.length ? result.parts : [result.text];
    for (const [at, [holder, key]] of places.entries()) {
      const text = parts[at] ?? "";
      holder[key] = Array.isArray(holder[key]) ? [text] : text;
    }
    return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: root.response } };
  }
}

/** The objects and keys of the texts in a result. */
function placesIn(tool: string, root: { response: Any }): [holder: Any, key: string][] {
  const { response } = root;
  const known = PLACES[tool];
  if (known !== undefined && !response?.isImage)
    return known.map((path) => [
      path.slice(0, -1).reduce((value, key) => value?.[key], response) ?? {},
      path.at(-1) ?? "",
    ]);
  if (!tool.startsWith("mcp__")) return [];
  if (typeof response === "string") return [[root, "response"]];
  const blocks: Any[] = [response?.content ?? response].flat();
  return blocks.filter((block) => block?.type === "text").map((block) => [block, "text"]);
}

function textAt(value: unknown): string {
  return Array.isArray(value) ? value.join("\n") : typeof value === "string" ? value : "";
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
