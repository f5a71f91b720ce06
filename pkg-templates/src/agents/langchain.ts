// The tools of agents of LangChain and LangGraph. It imports nothing: middleware, tools and messages are plain objects.

import { isControlFlow } from "../control_flow.js";
import { Harness, Parts, type HarnessOptions, type HarnessTool } from "./harness.js";
import type { Policy } from "../types.js";

// biome-ignore lint/suspicious/noExplicitAny: each version of LangChain has its own types.
type Any = any;

/**
 * Middleware that shapes what the tools of an agent return, with its `harness`: `createAgent({ model, tools, middleware: [toolshape()] })`.
 * The artifact of a message that was changed is its whole content, unless the tool has an artifact of its own.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an option.
 */
export function toolshape(policy: Policy = {}, options: HarnessOptions = {}): Any {
  const harness = new Harness(policy, options);
  return {
    [Symbol.for("AgentMiddleware")]: true,
    name: "Toolshape",
    harness,
    tools: harness.added(ownTool),
    wrapModelCall: (request: Any, handler: (request: Any) => Promise<Any>): Promise<Any> => {
      harness.own<Any>(request.tools.map((tool: Any) => [tool.name, tool]));
      harness.checkNames();
      return handler(request);
    },
    wrapToolCall: async (request: Any, handler: (request: Any) => Promise<Any>): Promise<Any> => {
      const { toolCall, tool } = request;
      if (tool === undefined || harness.reads(toolCall.name)) return handler(request);
      const noted: Noted = {};
      const read = (message: Any): unknown => {
        // Commands pass.
        if (message?.type !== "tool") return undefined;
        const { content, status } = message;
        // The value, before LangChain writes it as text; unless other middleware has changed the text.
        const value = "value" in noted && noted.content === content ? noted.value : content;
        if (typeof value !== "string" && !areBlocks(value)) return value;
        return Parts.of(typeof content === "string" ? [{ type: "text", text: content }] : content, status === "error");
      };
      const work = (): Any => handler({ ...request, tool: noting(tool, noted) });
      const result = await harness.call(toolCall.name, toolCall.args ?? {}, work, read).catch((error: unknown) => {
        throw ofTool(error);
      });
      const message = result.original as Any;
      if (message !== undefined && (message.type !== "tool" || result.isUnchanged)) return message;
      const { content } = result;
      if (message !== undefined) return changed(message, { content, artifact: message.artifact ?? message.content });
      // LangChain makes the message.
      const answer = { ...tool, name: toolCall.name, invoke: async () => content };
      return changed(await handler({ ...request, tool: answer }), { status: "error" });
    },
    beforeModel: async (state: Any): Promise<Any> => {
      const last = state.messages.findLastIndex(({ type }: Any) => type !== "tool");
      const turn: Any[] = state.messages.slice(last + 1);
      const fitted = await harness.fitEach(
        turn,
        ({ name, content }) => ({ tool: name, content }),
        (message, content) => changed(message, { content }),
      );
      // Messages are replaced by their ids.
      return { messages: fitted.filter((message, at) => message !== turn[at]) };
    },
  };
}

/** What a tool returned, and the content of its message. */
interface Noted {
  value?: unknown;
  content?: unknown;
}

/** LangChain gives the errors of tools to the model, and ends the run at those of middleware: this is one of a tool. */
function ofTool(error: unknown): unknown {
  const own = error instanceof Error ? error : new Error(String(error), { cause: error });
  if (isControlFlow(own) || "~brand" in own || !Object.isExtensible(own)) return own;
  return Object.defineProperty(own, "~brand", { value: "ToolInvocationError" });
}

/** The same message with other members. */
function changed(message: Any, members: object): Any {
  return new message.constructor({ ...message, ...members });
}

/** Whether a value is content of a message. */
function areBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each?.type === "string");
}

/** The same tool, which notes what its function returns: LangChain makes text of it before any hook. */
function noting(tool: Any, noted: Noted): Any {
  if (typeof tool.func !== "function") return tool;
  const func = async (...args: Any[]): Promise<unknown> => {
    const returned = await tool.func(...args);
    // LangChain reads what a generator yields and returns.
    if (typeof returned?.next === "function") return returned;
    const isPair = tool.responseFormat === "content_and_artifact" && Array.isArray(returned);
    noted.value = isPair ? returned[0] : returned;
    return returned;
  };
  const invoke = async (...args: Any[]): Promise<unknown> => {
    const message = await tool.invoke.apply(copy, args);
    noted.content = message?.content;
    return message;
  };
  const copy = Object.create(tool, { func: { value: func }, invoke: { value: invoke } });
  return copy;
}

function ownTool({ mcp, call }: HarnessTool): Any {
  const { name, description, inputSchema: schema } = mcp;
  const invoke = async ({ args }: Any): Promise<string> => (await call(args ?? {})).text;
  return { lc_runnable: true, name, description, schema, invoke };
}
