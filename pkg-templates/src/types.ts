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

/** The values of the option `format`. */
export type Format = "json" | "columns" | "auto";

/** The values of the option `overflow`. */
export type Overflow = "shape" | "error" | "offload";

/** The values of the option `preview`. */
export type Preview = "auto" | "head" | "tail" | "headTail";

/** The values of the option `text`. */
export type TextFormat = "auto" | "plain" | "csv" | "markdown" | "html" | "log";

/** The values of the option `schema`. */
export type Schema = "widen" | "preserve";

/** The values of the option `controls`. */
export type Controls = "auto" | "result" | "tool";

/** The values of the option `receipt`. */
export type ReceiptIn = "none" | "meta";

/** The values of the option `noTransform`. */
export type NoTransform = "none" | "result" | "request";

/** The values of the option `output`. */
export type Output = "summary" | "full";

/** The values of a call's `format`. */
export type AskedFormat = "json" | "columns" | "auto" | "text";

/** The kind of error, as a stable code to match on. */
export type ErrorCode =
  | "INVALID_POLICY"
  | "INVALID_CALL"
  | "INVALID_CURSOR"
  | "INVALID_HANDLE"
  | "INVALID_JSON"
  | "UNKNOWN_FIELD"
  | "UNSUPPORTED_VALUE"
  | "TOO_DEEP"
  | "NOT_FOUND"
  | "FORBIDDEN"
  | "STORE_FAILED"
  | "REDACT_FAILED"
  | "INTERNAL";

/** One step that was applied to a result. */
export type Step =
  | "read"
  | "project"
  | "minify"
  | "columns"
  | "links"
  | "paginate"
  | "summarize"
  | "truncate"
  | "sample"
  | "grid"
  | "full"
  | "offload"
  | "preserve"
  | "summarizeText"
  | "error"
  | "rateLimit"
  | "images"
  | "csv"
  | "tsv"
  | "table"
  | "ndjson"
  | "json"
  | "events"
  | "xml"
  | "python"
  | "yaml"
  | "log"
  | "trace"
  | "markdown"
  | "html"
  | "base64"
  | "terminal";

/** The options of one tool. An option that is left out has its default. */
export interface ToolPolicy {
  /** Maximum tokens of one result. Default: 2000. */
  readonly maxTokens?: number | undefined;
  /**
   * How tokens are counted: `o200k_base`, `cl100k_base`, `estimate` (without a vocabulary), or the name of a loaded
   * encoding. Default: `o200k_base`.
   */
  readonly encoding?: Encoding | undefined;
  /** Share of the budget that stays free, for models whose tokenizer is not public. Default: 0. */
  readonly margin?: number | undefined;
  /** Lists with more rows are paged even if they fit. Default: none. */
  readonly paginateAfter?: number | undefined;
  /** Rows of a page. Default: 20, or more if 20 rows take less than a quarter of the budget. */
  readonly pageSize?: number | undefined;
  /** Maximum rows of a page that a caller may request. Default: 1000. */
  readonly maxPageSize?: number | undefined;
  /**
   * Fields that are shown of a result that does not fit, unless the caller requests others: `author.name` or
   * `/author/name`. With `auto`, where fewer than ten whole rows fit, a page shows the fields that distinguish rows;
   * `all` shows whole rows. Default: `auto`.
   */
  readonly fields?: readonly string[] | "auto" | "all" | undefined;
  /**
   * Maximum images of a result. They take tokens of the budget by their pixels; `read_result` shows those that are left
   * out. Default: 4.
   */
  readonly images?: number | undefined;
  /**
   * How results are written: as plain JSON (`json`), in the lossless dense form (`columns`), or in the dense form where
   * that saves enough tokens (`auto`). Default: json; of pages auto.
   */
  readonly format?: Format | undefined;
  /**
   * What happens to a result that is over the budget after all lossless steps; `offload` requires a store. Default:
   * `shape`.
   */
  readonly overflow?: Overflow | undefined;
  /**
   * With `overflow` `offload`, a result with more tokens is stored and not shown; a smaller one is shaped. Default:
   * 16000.
   */
  readonly offloadOver?: number | undefined;
  /** Whether later pages come from the stored result of the first page, if there is a store. Default: true. */
  readonly snapshot?: boolean | undefined;
  /** Which part of a long text is shown; `auto`: its start, notable lines, and its end. Default: `auto`. */
  readonly preview?: Preview | undefined;
  /**
   * How a text over the budget is read: by its recognized structure (`auto`), as plain text, or only as the named
   * format. Default: `auto`.
   */
  readonly text?: TextFormat | undefined;
  /**
   * How a tool's output schema is handled: `widen` also allows what shaping returns in place of a result; `preserve`
   * keeps the schema, and shrinks results within it. Default: `widen`.
   */
  readonly schema?: Schema | undefined;
  /**
   * Where callers find the call controls: in `read_result` alone (`result`), in the tools too (`tool`), or in
   * `read_result` alone where a store lets it answer for the tool (`auto`). Default: `auto`.
   */
  readonly controls?: Controls | undefined;
  /** Whether results carry their receipt in `_meta`, which several hosts show to the model. Default: `none`. */
  readonly receipt?: ReceiptIn | undefined;
  /**
   * Where `_meta` may have `"toolshape/noTransform": true`, so that a result passes whole whatever its size, as by
   * HTTP's `no-transform`: in the tool's result, or also in the caller's request (`request`). Default: `result`.
   */
  readonly noTransform?: NoTransform | undefined;
  /**
   * Secret of at least 16 bytes that signs cursors and handles; to rotate it, a list with the newest first. Default:
   * none.
   */
  readonly cursorKey?: string | readonly string[] | undefined;
  /** How long a cursor is valid, in seconds. Default: no limit. */
  readonly cursorTtl?: number | undefined;
  /** What is shown of a series or a grid, unless the caller requests the other form. Default: `summary`. */
  readonly output?: Output | undefined;
  /** The tool's results are series; `false` cancels the option that is set for all tools. Default: none. */
  readonly series?: SeriesOptions | false | undefined;
  /** The tool's results are grids; `false` cancels the option that is set for all tools. Default: none. */
  readonly grid?: GridOptions | false | undefined;
}

/** The options of a server: for all tools, and for each tool. */
export interface Policy extends ToolPolicy {
  /**
   * Name of the tool that reads stored results; `read_result` in these pages. Default: `read_result_` and the server's
   * name.
   */
  readonly readTool?: string | undefined;
  /**
   * Maximum tokens of several results that are returned together, or in the programs of one turn. Default: three times
   * `maxTokens`, at least 6000.
   */
  readonly combinedTokens?: number | undefined;
  /** Options of single tools by name; `false` leaves a tool unchanged. Default: none. */
  readonly tools?: Readonly<Record<string, ToolPolicy | false>> | undefined;
}

/** One call of a tool. The call controls may be given here or among the `arguments`. */
export interface Call {
  /** Page of a list. Default: 1. */
  readonly page?: number | undefined;
  /** Rows of a page, at most the policy's `maxPageSize`. Default: the policy's `pageSize`. */
  readonly pageSize?: number | undefined;
  /** `nextCursor` of the previous page. It takes precedence over `page`. Default: none. */
  readonly cursor?: string | null | undefined;
  /**
   * Fields to show, at most 100: `author.name` or `/author/name`; a single JSON Pointer returns the value at it.
   * Default: the policy's `fields`.
   */
  readonly fields?: readonly string[] | undefined;
  /**
   * How rows are written; `text` returns a text as the tool returned it, instead of its rows. Default: the policy's
   * `format`.
   */
  readonly format?: AskedFormat | undefined;
  /** What is shown of a series or a grid. Default: the policy's `output`. */
  readonly output?: Output | undefined;
  /** Name of the tool. It selects the options in the policy's `tools`, and cursors are bound to it. Default: none. */
  readonly tool?: string | undefined;
  /** Arguments of the call as the client sent them; call controls among them are found there. Default: none. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Current time in seconds since 1970, for the expiry of cursors. Default: the system clock; none in Rust. */
  readonly now?: number | undefined;
  /**
   * Owner of results, such as a tenant: handles are valid within one scope only. It requires a `cursorKey`. Default:
   * none.
   */
  readonly scope?: string | undefined;
  /**
   * Conversation of one client: `read_result` without a handle lists what it stored, or with a `scope` what that scope
   * did. Default: none.
   */
  readonly session?: string | undefined;
  /** Names of call controls that are the tool's own arguments, from `Shaper.tool`. Default: none. */
  readonly ownArguments?: readonly string[] | undefined;
  /** Names of the tool's own arguments that may take a page, from `Shaper.plan`. Default: none. */
  readonly pageArguments?: readonly string[] | undefined;
  /** For results in MCP's form: the tool's own output schema, or true if it is widened. Default: none. */
  readonly outputSchema?: object | boolean | undefined;
  /** For results in MCP's form: the client's name. Its known limits also apply, if they are lower. Default: none. */
  readonly client?: string | undefined;
  /**
   * For results in MCP's form: `_meta` of the request. A caller that is a program gets results whole. Default: none.
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** For results in MCP's form: a user interface reads the structured content, which stays whole. Default: false. */
  readonly hasUi?: boolean | undefined;
  /** There is a store, and the caller writes `keep` to it before it returns the result. Default: false. */
  readonly store?: boolean | undefined;
  /** Why the store could not keep the result. The result then contains no handle. Default: none. */
  readonly storeFailure?: string | undefined;
  /** Why the result could not be redacted. An error result then replaces it. Default: none. */
  readonly redactFailure?: string | undefined;
  /** The caller may not read the stored result that the call names. The result then reports it. Default: false. */
  readonly forbidden?: boolean | undefined;
  /** Tools that returned the stored result that the call reads. Default: none. */
  readonly returnedBy?: readonly string[] | undefined;
}

// The end of the generated part.

/** What a tool returned, as a value or as JSON text, and its call. */
export type Returned<C = Call> =
  | { readonly value: unknown; readonly json?: undefined; readonly call?: C | undefined }
  | { readonly json: string; readonly call?: C | undefined };

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
  /** What it is, in a few words: its rows and keys, or its first line, and its size. */
  readonly about: string;
  /** The images that the result leaves out next to a text that it shortens, to be written likewise. */
  readonly images?: Keep | undefined;
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

/** What a block of MCP content may have in addition to its content. */
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
}

/** The text that a call of the tool `summarize` asks for. */
export interface SummaryTask {
  readonly text: string;
  /** For `summarizeText`: `kind`, `uri` and `pointer`, if known. */
  readonly summary: TextSummary;
}

/** The steps that were applied to one result, and its size; for operators, not for the model. */
export interface Receipt {
  readonly tool: string | null;
  /** In an adapter: the name of the client, if it has one. */
  readonly client?: string;
  /** In an adapter: the id of the request, if the SDK has it. */
  readonly requestId?: string | number;
  /** The steps in order; empty if the result passed unchanged. */
  readonly steps: readonly Step[];
  /** Why there are steps, such as `60 rows > paginateAfter 50`; absent for a form that the server's author chose. */
  readonly reason?: string;
  /** The rows that a page shows, and those of the list; null if nobody counted these. */
  readonly rows?: { readonly returned: number; readonly total: number | null };
  /** Tokens of the result as the tool returned it; of one that comes from the store, `tokensAfter`. */
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
  /** The policy's `fields` that no row of the result has, if there are any: most likely they are misspelt. */
  readonly unmatchedFields?: readonly string[];
  /** Why the result is not stored, if the store or `redact` failed. */
  readonly failure?: string;
  /** Duration of shaping, in milliseconds. */
  readonly durationMs: number;
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
  readonly _meta?: Readonly<Record<string, unknown>>;
}
