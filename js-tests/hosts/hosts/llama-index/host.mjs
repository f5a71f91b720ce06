import { inPython } from "../library.mjs";

export default { title: "LlamaIndex", package: "llama-index-tools-mcp", ...inPython(import.meta.dirname) };
