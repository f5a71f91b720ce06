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
      // An agent may be a copy of one that has them.
      const others = agent.tools.filter(({ name }) => !harness.reads(name));
      const tools = others.map((tool) => (tool.type === "function" ? shapedTool(tool) : tool));
      const mcpServers = agent.mcpServers.map(shapedServer);
      return agent.clone({ tools: [...tools, ...harness.tools.map(ownTool)], mcpServers });
    },
    callModelInputFilter: async ({ modelData }) => {
      const input = await harness.fitEach<Any>(
        modelData.input,
        ({ type, name, output }) => {
          if (type !== "function_call_result") return undefined;
          const text = typeof output === "string" ? output : output?.type === "text" ? output.text : undefined;
          return text === undefined ? null : { tool: name, text };
        },
        (item, text) => ({ ...item, output: typeof item.output === "string" ? text : { ...item.output, text } }),
      );
      return { ...modelData, input };
    },
  };

  function shapedTool(tool: Any): Any {
    const invoke = async (context: Any, text: string, details: Any): Promise<Any> => {
      const result = await harness.call(tool.name, text, () => tool.invoke(context, text, details), valueOf);
      return result.isUnchanged && typeof result.original !== "bigint" ? result.original : result.content;
    };
    return { ...tool, invoke };
  }

  function shapedServer(server: Any): Any {
    /** The same method, whose content is shaped; `read` finds it in what the method returns. */
    const shaped =
      (method: Any, read: (own: Any) => Any, put: (result: HarnessResult) => Any): Any =>
      async (tool: string, args: Any, ...more: Any[]) => {
        const result = await harness.call(tool, args ?? {}, () => method(tool, args, ...more), read);
        return result.isUnchanged && result.original !== undefined ? result.original : put(result);
      };
    return new Proxy(server, {
      get: (inner, name) => {
        const member = Reflect.get(inner, name, inner);
        if (typeof member !== "function") return member;
        const method = member.bind(inner);
        if (name === "callTool")
          return shaped(
            method,
            (content) => ({ content }),
            ({ blocks }) => blocks,
          );
        if (name === "callToolResult")
          return shaped(
            method,
            (own) => own,
            ({ blocks, isError }) => ({ content: blocks, isError }),
          );
        return method;
      },
    });
  }
}

/** The parts of outputs of the SDK; any other value. */
function valueOf(returned: Any): unknown {
  const outputs = [returned].flat();
  return outputs.length > 0 && outputs.every((each) => OUTPUTS.includes(each?.type)) ? Parts.of(outputs) : returned;
}

const OUTPUTS: readonly unknown[] = ["text", "image", "file"];

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
    invoke: async (_: Any, text: string) => (await call(text)).text,
  };
}
