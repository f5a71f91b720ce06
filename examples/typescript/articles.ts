/** The database: a query for each tool, whose rows are plain objects with the same keys in the same order. */
import { readFileSync } from "node:fs";
import initSqlJs from "sql.js";

export interface Article {
  id: number;
  slug: string;
  title: string;
  updated: string;
  tags: string[];
  summary: string;
  body: string;
}

/** One day: what fell in millimetres, what was measured in degrees Celsius and metres a second. */
export interface Day {
  date: string;
  precipitation: number;
  temp_max: number;
  temp_min: number;
  wind: number;
  weather: string;
}

/** How a trading rule did with one pair of parameters; only the first four where these make no sense. */
export interface Backtest {
  fast: number;
  slow: number;
  feasible: boolean;
  score: number | null;
  [measure: string]: unknown;
}

/** Where a listing goes on: `updated` and `id` of the last article seen. */
type Place = (string | number | bigint | boolean | null)[];

/** What can be asked of the database. */
export type Articles = Awaited<ReturnType<typeof openArticles>>;

export async function openArticles(file: string) {
  const SQL = await initSqlJs();

  function query(sql: string, ...values: initSqlJs.SqlValue[]) {
    // sql.js reads the whole file, so it is opened again to see what others have written meanwhile.
    const db = new SQL.Database(readFileSync(file));
    const statement = db.prepare(sql, values);
    const rows: initSqlJs.ParamsObject[] = [];
    while (statement.step()) rows.push(statement.getAsObject());
    db.close();
    return rows;
  }

  function select(rest: string, ...values: initSqlJs.SqlValue[]) {
    const rows = query(`SELECT id, slug, title, updated, tags, summary, body FROM articles ${rest}`, ...values);
    return rows.map((row) => ({ ...row, tags: JSON.parse(String(row.tags)) }) as unknown as Article);
  }

  return {
    /** Every published article, the newest first. */
    published: () => select("WHERE status = 'published' ORDER BY updated DESC, id"),
    /** The next published articles, the newest first: from the start, or after the last one seen. */
    publishedAfter(last: Place | null, limit: number) {
      const [updated, id] = (last ?? ["9999", 0]) as [string, number];
      const after = "(updated < ? OR (updated = ? AND id > ?))";
      const rest = `WHERE status = 'published' AND ${after} ORDER BY updated DESC, id LIMIT ?`;
      return select(rest, updated, updated, id, limit);
    },
    get: (slug: string) => select("WHERE slug = ?", slug)[0],
    /** Articles whose text has the words of the query, the longest first. */
    search: (words: string) => select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", words),
    /** The weather of Seattle, day by day. */
    weather: () =>
      query(
        "SELECT date, precipitation, temp_max, temp_min, wind, weather FROM weather ORDER BY date",
      ) as unknown as Day[],
    /** A trading rule with each pair of its two parameters. */
    sweep: () => query("SELECT cell FROM sweep ORDER BY rowid").map(({ cell }) => JSON.parse(String(cell)) as Backtest),
  };
}
