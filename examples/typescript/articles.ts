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

export async function openArticles(file: string) {
  const SQL = await initSqlJs();
  const db = new SQL.Database(readFileSync(file));

  function select(rest: string, ...values: string[]): Article[] {
    const statement = db.prepare(`SELECT id, slug, title, updated, tags, summary, body FROM articles ${rest}`, values);
    const rows: Article[] = [];
    while (statement.step()) {
      const row = statement.getAsObject();
      rows.push({ ...row, tags: JSON.parse(String(row.tags)) } as unknown as Article);
    }
    statement.free();
    return rows;
  }

  return {
    /** Every published article, the newest first. */
    published: () => select("WHERE status = 'published' ORDER BY updated DESC, id"),
    get: (slug: string) => select("WHERE slug = ?", slug)[0],
    /** Articles whose text has the words of the query, the longest first. */
    search: (query: string) => select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", query),
  };
}
