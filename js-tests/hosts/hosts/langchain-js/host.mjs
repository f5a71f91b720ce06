import { inNode } from "../library.mjs";

export default { title: "LangChain JS", package: "@langchain/mcp-adapters", ...inNode(import.meta.dirname) };
