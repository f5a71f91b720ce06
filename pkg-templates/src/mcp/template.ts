// The resource template under which stored results are read, in the form that servers of the official SDKs take.

import type { Adapter } from "./adapter.js";

const PREFIX = "toolshape://result/";
const NAME = "toolshape-result";
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

/** Has stored results read as resources. */
export function registerResults(server: ResourceServer, adapter: Adapter): void {
  server.registerResource(NAME, TEMPLATE, CONFIG, (uri, _variables, context) => adapter.resource(uri.href, context));
}

/** What servers ask of a template, so that no SDK has to be imported for it. */
const TEMPLATE = {
  uriTemplate: {
    toString: () => `${PREFIX}{id}`,
    match: (uri: string) => (uri.startsWith(PREFIX) ? { id: uri.slice(PREFIX.length) } : null),
    variableNames: ["id"],
  },
  listCallback: undefined,
  completeCallback: () => undefined,
};

/** The same as FastMCP takes it. */
export function resultTemplate(adapter: Adapter): object {
  const { title, ...config } = CONFIG;
  return {
    ...config,
    name: NAME,
    uriTemplate: `${PREFIX}{id}`,
    arguments: [{ name: "id", description: title, required: true }],
    load: async ({ id }: { id: string }, auth: unknown) => {
      const { contents } = await adapter.resource(`${PREFIX}${id}`, { session: auth });
      const [content] = contents as { text: string }[];
      return { text: content?.text ?? "" };
    },
  };
}
