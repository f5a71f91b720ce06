import { call } from "./core.js";
import type { OwnTool } from "./types.js";

/** The tool `read_result` as a server lists it: name, title, description, input schema, annotations. */
export function readResultTool(): OwnTool {
  return call("readResultTool");
}

/** The tool `summarize` as a server lists it, with or without a store. */
export function summarizeTool(hasStore: boolean): OwnTool {
  return call("summarizeTool", { hasStore });
}
