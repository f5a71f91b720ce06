// `FastMCP` of fastmcp 4.x: tools are wrapped as they are added.

import { ToolshapeError } from "../error.js";
import type { CallToolResult, ContentBlock } from "../types.js";
import type { Adapter, Arguments, Plan } from "./adapter.js";
import {
  argumentsSchema,
  checkOutput,
  jsonOf,
  uncheckedSchema,
  widenedSchema,
  type ReceivedArguments,
  type StandardSchema,
} from "./standard.js";
import { fastMCPTemplate } from "./template.js";

interface FastMCPTool {
  name: string;
  description?: unknown;
  annotations?: unknown;
  parameters?: StandardSchema | undefined;
  outputSchema?: StandardSchema | undefined;
  execute: (parameters: unknown, context: Context) => unknown;
}

interface Context {
  client?: { version?: { name: string } | undefined } | undefined;
}

/** The part of a `FastMCP` that is used here. */
export interface FastMCPServer {
  addTool(tool: FastMCPTool): void;
  addTools?(tools: FastMCPTool[]): void;
  removeTool?(name: string): void;
  addResourceTemplate(template: object): void;
  start?(options?: { transportType?: string }): unknown;
}

/** The dialect of the schemas that FastMCP lists. */
const DIALECT = "draft-07";

/**
 * Shapes every tool that is added from now on.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a server that has tools, because they cannot be seen from outside.
 */
export function shapeFastMCP(server: FastMCPServer, adapter: Adapter): void {
  refuseEarlierTools(server);
  const add = server.addTool.bind(server);
  for (const { tool, answer } of adapter.added) {
    const { name, inputSchema, description, annotations } = tool;
    const execute = (given: unknown, context: Context): unknown =>
      answer(given as Arguments, { client: context.client?.version?.name, context });
    add({ name, description, annotations, parameters: uncheckedSchema(inputSchema), execute });
  }
  // Its contexts do not say how a client is connected.
  const start = server.start?.bind(server);
  adapter.hasOneClient = false;
  if (start) {
    server.start = (options) => {
      adapter.hasOneClient = options?.transportType === "stdio";
      return start(options);
    };
  }
  if (adapter.hasStore) server.addResourceTemplate(fastMCPTemplate(adapter));
  server.addTool = (tool) => add(wrapped(tool, adapter));
  const addAll = server.addTools?.bind(server);
  if (addAll) server.addTools = (tools) => addAll(tools.map((tool) => wrapped(tool, adapter)));
}

function refuseEarlierTools(server: FastMCPServer): void {
  const count = countTools(server);
  if (count === 0) return;
  // An empty server shows what the count has besides tools.
  const Server = server.constructor as new (options: object) => FastMCPServer;
  const excess = count - countTools(new Server({ name: "empty", version: "0.0.0" }));
  if (excess > 0) {
    const [what, them] = excess === 1 ? ["a tool", "it"] : [`${excess} tools`, "them"];
    const message = `the server has ${what} already, and FastMCP does not show ${them}: call shapeServer before addTool`;
    throw new ToolshapeError("INVALID_CALL", message, "/server");
  }
}

/** A call of `Array.prototype.filter` in a stack of V8, of JavaScriptCore and of Bun. */
const FILTER = /\bArray\.filter\b|(^|\n)filter@|\bfilter \(native/;

/** The number of tools of a server, which compares the name of each with that of an added tool. */
function countTools(server: FastMCPServer): number {
  if (!server.removeTool) return 0;
  const name = "toolshape counts the tools";
  let reads = 0;
  const probe = {
    execute: () => "",
    get name() {
      // Whoever wrapped `addTool` may read the name too.
      if (FILTER.test(new Error().stack ?? "")) reads++;
      return name;
    },
  };
  server.addTool(probe);
  const count = reads;
  server.removeTool(name);
  return count;
}

function wrapped(tool: FastMCPTool, adapter: Adapter): FastMCPTool {
  const { name, parameters, outputSchema } = tool;
  adapter.checkName(name);
  if (adapter.leavesAlone(name)) {
    return { ...tool, execute: async (...given) => adapter.untouched(name, await tool.execute(...given)) };
  }
  let planned: Plan | undefined;
  const plan = (): Plan =>
    (planned ??= adapter.plan({
      name,
      inputSchema: jsonOf(parameters, "input", DIALECT) ?? {
        type: "object",
        properties: {},
        additionalProperties: false,
      },
      outputSchema: jsonOf(outputSchema, "output", DIALECT),
    }));
  // The shaped values that are not yet checked, as text, because FastMCP copies them before the check.
  const known = new Map<string, number>();
  const isKnown = (value: unknown): boolean => {
    const text = JSON.stringify(value);
    const times = known.get(text) ?? 0;
    if (times > 1) known.set(text, times - 1);
    else known.delete(text);
    return times > 0;
  };
  return {
    ...tool,
    parameters: argumentsSchema(parameters, adapter, plan),
    outputSchema: outputSchema && widenedSchema(outputSchema, plan, isKnown),
    execute: async (asked, context) => {
      adapter.checkNames();
      const { own, given } = asked as ReceivedArguments;
      const work = async (): Promise<unknown> => {
        const returned = await tool.execute(parameters ? own : undefined, context);
        return toResult(returned, outputSchema, name);
      };
      const caller = { client: context.client?.version?.name, context };
      const result = await adapter.run(plan(), given, caller, work);
      if (outputSchema && !plan().isPreserved && result.structuredContent !== undefined) {
        const text = JSON.stringify(result.structuredContent);
        known.set(text, (known.get(text) ?? 0) + 1);
      }
      return result;
    },
  };
}

/** Converts what a tool returned to the result that FastMCP would make. */
async function toResult(returned: unknown, outputSchema: StandardSchema | undefined, tool: string): Promise<unknown> {
  if (returned === undefined || returned === null) return { content: [] };
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  const { content, type } = returned as Partial<CallToolResult & ContentBlock>;
  if (Array.isArray(content)) {
    const { structuredContent, isError } = returned as CallToolResult;
    if (outputSchema && structuredContent !== undefined && !isError)
      await checkOutput(outputSchema, structuredContent, tool);
    return returned;
  }
  if (outputSchema) {
    await checkOutput(outputSchema, returned, tool);
    return { content: [{ type: "text", text: JSON.stringify(returned) }], structuredContent: returned };
  }
  return type === undefined ? returned : { content: [returned] };
}
