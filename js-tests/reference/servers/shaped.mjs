// Has every server of this process shaped: node --import ./shaped.mjs <server>, without a store, or ./shaped.mjs?store with the
// one that is there by default.
//
// The reference servers are run as they are published. One makes its server in a module that only runs, the other in
// a function that registers the tools at once; so the line that their authors would add is here, and runs as
// the first tool is registered.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { shapeServer } from "toolshape/mcp";

const options = import.meta.url.endsWith("?store") ? {} : { store: null };
const { registerTool } = McpServer.prototype;

McpServer.prototype.registerTool = function (...tool) {
  this.registerTool = registerTool;
  return shapeServer(this, { receipt: "meta" }, options).registerTool(...tool);
};
