import { inPython } from "../library.mjs";

export default {
  title: "LlamaIndex",
  package: "llama-index-tools-mcp",
  images: "text",
  isPerCall: true,
  ...inPython(import.meta.dirname),
};
