import { inNode } from "../library.mjs";

export default {
  title: "LangChain JS",
  package: "@langchain/mcp-adapters",
  failsOnLinks: true,
  ...inNode(import.meta.dirname),
};
