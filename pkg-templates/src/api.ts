export { ToolshapeError, type ErrorCode } from "./error.js";
export type { Shaped } from "./shaped.js";
export { Shaper } from "./shaper.js";
export { MemoryStore, type MemoryStoreOptions } from "./stores/memory.js";
export type { Store } from "./stores/store.js";
export { countTokens, fitsTokens } from "./tokens.js";
export type { Call, Encoding, Format, Keyset, LinkMapping, Policy, Receipt, SortKey, SortValue, Step, ToolPolicy } from "./types.js";
