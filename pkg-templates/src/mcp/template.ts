// The resource template of stored results, in the form of each SDK.

import { resultTemplate } from "../own_tools.js";
import type { Adapter } from "./adapter.js";

type Reader = (uri: URL, variables: object, context: unknown) => unknown;

/** The part of an `McpServer` of either version that is used here. */
export interface ResourceServer {
  registerResource(name: string, template: unknown, config: object, read: Reader): unknown;
}

/** Registers stored results as resources. */
export function registerResults(server: ResourceServer, adapter: Adapter): void {
  const { uriTemplate, name, ...config } = resultTemplate();
  const prefix = uriTemplate.replace("{id}", "");
  // The methods that servers call on a template. A plain object needs no import of an SDK.
  const template = {
    uriTemplate: {
      toString: () => uriTemplate,
      match: (uri: string) => (uri.startsWith(prefix) ? { id: uri.slice(prefix.length) } : null),
      variableNames: ["id"],
    },
    listCallback: undefined,
    completeCallback: () => undefined,
  };
  server.registerResource(name, template, config, (uri, _variables, context) =>
    adapter.readResource(uri.href, context),
  );
}

/** The same in FastMCP's form. */
export function fastMCPTemplate(adapter: Adapter): object {
  const { title, ...template } = resultTemplate();
  return {
    ...template,
    arguments: [{ name: "id", description: title, required: true }],
    load: async ({ id }: { id: string }, auth: unknown) => {
      const { contents } = await adapter.readResource(template.uriTemplate.replace("{id}", id), { session: auth });
      const [content] = contents as { text: string }[];
      return { text: content?.text ?? "" };
    },
  };
}
