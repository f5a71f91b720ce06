import type { GridOptions, SeriesOptions } from "./series.js";

/** The name of an encoding that `loadEncoding` made. */
export type LoadedEncoding = string & { readonly [loaded]: true };
declare const loaded: unique symbol;

/** How tokens are counted; `cl100k_base` needs the package `toolshape-cl100k` and `import "toolshape/cl100k_base"`. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate" | LoadedEncoding;

/** How text is cut into the pieces whose bytes are merged: as the encoding of that name does it. */
export type Pattern = "o200k_base" | "cl100k_base";

/** Which part of a text is kept: its start or its end. */
export type Side = "head" | "tail";

/** How the rows of a list are written; `auto` takes whichever counts fewer tokens. */
export type Format = "json" | "columns" | "auto";

/** What is shown of a series or a grid; both shapes tell which they are by `output`. */
export type Output = "summary" | "full";

/** The options of one tool. Those left out have their defaults. */
export interface ToolPolicy {
  /** The most tokens of one result, at least 200. Default 2000. */
  readonly maxTokens?: number | undefined;
  /** Default `o200k_base`. */
  readonly encoding?: Encoding | undefined;
  /** Share of the budget kept free, 0 to 0.5, for models whose tokenizer is not public. Default 0. */
  readonly margin?: number | undefined;
  /** Lists of more rows are paged. Default 50. */
  readonly paginateAfter?: number | undefined;
  /** Rows of a page. Default 20. */
  readonly pageSize?: number | undefined;
  /** The most rows that a caller may ask for. Default 100. */
  readonly maxPageSize?: number | undefined;
  /** The fields shown unless a caller asks for others: `author.name` or `/author/name`. Default all. */
  readonly fields?: readonly string[] | undefined;
  /** Default `json`. */
  readonly format?: Format | undefined;
  /**
   * What happens to a result that no lossless step brings within the budget; `offload` needs a store. Default
   * `shape`.
   */
  readonly overflow?: "shape" | "error" | "offload" | undefined;
  /** Tokens over which `overflow: "offload"` has a result stored and not shown; less is shaped. Default 16000. */
  readonly offloadOver?: number | undefined;
  /** Whether, with a store, later pages come from the result that the first was taken from. Default true. */
  readonly snapshot?: boolean | undefined;
  /** Which part of a long text is shown. Default `head`. */
  readonly preview?: "head" | "tail" | "headTail" | undefined;
  /** What is shown of a series or a grid unless a caller says. Default `summary`. */
  readonly output?: Output | undefined;
  /** The tool's results are series; `false` takes back what holds for all tools. */
  readonly series?: SeriesOptions | false | undefined;
  /** The tool's results are grids; `false` takes back what holds for all tools. */
  readonly grid?: GridOptions | false | undefined;
  /** Whether what is over budget is looked at to find out that it is a series or a grid. Default false. */
  readonly detect?: boolean | undefined;
  /**
   * What becomes of a tool's output schema: `widen` also allows what shaping puts in place of a result,
   * `preserve` keeps it and shrinks results within it. Default `widen`.
   */
  readonly schema?: "widen" | "preserve" | undefined;
  /** Secret of at least 16 bytes that signs cursors and handles; to change it, a list with the newest first. */
  readonly cursorKey?: string | readonly string[] | undefined;
  /** How long a cursor holds, in seconds. Default for ever. */
  readonly cursorTtl?: number | undefined;
}

/** What a server author decides once, for all tools and for each. */
export interface Policy extends ToolPolicy {
  /** The most tokens of results that come back together, at least 200. Default 6000. */
  readonly combinedTokens?: number | undefined;
  /** The same options per tool name; `false` leaves a tool alone. */
  readonly tools?: Readonly<Record<string, ToolPolicy | false>> | undefined;
}

/** One call of a tool. The call controls may stand here or, as they came in, among the `arguments`. */
export interface Call {
  /** The tool's name, by which the policy's `tools` and cursors go. */
  readonly tool?: string | undefined;
  /** The arguments of the call as the client sent them. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
  /** `nextCursor` of the page before; where a page is given too, the cursor holds. */
  readonly cursor?: string | null | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly format?: Format | undefined;
  readonly output?: Output | undefined;
  /** Of a tool that has arguments of these names itself, what `Shaper.tool` says: `ownArguments`. */
  readonly ownArguments?: readonly string[] | undefined;
  /** For `shapeResult`: the tool's own output schema, or true for one that is widened. Default none. */
  readonly outputSchema?: object | boolean | undefined;
  /** For `shapeResult`: the client's name, whose known limits hold too where they are lower. */
  readonly client?: string | undefined;
  /** The time in seconds since 1970, by which cursors expire. Default the clock's. */
  readonly now?: number | undefined;
  /** A store is at hand: what comes out as `keep` will be in it before the result is told. */
  readonly store?: boolean | undefined;
  /** Why the store could not take the result, which then tells of none. */
  readonly storeFailure?: string | undefined;
  /** Whose results are named and found, such as a tenant; needs a `cursorKey`. */
  readonly scope?: string | undefined;
}

/** What a tool returned, as a value or as a JSON text, and the call that it answers. */
export type Returned =
  | { readonly value: unknown; readonly json?: undefined; readonly call?: Call | undefined }
  | { readonly json: string; readonly call?: Call | undefined };

/** A policy with a name. */
export type PresetName = "agent" | "subagent" | "safeOutputs" | "smallContext";

/** A whole result as a store is to hold it. */
export interface Keep {
  /** 64 hexadecimal digits: the handle. */
  readonly id: string;
  /** The name in the store: the id, and `.json` or `.txt`. */
  readonly key: string;
  /** The tool's result as minified JSON, or its plain text. */
  readonly content: string;
}

/** A field that rows are sorted by. */
export interface SortKey {
  /** `updated`, `author.name` or `/author/name`. */
  readonly name: string;
  /** Default `asc`. */
  readonly order?: "asc" | "desc" | undefined;
  /** Where nulls stand. Default `first` where the order ascends, else `last`. */
  readonly nulls?: "first" | "last" | undefined;
}

/** How rows are sorted, and how many make a page. */
export interface Keyset {
  /** Together they have to tell every row from every other: the last is usually an id. */
  readonly keys: readonly (string | SortKey)[];
  /** Rows of a page. Default `pageSize` of the call. */
  readonly limit?: number | undefined;
}

/** The value of a sort key. */
export type SortValue = string | number | bigint | boolean | null;

/** How a row becomes a link: templates with fields in braces, as `article:///{slug}`. */
export interface LinkMapping extends Partial<Keyset> {
  /** Values stand percent-encoded (RFC 6570, level 1). */
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  /** In bytes: a field that is a whole number. */
  readonly size?: string | undefined;
  /** A sentence that says how to open one. Default by reading the resource. */
  readonly open?: string | undefined;
}

/** A tool in the form of MCP's `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly inputSchema?: object | undefined;
  readonly outputSchema?: object | undefined;
  readonly [member: string]: unknown;
}

/** A tool as clients are to see it. */
export interface ShapedTool {
  readonly tool: Tool;
  /** The arguments that are for shaping: the tool itself never gets to see them. */
  readonly controls: readonly string[];
  /** What `ownArguments` of the tool's calls takes. */
  readonly ownArguments: readonly string[];
}

/** A block of MCP content: text, an image, audio, a resource, a link to one. */
export interface ContentBlock {
  type: string;
  [member: string]: unknown;
}

/** What MCP's `tools/call` gives. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** How a long text is summarized. */
export interface TextSummary {
  /** Told from the text if left out. */
  readonly kind?: "log" | "document" | undefined;
  /** A link to the original. */
  readonly uri?: string | undefined;
  /** Where the text stands in the original, as a JSON Pointer. */
  readonly pointer?: string | undefined;
  /** A summary that you made by other means. One that is over the budget gives way to one of the text's own lines. */
  readonly summary?: string | undefined;
  /** Why there is none, which is told with the one that stands in its place. */
  readonly failure?: string | undefined;
  /** Who or what made it, or could not. */
  readonly by?: string | undefined;
}

/** What a call of the tool `summarize` is about. */
export interface SummaryTask {
  readonly text: string;
  /** For `summarizeText`: `kind`, `uri` and `pointer`, as far as there are any. */
  readonly summary: TextSummary;
  /** So many tokens a summary of your own may have so as to fit. */
  readonly maxTokens: number;
}

/** One thing that was done to a result. */
export type Step =
  | "read"
  | "project"
  | "minify"
  | "columns"
  | "links"
  | "paginate"
  | "summarize"
  | "summarizeText"
  | "truncate"
  | "preserve"
  | "offload"
  | "sample"
  | "grid"
  | "full"
  | "error"
  | "rateLimit";

/** What was done to one result and what it weighs; for operators, not for the model. */
export interface Receipt {
  readonly tool: string | null;
  /** What was done, in order; nothing if the result passed unchanged. */
  readonly steps: readonly Step[];
  /** Tokens of the result as the tool returned it. */
  readonly tokensBefore: number;
  /** Whether `tokensBefore` was counted to the end, not estimated from a sample. */
  readonly tokensBeforeExact: boolean;
  /** Tokens of the text that the model reads. */
  readonly tokensAfter: number;
  /** The most that `tokensAfter` may be; null for a tool that the policy leaves alone. */
  readonly budget: number | null;
  readonly encoding: Encoding;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
  /** Time that shaping took, in milliseconds. */
  readonly durationMs: number;
}

/** A JSON type by its name in JSON Schema. */
export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A schema (draft 2020-12) as `inferSchema` gives it; the outermost one names its dialect. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly type: JsonType | readonly JsonType[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Of the values of an object with too many different keys to list them. */
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
}

/** A tool as an adapter handles it: how clients see it, and what its calls are shaped under. */
export interface Plan {
  readonly tool: Tool;
  /** The arguments that are for shaping: the tool itself never gets to see them. */
  readonly controls: readonly string[];
  /** What all its calls say. */
  readonly call: Call;
  /** Whether results stay within the tool's own output schema. */
  readonly isPreserved: boolean;
}

/** A stored result as MCP's `resources/read` gives it. */
export interface ResultResource {
  readonly uri: string;
  readonly mimeType: "application/json" | "text/plain";
  readonly text: string;
}

/** The resources of stored results, as `resources/templates/list` shows them. */
export interface ResultTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A tool of ours, as `tools/list` shows it. */
export interface OwnTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required: readonly string[];
    readonly additionalProperties: boolean;
  };
  readonly annotations: Readonly<Record<string, boolean>>;
}
