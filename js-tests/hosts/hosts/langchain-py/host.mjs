import { inPython } from "../library.mjs";

export default {
  title: "LangChain Python",
  package: "langchain-mcp-adapters",
  failsOnLinks: true,
  ...inPython(import.meta.dirname),
};
