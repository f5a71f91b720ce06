/**
 * A writer on the database: between two pages of a listing it deletes articles and inserts new ones, before, at and
 * after the current place of the listing.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import initSqlJs from "sql.js";

const SQL = await initSqlJs();

/** Opens a writer on a database file, which it replaces whole at each change. */
export function openWriter(file) {
  const db = new SQL.Database(readFileSync(file));
  const deleted = new Set();
  let turn = 0;

  function listed() {
    const [{ values }] = db.exec("SELECT slug FROM articles WHERE status = 'published' ORDER BY updated DESC, id");
    return values.map(([slug]) => slug);
  }

  function remove(slug) {
    if (slug === undefined) return;
    deleted.add(slug);
    db.run("DELETE FROM articles WHERE slug = ?", [slug]);
  }

  /** Takes the day of one article for a new one, so that the two are neighbours in the listing. */
  function insertBeside(slug, name) {
    db.run(
      `INSERT INTO articles (slug, title, updated, tags, summary, body, status)
       SELECT ?, 'Inserted meanwhile', updated, tags, summary, body, 'published' FROM articles WHERE slug = ?`,
      [name, slug],
    );
  }

  /** Changes the table around the article that a caller saw last. */
  function change(last) {
    const slugs = listed();
    const at = slugs.indexOf(last);
    turn++;
    for (const [place, slug] of Object.entries({ before: slugs[at - 3], at: last, after: slugs[at + 9] })) {
      if (slug !== undefined) insertBeside(slug, `inserted-${place}-${turn}`);
    }
    for (const slug of [slugs[at - 5], last, slugs[at + 1], slugs[at + 12]]) remove(slug);
    writeFileSync(`${file}.new`, db.export());
    renameSync(`${file}.new`, file);
  }

  return { change, deleted };
}
