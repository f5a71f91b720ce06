// The tools of agents of the OpenAI Agents SDK. It imports nothing: tools, servers and items are plain objects.

import { checkGiven } from "../options.js";
import { Harness, Parts, type HarnessOptions, type HarnessTool } from "./harness.js";
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
  /**
   * A copy of an agent whose tools are shaped, those of MCP servers and of agents that it hands off to as well, with `read_result`.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for something else than an agent, and for a tool with the name of ours.
   */
  agent<A extends ClonedAgent>(agent: A): A;
  /** The option of `run` and `Runner` by which results of one turn are within their sum. */
  callModelInputFilter(data: Any): Promise<Any>;
  /** The option of `tool` by which rate limits become results; the SDK hides other errors, as it does by default. */
  errorFunction(context: unknown, error: unknown): Promise<string>;
}

/**
 * Shapes the tools of agents: `const shape = toolshape();`
 * `run(shape.agent(agent), input, { callModelInputFilter: shape.callModelInputFilter })`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option.
 */
export function toolshape(policy: Policy = {}, options: HarnessOptions = {}): OpenAiAgents {
  const harness = new Harness(policy, options);
  const copies = new WeakSet<object>();
  const agentTools = new WeakSet<object>();
  const unlisted = new Set<object>();
  return { harness, agent: (agent) => copyOf(agent, new Map()), callModelInputFilter, errorFunction };

  /** A copy of an agent, and of those that it hands off to: `known` are those that are copied, as they may hand off to each other. */
  function copyOf(agent: Any, known: Map<object, Any>): Any {
    checkGiven(Array.isArray(agent?.tools) && typeof agent.clone === "function", agent, "agent", "new Agent({ … })");
    if (copies.has(agent)) return agent;
    if (known.has(agent)) return known.get(agent);
    const tools = own(agent.tools).map((tool) => (tool.type === "function" ? { ...tool, ...shapedTool(tool) } : tool));
    const mcpConfig = { errorFunction: (of: Any) => errorFunction(of.context, of.error), ...agent.mcpConfig };
    const copy = agent.clone({ tools: [...tools, ...harness.added(ownTool)], mcpConfig });
    const { asTool, clone, getMcpTools } = Object.getPrototypeOf(copy);
    copies.add(copy);
    known.set(agent, copy);
    if (agent.mcpServers.length > 0) unlisted.add(copy);
    copy.clone = (config: Any) => copyOf(clone.call(copy, config), new Map());
    copy.getMcpTools = async (...args: Any[]) => {
      const found = own(await getMcpTools.apply(copy, args));
      unlisted.delete(copy);
      // The SDK makes them for each run, and knows them by what they are.
      return found.map((tool) => Object.assign(tool, shapedTool(tool, blocksOf)));
    };
    copy.handoffs = (agent.handoffs ?? []).map((to: Any) =>
      to.onInvokeHandoff ? to.clone({ agent: copyOf(to.agent, known) }) : copyOf(to, known),
    );
    // A run within a tool has options of its own.
    copy.asTool = (given: Any) => {
      const runOptions = { callModelInputFilter, ...given?.runOptions };
      const tool = asTool.call(copy, { ...given, runOptions });
      agentTools.add(tool);
      return tool;
    };
    return copy;
  }

  async function callModelInputFilter({ modelData, agent }: Any): Promise<Any> {
    if (agent && !harness.hasAdded(agent.tools)) {
      harness.warn(`the agent ${agent.name} is not shaped: pass shape.agent(agent) to run`);
      return modelData;
    }
    if (unlisted.size === 0) harness.checkNames();
    const input = await harness.fitEach<Any>(
      modelData.input,
      ({ type, name, output }) => {
        if (type !== "function_call_result") return undefined;
        return { tool: name, content: output?.type === "text" ? output.text : output };
      },
      (item, content) => ({
        ...item,
        output: item.output.type === "text" ? { ...item.output, text: content } : content,
      }),
    );
    return { ...modelData, input };
  }

  async function errorFunction(_: unknown, error: unknown): Promise<string> {
    const failed = harness.call("", {}, () => Promise.reject(error));
    return (await failed.catch(() => ({ text: FAILED }))).text;
  }

  function own(tools: readonly Any[]): Any[] {
    return harness.own<Any>(tools.map((tool) => [tool.name, tool])).map(([, tool]) => tool);
  }

  function shapedTool(tool: Any, read = valueOf): object {
    // Tools that are agents have events.
    if (typeof tool.on === "function" && !agentTools.has(tool))
      harness.warn(`the tool ${tool.name} is an agent that is not shaped: use shape.agent(agent).asTool()`);
    const { name, invoke } = tool;
    const shaped = async (context: Any, text: string, details: Any): Promise<Any> => {
      const result = await harness.call(name, text, () => invoke.call(tool, context, text, details), read);
      return result.isUnchanged ? result.original : result.content;
    };
    return { invoke: shaped };
  }
}

/** What the SDK says by default. */
const FAILED = "An error occurred while running the tool. Please try again.";

/** The parts of outputs of the SDK; any other value. */
function valueOf(returned: Any): unknown {
  const outputs = [returned].flat();
  return outputs.length > 0 && outputs.every((each) => OUTPUTS.includes(each?.type)) ? Parts.of(outputs) : returned;
}

const OUTPUTS: readonly unknown[] = ["text", "image", "file"];

/** The content of a result of MCP, of which the SDK takes a block out that is alone; a text, such as an error. */
function blocksOf(returned: Any): unknown {
  return typeof returned === "string" ? returned : { content: [returned].flat() };
}

function ownTool({ responses, call }: HarnessTool): Any {
  return {
    ...responses,
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: async (_: Any, text: string) => (await call(text)).text,
  };
}
