import { inPython } from "../library.mjs";

export default { title: "Google ADK", package: "google-adk", images: "note", ...inPython(import.meta.dirname) };
