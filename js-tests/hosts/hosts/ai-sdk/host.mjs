import { inNode } from "../library.mjs";

export default { title: "AI SDK", package: "@ai-sdk/mcp", images: "text", ...inNode(import.meta.dirname) };
