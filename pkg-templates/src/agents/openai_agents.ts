// The tools of agents of the OpenAI Agents SDK. It imports nothing: tools, servers and items are plain objects.

import { Harness, Parts, type HarnessOptions, type HarnessResult, type HarnessTool } from "./harness.js";
import type { Policy } from "../types.js";

// biome-ignore lint/suspicious/noExplicitAny: the SDK has types of its own.
type Any = any;

/** An agent of the SDK. */
export interface ClonedAgent {
  readonly tools: readonly Any[];
  readonly mcpServers: readonly Any[];
  clone(config: Any): Any;
}

/** The line of an agent of the OpenAI Agents SDK. */
export interface OpenAiAgents {
  readonly harness: Harness;
  /** A copy of an agent whose tools are shaped, those of MCP servers too, with `read_result`. */
  agent<A extends ClonedAgent>(agent: A): A;
  /** The option of `run` and `Runner` by which results of one turn are within their sum. */
  callModelInputFilter(data: Any): Promise<Any>;
}

/**
 * Shapes the tools of agents: `const shape = toolshape();`
 * `run(shape.agent(agent), input, { callModelInputFilter: shape.callModelInputFilter })`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option.
 */
export function toolshape(policy: Policy = {}, options: HarnessOptions = {}): OpenAiAgents {
  const harness = new Harness(policy, options);
  return {
    harness,
    agent: (agent) => {
      const tools = agent.tools.map((tool) => (tool.type === "function" ? shapedTool(tool) : tool));
      const mcpServers = agent.mcpServers.map(shapedServer);
      return agent.clone({ tools: [...tools, ...harness.tools.map(ownTool)], mcpServers });
    },
    callModelInputFilter: async ({ modelData }) => {
      const input = [...modelData.input];
      let turn: number[] = [];
      for (const [at, item] of [...input, {}].entries()) {
        if (item.type === "function_call_result") {
          if (textOf(item.output) !== undefined) turn.push(at);
          continue;
        }
        const texts = await harness.fit(
          turn.map((at) => ({ tool: input[at].name, text: textOf(input[at].output) ?? "" })),
        );
        for (const [place, at] of turn.entries()) {
          const { output } = input[at];
          const text = texts[place];
          if (textOf(output) !== text)
            input[at] = { ...input[at], output: typeof output === "string" ? text : { ...output, text } };
        }
        turn = [];
      }
      return { ...modelData, input };
    },
  };

  function shapedTool(tool: Any): Any {
    const invoke = async (context: Any, text: string, details: Any): Promise<Any> => {
      let own: Any;
      const result = await harness.call(tool.name, argumentsOf(text), async () => {
        own = await tool.invoke(context, text, details);
        const outputs = Array.isArray(own) ? own : [own];
        const areOutputs = outputs.length > 0 && outputs.every((each) => OUTPUTS.includes(each?.type));
        return areOutputs ? new Parts(outputs.map((each) => (each.type === "text" ? each.text : each))) : own;
      });
      if (result.isUnchanged && typeof own !== "bigint") return own;
      return isText(result) ? result.text : blocksOf(result);
    };
    return { ...tool, invoke };
  }

  function shapedServer(server: Any): Any {
    const shaped = async (name: string, args: Any, work: () => unknown): Promise<HarnessResult> =>
      harness.call(name, args ?? {}, work);
    return new Proxy(server, {
      get: (inner, name) => {
        const member = Reflect.get(inner, name, inner);
        if (typeof member !== "function") return member;
        if (name === "callTool")
          return async (tool: string, args: Any, ...more: Any[]) =>
            blocksOf(
              await shaped(tool, args, async () => ({ content: await member.call(inner, tool, args, ...more) })),
            );
        if (name === "callToolResult")
          return async (tool: string, args: Any, ...more: Any[]) => {
            let own: Any;
            const result = await shaped(tool, args, async () => {
              own = await member.call(inner, tool, args, ...more);
              return own;
            });
            return result.isUnchanged ? own : { content: blocksOf(result), isError: result.isError };
          };
        return member.bind(inner);
      },
    });
  }
}

const OUTPUTS: readonly unknown[] = ["text", "image", "file"];

const isText = ({ parts }: HarnessResult): boolean => parts.every((part) => typeof part === "string");

function blocksOf({ parts }: HarnessResult): Any[] {
  return parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
}

/** The text of an output, if it is one. */
function textOf(output: Any): string | undefined {
  if (typeof output === "string") return output;
  return output?.type === "text" ? output.text : undefined;
}

function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const args: unknown = JSON.parse(text || "{}");
    return typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function ownTool({ mcp, call }: HarnessTool): Any {
  const { name, description, inputSchema } = mcp;
  return {
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: false,
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: async (_: Any, text: string) => (await call(argumentsOf(text))).text,
  };
}
