import { inPython } from "../library.mjs";

export default { title: "LangChain Python", package: "langchain-mcp-adapters", ...inPython(import.meta.dirname) };
