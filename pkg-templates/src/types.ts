import type { GridOptions, SeriesOptions } from "./series.js";

/** The name of an encoding that `loadEncoding` returned. */
export type LoadedEncoding = string & { readonly [loaded]: true };
declare const loaded: unique symbol;

/** How tokens are counted; `cl100k_base` needs the package `toolshape-cl100k` and `import "toolshape/cl100k_base"`. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate" | LoadedEncoding;

/** How text is split into pieces before its bytes are merged: like the encoding of that name. */
export type Pattern = "o200k_base" | "cl100k_base";

/** Which part of a text is kept: its start or its end. */
export type Side = "head" | "tail";

// Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options

// The end of the generated types.

/** Why a stored result is read: for a later page, for `read_result` or a resource, or for `summarize`. */
export type Purpose = "snapshot" | "read" | "summarize";

/** What a ticket opens. */
export interface Opened {
  /** The key of the content. */
  readonly key: string;
  /** The tools that returned the content, the latest last; an empty string for a call without a tool's name. */
  readonly tools: readonly string[];
}

/** What a tool returned, as a value or as JSON text, and its call. */
export type Returned =
  | { readonly value: unknown; readonly json?: undefined; readonly call?: Call | undefined }
  | { readonly json: string; readonly call?: Call | undefined };

/** A policy with a name. */
export type PresetName = "agent" | "subagent" | "safeOutputs" | "smallContext";

/** A complete result, as it is to be written to the store. */
export interface Keep {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** The key in the store: the id with `.json` or `.txt`. */
  readonly key: string;
  /** The key for the ticket, to be written after the content: the handle with `.handle`. */
  readonly ticket: string;
  /** The owner, as a name that reveals nothing about the call's `scope`; undefined without a scope. */
  readonly owner?: string | undefined;
  /** The tool's result as minified JSON, or its plain text. */
  readonly content: string;
}

/** A field by which rows are sorted. */
export interface SortKey {
  /** `updated`, `author.name` or `/author/name`. */
  readonly name: string;
  /** Default `asc`. */
  readonly order?: "asc" | "desc" | undefined;
  /** The position of nulls. Default `first` in ascending order, else `last`. */
  readonly nulls?: "first" | "last" | undefined;
}

/** How rows are sorted, and the size of a page. */
export interface Keyset {
  /** Together they must be unique for each row; the last is usually an id. */
  readonly keys: readonly (string | SortKey)[];
  /** Rows of a page. Default `pageSize` of the call. */
  readonly limit?: number | undefined;
}

/** The value of a sort key. */
export type SortValue = string | number | bigint | boolean | null;

/** How a row becomes a link: templates with fields in braces, such as `article:///{slug}`. */
export interface LinkMapping extends Partial<Keyset> {
  /** Values are percent-encoded (RFC 6570, level 1). */
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  /** A field with the size in bytes, a whole number. */
  readonly size?: string | undefined;
  /** A sentence that explains how to open a link. By default it says to read the resource. */
  readonly open?: string | undefined;
}

/** A tool in the form of MCP's `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly inputSchema?: object | undefined;
  readonly outputSchema?: object | undefined;
  readonly [member: string]: unknown;
}

/** A tool as clients see it. */
export interface ShapedTool {
  readonly tool: Tool;
  /** The arguments that control shaping. They are not passed to the tool. */
  readonly controls: readonly string[];
  /** The value for `ownArguments` of the tool's calls. */
  readonly ownArguments: readonly string[];
}

/** What a block of MCP content may have beside its content. */
type OfEveryBlock = {
  annotations?: { audience?: ("user" | "assistant")[]; priority?: number; lastModified?: string };
  _meta?: { [member: string]: unknown };
};

/** A block of MCP content: text, an image, audio, a resource or a resource link. */
export type ContentBlock = OfEveryBlock &
  (
    | { type: "text"; text: string }
    | { type: "image"; data: string; mimeType: string }
    | { type: "audio"; data: string; mimeType: string }
    | {
        type: "resource";
        resource: { uri: string; mimeType?: string; _meta?: { [member: string]: unknown } } & (
          | { text: string }
          | { blob: string }
        );
      }
    | LinkBlock
  );

/** A `resource_link` of MCP. */
export type LinkBlock = OfEveryBlock & {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
};

/** The result of MCP's `tools/call`: that of the SDKs, too. */
export type CallToolResult = {
  content: ContentBlock[];
  structuredContent?: { [member: string]: unknown };
  isError?: boolean;
  _meta?: { [member: string]: unknown };
  [member: string]: unknown;
};

/** How a long text is summarized. */
export interface TextSummary {
  /** Detected from the text if left out. */
  readonly kind?: "log" | "document" | undefined;
  /** A link to the original. */
  readonly uri?: string | undefined;
  /** The position of the text in the original, as a JSON Pointer. */
  readonly pointer?: string | undefined;
  /** A summary from another source. If it is over the budget, a summary of the text's own lines replaces it. */
  readonly summary?: string | undefined;
  /** Why there is no such summary. The result that replaces it contains the reason. */
  readonly failure?: string | undefined;
  /** The author of that summary, or of the failed attempt. */
  readonly by?: string | undefined;
}

/** The text that a call of the tool `summarize` asks for. */
export interface SummaryTask {
  readonly text: string;
  /** For `summarizeText`: `kind`, `uri` and `pointer`, if known. */
  readonly summary: TextSummary;
  /** The most tokens of a summary that you supply. */
  readonly maxTokens: number;
}

/** One step that was applied to a result. */
export type Step =
  | "read"
  | "csv"
  | "tsv"
  | "table"
  | "ndjson"
  | "json"
  | "python"
  | "yaml"
  | "log"
  | "trace"
  | "markdown"
  | "html"
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

/** The steps that were applied to one result, and its size; for operators, not for the model. */
export interface Receipt {
  readonly tool: string | null;
  /** The steps in order; empty if the result passed unchanged. */
  readonly steps: readonly Step[];
  /** Tokens of the result as the tool returned it. */
  readonly tokensBefore: number;
  /** Whether `tokensBefore` is an exact count; else it is estimated from a sample. */
  readonly tokensBeforeExact: boolean;
  /** Tokens of the text that the model reads. */
  readonly tokensAfter: number;
  /** The most that `tokensAfter` may be; null for a tool that the policy does not shape. */
  readonly budget: number | null;
  readonly encoding: Encoding;
  /** Length of the text in bytes of UTF-8. */
  readonly bytes: number;
  /** Duration of shaping, in milliseconds. */
  readonly durationMs: number;
}

/** The name of a type in JSON Schema. */
export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A schema (draft 2020-12) that `inferSchema` returns; the root schema names its dialect. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly type: JsonType | readonly JsonType[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** The schema of all values, for an object with too many different keys to list. */
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
}

/** A tool as an adapter handles it: the form that clients see, and the options for its calls. */
export interface Plan {
  readonly tool: Tool;
  /** The arguments that control shaping. They are not passed to the tool. */
  readonly controls: readonly string[];
  /** Options of every call. */
  readonly call: Call;
  /** Whether results stay within the tool's own output schema. */
  readonly isPreserved: boolean;
}

/** A stored result in the form of MCP's `resources/read`. */
export interface ResultResource {
  readonly uri: string;
  readonly mimeType: "application/json" | "text/plain";
  readonly text: string;
}

/** The resource template of stored results, in the form of `resources/templates/list`. */
export interface ResultTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A tool that toolshape adds, in the form of `tools/list`. */
export interface OwnTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
    readonly additionalProperties: boolean;
  };
  readonly annotations: Readonly<Record<string, boolean>>;
}
