import { inNode } from "../library.mjs";

export default { title: "Mastra", package: "@mastra/mcp", ...inNode(import.meta.dirname) };
