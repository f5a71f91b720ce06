import { inPython } from "../library.mjs";

export default { title: "Pydantic AI", package: "pydantic-ai-slim", ...inPython(import.meta.dirname) };
