import { inNode } from "../library.mjs";

export default { title: "Mastra", package: "@mastra/mcp", images: "text", ...inNode(import.meta.dirname) };
