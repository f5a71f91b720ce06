/** How a tool's results are a series. Fields are `price`, `price.usd` or `/price/usd`. */
export interface SeriesOptions {
  /** Where in the result the entries are. Default the result itself. */
  readonly list?: string | undefined;
  /** The field of an entry that is its value. Default the first that holds numbers. */
  readonly value?: string | undefined;
  /** The field of an entry that says where it stands, as a time does. Default the first that only rises or falls. */
  readonly at?: string | undefined;
  /** Entries of a summary, at most. Default 12. */
  readonly points?: number | undefined;
  /** Whether entries are chosen so that extremes show, and not evenly spaced. Default false. */
  readonly extremes?: boolean | undefined;
}

/** How a tool's results are a grid: a list of cells, or a matrix of numbers with axes beside it. */
export interface GridOptions {
  /** Where in the result the cells or the rows of the matrix are. Default the result itself. */
  readonly list?: string | undefined;
  /** The fields of a cell that say where it stands; of a matrix, where in the result its axes are. Default `x`. */
  readonly x?: string | undefined;
  /** Default `y`. */
  readonly y?: string | undefined;
  /** The field of a cell that is its value. Default `value`. */
  readonly value?: string | undefined;
  /** Whether the highest value is the best, or the lowest. Default `max`. */
  readonly goal?: "max" | "min" | undefined;
  /** The field of a cell that is false, null or 0 where it is not feasible. Default none. */
  readonly feasible?: string | undefined;
}

/** An extreme of a series; `value` is a text where the tool gives numbers as texts. */
export interface Extreme {
  index: number;
  at?: unknown;
  value: number | string;
}

/** What is told of all entries of a series before any is dropped. */
export interface Aggregates {
  /** Entries whose value is a number, and those whose value is none. */
  count: number;
  nulls: number;
  min: Extreme | null;
  max: Extreme | null;
  mean: number | null;
  first: number | string | null;
  last: number | string | null;
}

/** What a summary and a full result have in common. */
interface Head {
  note?: string;
  /** Where the whole is stored, or why it is not. */
  uri?: string;
  storeFailed?: string;
  /** Fields of the entries that the policy does not show. */
  omittedFields?: string[];
  /** What stands around the list in the result. */
  around?: Record<string, unknown>;
  /** What of that is shortened, and how much if not all of it is told. */
  elisions?: { pointer: string; kind: string; size: number }[];
  elided?: number;
}

/** Where the page of a full result stands that does not fit whole. */
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
  /** The fields of an entry that are its value and say where it stands. */
  value?: string;
  at?: string;
  aggregates: Aggregates | null;
}

/** A few entries of a series as they are, and aggregates over all. */
export interface SeriesSummary<Entry = unknown> extends SeriesHead {
  output: "summary";
  totalItems: number;
  returned: number;
  /** Where in the full result each of `entries` stands. */
  indices: number[];
  note: string;
  entries: Entry[];
}

/** A series as it is, or a page of it. */
export interface SeriesFull<Entry = unknown> extends SeriesHead, PageFacts {
  output: "full";
  entries: Entry[];
}

/** What comes of a series. */
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

/** The best cells of a grid as they are, and a picture of all. */
export interface GridSummary<Cell = unknown> extends GridHead<Cell> {
  output: "summary";
  note: string;
  /** At most five, the best first. */
  topCells: Cell[];
  asciiSummary: string;
}

/** Every feasible cell of a grid, row by row, or a page of them; of a matrix its rows. */
export interface GridFull<Cell = unknown> extends GridHead<Cell>, PageFacts {
  output: "full";
  /** Not on later pages. */
  asciiSummary?: string;
  cells?: Cell[];
  matrix?: unknown[][];
}

/** What comes of a grid. */
export type GridResult<Cell = unknown> = GridSummary<Cell> | GridFull<Cell>;
