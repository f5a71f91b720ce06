import { run } from "./core.js";
import type { ReadResultTool } from "./types.js";

/** The tool `read_result` as a server lists it: name, title, description, input schema, annotations. */
export function readResultTool(): ReadResultTool {
  return run((core) => core.exports.readResultTool());
}
