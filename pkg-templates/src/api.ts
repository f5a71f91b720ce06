export { ToolshapeError, type ErrorCode } from "./error.js";
export type { Shaped } from "./shaped.js";
export type { ShapedResult } from "./shaped_result.js";
export { Shaper } from "./shaper.js";
export { countTokens, fitsTokens } from "./tokens.js";
export type {
  Call,
  CallToolResult,
  ContentBlock,
  Encoding,
  Format,
  Keyset,
  LinkMapping,
  Policy,
  Receipt,
  ShapedTool,
  SortKey,
  SortValue,
  Step,
  Tool,
  ToolPolicy,
} from "./types.js";
