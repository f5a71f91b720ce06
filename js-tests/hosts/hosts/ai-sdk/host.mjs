import { inNode } from "../library.mjs";

export default { title: "AI SDK", package: "@ai-sdk/mcp", images: "note", ...inNode(import.meta.dirname) };
