import { inPython } from "../library.mjs";

export default { title: "Google ADK", package: "google-adk", ...inPython(import.meta.dirname) };
