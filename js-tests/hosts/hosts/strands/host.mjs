import { inPython } from "../library.mjs";

export default { title: "Strands", package: "strands-agents", ...inPython(import.meta.dirname) };
