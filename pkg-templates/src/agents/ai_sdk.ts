// The tools of the AI SDK: what a model reads of their outputs. It imports nothing: tools and models are plain objects.

import { checkGiven } from "../options.js";
import { Harness, Parts, type HarnessOptions, type HarnessTool } from "./harness.js";
import type { Policy } from "../types.js";
import { withMembers } from "./with_members.js";

// biome-ignore lint/suspicious/noExplicitAny: each version of the SDK has its own types.
type Any = any;

/** The line of an agent of the AI SDK. */
export interface AiSdk {
  readonly harness: Harness;
  /**
   * Tools whose outputs a model reads within the budget, and `read_result`. The user interface keeps each output whole.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for something else than tools by their names, and for one with the name of ours.
   */
  tools<T extends Readonly<Record<string, Any>>>(tools: T): T & { readonly [name: `read_result${string}`]: Any };
  /**
   * The same model, which reads results of one turn within their sum.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for something else than a model, such as its name.
   */
  model<M extends object>(model: M): M;
}

/**
 * Shapes what models of the AI SDK read: `const shape = toolshape();`
 * `generateText({ model: shape.model(model), tools: shape.tools(tools) })`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option.
 */
export function toolshape(policy: Policy = {}, options: HarnessOptions = {}): AiSdk {
  const harness = new Harness(policy, options);
  const added = harness.added(ownTool).map((tool, at) => [harness.tools[at]?.mcp.name, tool]);
  let hasTools = false;
  return {
    harness,
    tools: (tools) => {
      const are = typeof tools === "object" && tools !== null && !Array.isArray(tools);
      checkGiven(are, tools, "tools", "an object of tools, { name: tool }");
      for (const [name, tool] of Object.entries(tools))
        checkGiven(typeof tool === "object" && tool !== null, tool, `tool ${name}`, "what tool({ … }) returns");
      hasTools = true;
      const own = harness.own<Any>(Object.entries(tools));
      const shaped = own.map(([name, tool]) => [name, tool.execute ? shapedTool(name, tool) : tool]);
      return Object.fromEntries([...shaped, ...added]);
    },
    model: (model) => {
      const isModel = typeof (model as Any)?.doGenerate === "function";
      checkGiven(isModel, model, "model", 'the model itself and not its name, such as gateway("…")');
      const fitting = (name: string) => async (params: Any) =>
        (model as Any)[name]({ ...params, prompt: await fitted(params.prompt) });
      return withMembers(model, { doGenerate: fitting("doGenerate"), doStream: fitting("doStream") });
    },
  };

  function shapedTool(name: string, tool: Any): Any {
    const execute = (input: Any, call: Any): unknown => {
      const fail = async (error: unknown): Promise<never> => {
        const { text } = await harness.call(name, input ?? {}, () => Promise.reject(error));
        // The SDK gives the model the message.
        throw new Error(text, { cause: error });
      };
      try {
        const output = tool.execute(input, call);
        // A tool that yields preliminary outputs returns them one by one.
        return output?.[Symbol.asyncIterator] ? each(output, fail) : Promise.resolve(output).catch(fail);
      } catch (error) {
        return fail(error);
      }
    };
    const toModelOutput = async (call: Any): Promise<Any> => {
      const given = await tool.toModelOutput?.(call);
      const result = await harness.call(name, call.input ?? {}, () => returned(given, call.output));
      if (result.isUnchanged && given !== undefined) return given;
      if (result.isText) return { type: result.isError ? "error-text" : "text", value: result.text };
      return { type: "content", value: result.blocks };
    };
    return { ...tool, execute, toModelOutput };
  }

  /** A prompt in which the results of each turn are within their sum. */
  async function fitted(prompt: readonly Any[]): Promise<readonly Any[]> {
    if (!hasTools) {
      harness.warn("shape.model shapes nothing without shape.tools: pass tools: shape.tools(tools)");
      return prompt;
    }
    harness.checkNames();
    const fit = async ({ content, ...message }: Any): Promise<Any> => ({
      ...message,
      content: await harness.fitEach<Any>(
        content,
        ({ toolName, output }) => ({ tool: toolName, content: output?.type === "json" ? undefined : output?.value }),
        (part, value) => ({ ...part, output: { ...part.output, value } }),
      ),
    });
    return Promise.all(prompt.map((message) => (message.role === "tool" ? fit(message) : message)));
  }
}

async function* each(outputs: AsyncIterable<unknown>, fail: (error: unknown) => Promise<never>): Any {
  try {
    yield* outputs;
  } catch (error) {
    await fail(error);
  }
}

/** What a tool returned: what it makes of its output for a model, if it does, else its output. */
function returned(given: Any, output: Any): unknown {
  if (given === undefined) return output;
  const { type, value } = given;
  // Tools of MCP servers lose there that they failed.
  const isError = type === "error-text" || type === "error-json" || output?.isError === true;
  if (type === "content") return Parts.of(value, isError);
  return isError && typeof value === "string" ? new Parts([value], true) : value;
}

function ownTool({ mcp, call }: HarnessTool): Any {
  const schema = { _type: undefined, jsonSchema: mcp.inputSchema, validate: undefined };
  return {
    type: "dynamic",
    description: mcp.description,
    // The symbol by which the SDK knows a schema.
    inputSchema: { [Symbol.for("vercel.ai.schema")]: true, ...schema },
    execute: async (args: Any) => {
      const { text, isError } = await call(args ?? {});
      if (isError) throw new Error(text);
      return text;
    },
    toModelOutput: ({ output }: Any) => ({ type: "text", value: output }),
  };
}
