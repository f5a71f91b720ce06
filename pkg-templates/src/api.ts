export { Archive, type ArchiveCall, type ArchiveOptions, type ArchiveReturned, type Authorize } from "./archive.js";
export { ToolshapeError } from "./error.js";
export { expand } from "./expand.js";
export { assertFits, type ExpectedResult } from "./expected.js";
export { readResultTool, summarizeTool } from "./own_tools.js";
export { explain } from "./receipt_log.js";
export type { Shaped } from "./shaped.js";
export type { ShapedResult } from "./shaped_result.js";
export { Shaper } from "./shaper.js";
export type { StoreLimits } from "./stores/ledger.js";
export { MemoryStore } from "./stores/memory.js";
export type { Store } from "./stores/store.js";
export type {
  Aggregates,
  Extreme,
  GridFull,
  GridOptions,
  GridResult,
  GridSummary,
  SeriesFull,
  SeriesOptions,
  SeriesResult,
  SeriesSummary,
} from "./series.js";
export {
  countTokens,
  decode,
  decodeBytes,
  encode,
  encodeWithSpecial,
  fitsTokens,
  loadEncoding,
  truncateToTokens,
} from "./tokens.js";
export type {
  AskedFormat,
  Call,
  CallToolResult,
  ContentBlock,
  Encoding,
  ErrorCode,
  Format,
  Keep,
  Keyset,
  LinkBlock,
  LinkMapping,
  LoadedEncoding,
  Output,
  OwnTool,
  Pattern,
  Plan,
  Policy,
  Receipt,
  ResultResource,
  Returned,
  ShapedTool,
  Side,
  SortKey,
  SortValue,
  Step,
  SummaryTask,
  TextFormat,
  TextSummary,
  Tool,
  ToolPolicy,
} from "./types.js";
