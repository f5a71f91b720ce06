import { inPython } from "../library.mjs";

export default { title: "Google ADK", package: "google-adk", images: "text", ...inPython(import.meta.dirname) };
