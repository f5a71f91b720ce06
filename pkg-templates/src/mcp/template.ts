// The resource template of stored results, in the form of each SDK.

import { isToolshapeError } from "../error.js";
import type { Adapter } from "./adapter.js";

/** The resource template of stored results, as the core has it. It is registered before the core is started. */
const [PREFIX, NAME] = ["toolshape://result/", "toolshape-result"];
const CONFIG = {
  title: "A stored result",
  description: "The whole of a tool's result that was too large to show, in parts that fit",
  mimeType: "application/json",
};

type Reader = (uri: URL, variables: object, context: unknown) => unknown;

/** The part of an `McpServer` of either version that is used here. */
export interface ResourceServer {
  registerResource(name: string, template: unknown, config: object, read: Reader): unknown;
}

/** Registers stored results as resources; `notFound` is the code of the protocol for one that cannot be read. */
export function registerResults(server: ResourceServer, adapter: Adapter, notFound: number): void {
  // The methods that servers call on a template. A plain object needs no import of an SDK.
  const template = {
    uriTemplate: {
      toString: () => `${PREFIX}{id}`,
      match: (uri: string) => (uri.startsWith(PREFIX) ? { id: uri.slice(PREFIX.length) } : null),
      variableNames: ["id"],
    },
    listCallback: undefined,
    completeCallback: () => undefined,
  };
  server.registerResource(NAME, template, CONFIG, async (uri, _variables, context) => {
    try {
      return await adapter.readResource(uri.href, context);
    } catch (error) {
      throw isToolshapeError(error) ? Object.assign(new Error(error.message), { code: notFound }) : error;
    }
  });
}

/** The same in FastMCP's form. */
export function fastMCPTemplate(adapter: Adapter): object {
  const { title, ...config } = CONFIG;
  return {
    ...config,
    name: NAME,
    uriTemplate: `${PREFIX}{id}`,
    arguments: [{ name: "id", description: title, required: true }],
    load: async ({ id }: { id: string }, auth: unknown) => {
      const { contents } = await adapter.readResource(PREFIX + id, { session: auth });
      const [content] = contents as { text: string }[];
      return { text: content?.text ?? "" };
    },
  };
}
