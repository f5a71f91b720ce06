// The tools of the AI SDK: what a model reads of their outputs. It imports nothing: tools and models are plain objects.

import { ToolshapeError } from "../error.js";
import { Harness, Parts, type HarnessOptions, type HarnessTool } from "./harness.js";
import type { Policy } from "../types.js";

// biome-ignore lint/suspicious/noExplicitAny: each version of the SDK has its own types.
type Any = any;

/** The line of an agent of the AI SDK. */
export interface AiSdk {
  readonly harness: Harness;
  /** Tools whose outputs a model reads within the budget, and `read_result`. The user interface keeps each output whole. */
  tools<T extends Readonly<Record<string, Any>>>(tools: T): T & { readonly [name: `read_result${string}`]: Any };
  /**
   * The same model, which reads results of one turn within their sum.
   *
   * @throws {ToolshapeError} `INVALID_CALL` for the name of a model.
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
  const own = Object.fromEntries(harness.tools.map((tool) => [tool.mcp.name, ownTool(tool)]));
  return {
    harness,
    tools: (tools) => {
      const shaped = Object.entries(tools).map(([name, tool]) => [name, tool.execute ? shapedTool(name, tool) : tool]);
      return { ...Object.fromEntries(shaped), ...own };
    },
    model: (model) => {
      if (typeof model !== "object")
        throw new ToolshapeError("INVALID_CALL", 'this is the name of a model: pass the model, such as gateway("…")');
      return new Proxy(model, {
        get: (inner: Any, name) => {
          const member = Reflect.get(inner, name, inner);
          if (name === "doGenerate" || name === "doStream")
            return async (params: Any) => member.call(inner, { ...params, prompt: await fitted(params.prompt) });
          return typeof member === "function" ? member.bind(inner) : member;
        },
      });
    },
  };

  function shapedTool(name: string, tool: Any): Any {
    const failed = async (input: Any, error: unknown): Promise<never> => {
      const { text } = await harness.call(name, input ?? {}, () => {
        throw error;
      });
      // The SDK gives the model the message.
      throw new Error(text, { cause: error });
    };
    return {
      ...tool,
      execute: (input: Any, call: Any) => {
        const fail = (error: unknown): Promise<never> => failed(input, error);
        try {
          const output = tool.execute(input, call);
          // A tool that yields preliminary outputs returns them one by one.
          const isMany = typeof output?.[Symbol.asyncIterator] === "function";
          return isMany
            ? each(output, fail)
            : typeof output?.then === "function"
              ? output.then(undefined, fail)
              : output;
        } catch (error) {
          return fail(error);
        }
      },
      toModelOutput: async (call: Any) => {
        const given = await tool.toModelOutput?.(call);
        const result = await harness.call(name, call.input ?? {}, () => returned(given, call.output));
        if (result.isUnchanged && given !== undefined) return given;
        if (result.isText) return { type: result.isError ? "error-text" : "text", value: result.text };
        return { type: "content", value: result.blocks };
      },
    };
  }

  /** A prompt in which the results of each turn are within their sum. */
  async function fitted(prompt: readonly Any[]): Promise<Any[]> {
    return Promise.all(
      prompt.map(async (message) => {
        if (message.role !== "tool") return message;
        const content = await harness.fitEach<Any>(
          message.content,
          ({ toolName, output }) => (typeof output?.value === "string" ? { tool: toolName, text: output.value } : null),
          (part, value) => ({ ...part, output: { ...part.output, value } }),
        );
        return { ...message, content };
      }),
    );
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

/** The symbol by which the SDK knows a schema. */
const SCHEMA = Symbol.for("vercel.ai.schema");

function ownTool({ mcp, call }: HarnessTool): Any {
  const { description, inputSchema } = mcp;
  return {
    type: "dynamic",
    description,
    inputSchema: { [SCHEMA]: true, _type: undefined, jsonSchema: inputSchema, validate: undefined },
    execute: async (args: Any) => {
      const { text, isError } = await call(args ?? {});
      if (isError) throw new Error(text);
      return text;
    },
    toModelOutput: ({ output }: Any) => ({ type: "text", value: output }),
  };
}
