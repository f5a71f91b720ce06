import { run } from "./core.js";
import type { OwnTool } from "./types.js";

/** The tool `read_result` as a server lists it: name, title, description, input schema, annotations. */
export function readResultTool(): OwnTool {
  return run((core) => core.exports.readResultTool());
}

/** The tool `summarize` as a server with a store, or without one, lists it. */
export function summarizeTool(hasStore: boolean): OwnTool {
  return run((core) => core.exports.summarizeTool(hasStore));
}
