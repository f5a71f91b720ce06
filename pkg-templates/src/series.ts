// Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options

// The end of the generated types.

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
