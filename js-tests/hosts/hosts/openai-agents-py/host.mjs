import { inPython } from "../library.mjs";

export default { title: "OpenAI Agents Python", package: "openai-agents", ...inPython(import.meta.dirname) };
