import { inNode } from "../library.mjs";

export default { title: "OpenAI Agents JS", package: "@openai/agents", ...inNode(import.meta.dirname) };
