// Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options

/** How a tool's results form a series. Fields are `price`, `price.usd` or `/price/usd`. */
export interface SeriesOptions {
  /** Path of the entries in the result: `prices`, `data.prices` or `/data/prices`. Default: the result itself. */
  readonly list?: string | undefined;
  /** Field of an entry with its value. Default: the first field with numbers. */
  readonly value?: string | undefined;
  /** Field of an entry with its position, such as a time. Default: the first monotonic field. */
  readonly at?: string | undefined;
  /** Maximum entries of a summary. Default: 12. */
  readonly points?: number | undefined;
  /** Whether the entries of a summary include the extremes, instead of being evenly spaced. Default: false. */
  readonly extremes?: boolean | undefined;
}

/** How a tool's results form a grid: a list of cells, or a matrix of numbers with axes. */
export interface GridOptions {
  /** Path of the cells, or of the rows of a matrix, in the result. Default: the result itself. */
  readonly list?: string | undefined;
  /** Field of a cell with its column; for a matrix, the path of its horizontal axis in the result. Default: `x`. */
  readonly x?: string | undefined;
  /** Field of a cell with its row; for a matrix, the path of its vertical axis in the result. Default: `y`. */
  readonly y?: string | undefined;
  /** Field of a cell with its value. Default: `value`. */
  readonly value?: string | undefined;
  /** Whether the highest or the lowest value is the best. Default: `max`. */
  readonly goal?: "max" | "min" | undefined;
  /** Field of a cell that is false, null, 0 or absent if the cell is not feasible. Default: none. */
  readonly feasible?: string | undefined;
}

// The end of the generated part.

/** An extreme of a series; `value` is a text if the tool returns numbers as texts. */
export interface Extreme {
  index: number;
  at?: unknown;
  value: number | string;
}

/** The aggregates over all entries of a series, before any is dropped. */
export interface Aggregates {
  /** How many entries have a number as value, and how many have none. */
  count: number;
  nulls: number;
  min: Extreme | null;
  max: Extreme | null;
  mean: number | null;
  first: number | string | null;
  last: number | string | null;
}

/** The members that a summary and a full result share. */
interface Head {
  note?: string;
  /** The URI of the complete result, or why it is not stored. */
  uri?: string;
  storeFailed?: string;
  /** Fields of the entries that the policy does not show. */
  omittedFields?: string[];
  /** The members around the list in the result. */
  around?: Record<string, unknown>;
  /** What is shortened in `around`, and the total if the list is incomplete. */
  elisions?: { pointer: string; kind: string; size: number }[];
  moreElisions?: number;
}

/** The position of a page, if the full result does not fit at once. */
interface PageFacts {
  totalItems: number;
  paginated?: true;
  page?: number;
  pageSize?: number;
  totalPages?: number;
  returned?: number;
  hasMore?: boolean;
  nextCursor?: string | null;
  shifted?: true;
  source?: "snapshot" | "live";
}

interface SeriesHead extends Head {
  kind: "series";
  /** The fields of an entry with its value and its position. */
  value?: string;
  at?: string;
  aggregates: Aggregates | null;
}

/** A few unchanged entries of a series, and aggregates over all. */
export interface SeriesSummary<Entry = unknown> extends SeriesHead {
  output: "summary";
  totalItems: number;
  returned: number;
  /** The index of each of `entries` in the full result. */
  indices: number[];
  note: string;
  entries: Entry[];
}

/** A complete series, or a page of it. */
export interface SeriesFull<Entry = unknown> extends SeriesHead, PageFacts {
  output: "full";
  entries: Entry[];
}

/** The result for a series. */
export type SeriesResult<Entry = unknown> = SeriesSummary<Entry> | SeriesFull<Entry>;

interface GridHead<Cell> extends Head {
  kind: "grid";
  totalCells: number;
  feasibleCells: number;
  columns: number;
  rows: number;
  x: string;
  y: string;
  value: string;
  goal: "max" | "min";
  best: Cell | null;
}

/** The best cells of a grid, unchanged, and a picture of all. */
export interface GridSummary<Cell = unknown> extends GridHead<Cell> {
  output: "summary";
  note: string;
  /** At most five, the best first. */
  topCells: Cell[];
  asciiSummary: string;
}

/** Every feasible cell of a grid, row by row, or a page of them; for a matrix its rows. */
export interface GridFull<Cell = unknown> extends GridHead<Cell>, PageFacts {
  output: "full";
  /** Not on later pages. */
  asciiSummary?: string;
  cells?: Cell[];
  matrix?: unknown[][];
}

/** The result for a grid. */
export type GridResult<Cell = unknown> = GridSummary<Cell> | GridFull<Cell>;
