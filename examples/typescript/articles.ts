/** The database of articles: three queries, whose rows are plain objects with the same keys in the same order. */
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

/** Where a listing goes on: `updated` and `id` of the last article seen. */
type Place = (string | number | bigint | boolean | null)[];

export async function openArticles(file: string) {
  const SQL = await initSqlJs();

  function select(rest: string, ...values: initSqlJs.SqlValue[]): Article[] {
    // sql.js reads the whole file, so it is opened anew to see what others have written meanwhile.
    const db = new SQL.Database(readFileSync(file));
    const statement = db.prepare(`SELECT id, slug, title, updated, tags, summary, body FROM articles ${rest}`, values);
    const rows: Article[] = [];
    while (statement.step()) {
      const row = statement.getAsObject();
      rows.push({ ...row, tags: JSON.parse(String(row.tags)) } as unknown as Article);
    }
    db.close();
    return rows;
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
    search: (query: string) => select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", query),
  };
}
