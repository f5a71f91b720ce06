/**
 * What there is to do: results that tools return, each in as many versions as are asked for, so that no
 * contender is given the same text twice.
 *
 * A work has `inputs(version)`, which makes a value; `page(version)`, the page to ask for, if it is a list;
 * `rows`, which takes the rows of a page out of a value for the hand-written handler; `json` if the value is
 * JSON text; `baseline`, what the host itself does with all of the value; `isStored` if it is to be stored
 * whole, which only toolshape does; `calls`, how many are timed together, and `baselineCalls` where that would
 * take too long; `practice`, which makes the same work of other text to warm up with.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PAGE_SIZE, pageOf } from "./handlers.mjs";

const stringify = { name: "JSON.stringify of all", run: (value) => JSON.stringify(value) };
const nameByContent = {
  name: "JSON.stringify and SHA-256",
  run: (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex"),
};
const parse = { name: "JSON.parse", run: (text) => JSON.parse(text) };
const TEXT_BYTES = 20_000_000;
/** The first version of those to warm up with, where what is made of other versions is other text. */
const PRACTICE = 1_000_000;
const PRACTICE_ROWS = 1_000;

/** The works by name; each is made only when it is called for. */
export const WORKS = {
  "1,000 rows": (data) => rowsWork(data, 1_000),
  "10,000 rows": (data) => rowsWork(data, 10_000),
  "100,000 rows": (data) => ({ ...rowsWork(data, 100_000), growsFrom: rowsWork(data, 1_000) }),
  // JSON.stringify of all of these is longer than a string of V8 can be.
  "1,000,000 rows": (data) => ({ ...rowsWork(data, 1_000_000), baseline: undefined }),
  "twitter.json": () =>
    fileWork("twitter.json", (value, _, size) => ({ ...value, statuses: pageOf(value.statuses, 1, size) })),
  "citm_catalog.json": () => fileWork("citm_catalog.json"),
  "twitter.json, as text": () => textOf(WORKS["twitter.json"](), 2),
  "citm_catalog.json, as text": () => textOf(WORKS["citm_catalog.json"](), 2),
  "20 MB of rows, as JSON text": (data) => textOf(manyRows(data)),
  "20 MB of rows, stored whole": (data) => storedWork(manyRows(data)),
  "20 MB text": (data) => textWork(data, TEXT_BYTES, ""),
  "20 MB text with emoji": (data) => textWork(data, TEXT_BYTES, " 🙂"),
  "20 MB log": (data) => readWork(data, "", logLines),
  "20 MB of HTML": (data) =>
    readWork(data, "<!doctype html><html><head><title>Articles</title></head><body>\n", section),
  "20 MB of CSV": (data) => readWork(data, "id,slug,title,updated,body\n", csvRow),
  "250 KB grid": () => ({
    calls: 2,
    baseline: stringify,
    inputs: grid,
    practice: () => ({ calls: 10, inputs: (version) => grid(PRACTICE + version) }),
  }),
  "2 KB that fits": smallWork,
};

/** The articles: those that are published make up the works, the archived ones are to warm up with. */
export function loadData(folder) {
  const all = JSON.parse(readFileSync(join(folder, "articles.json"), "utf8"));
  const [published, archived] = ["published", "archived"].map((status) => all.filter((row) => row.status === status));
  return { articles: published, others: archived };
}

/** The articles as a list of any length, a page of which has not been asked for before in every version. */
function rowsWork({ articles, others }, length) {
  const list = Array.from({ length }, (_, at) => {
    const article = articles[at % articles.length];
    return { ...article, id: at + 1, slug: `${article.slug}-${at + 1}` };
  });
  // There are as many pages of rows that differ in their texts.
  const pages = Math.floor(Math.min(length, articles.length) / PAGE_SIZE);
  const page = (version) => (version % pages) + 1;
  const practice = () => ({ ...rowsWork({ articles: others }, PRACTICE_ROWS), calls: 20 });
  return { calls: 3, baselineCalls: 1, baseline: stringify, inputs: () => list, rows: pageOf, page, practice };
}

function manyRows(data) {
  return rowsWork(data, Math.floor(TEXT_BYTES / bytesOf(data.articles)));
}

/** An API result of others; its lists and its dictionaries begin elsewhere in every version. */
function fileWork(name, rows) {
  const folder = join(dirname(createRequire(import.meta.url).resolve("simdjson/package.json")), "jsonexamples");
  const value = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const inputs = (version) => turned(value, version * 7);
  // There is no other such text: the warm-up uses a version that no round measures.
  const practice = () => ({ calls: 10, rows, inputs: () => inputs(-1) });
  return { calls: 1, baseline: stringify, rows, inputs, practice };
}

function turned(value, by, depth = 2) {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, turned(child, by, depth - 1)]);
  // An object of many keys is a dictionary; one of a few is a record, whose keys have an order of their own.
  const cut = Array.isArray(value) || entries.length > 20 ? by % entries.length : 0;
  const moved = [...entries.slice(cut), ...entries.slice(0, cut)];
  return Array.isArray(value) ? moved.map(([, child]) => child) : Object.fromEntries(moved);
}

/** The same work with its values as JSON text, which the hand-written handler has to parse. */
function textOf(work, indent) {
  const written = (work) => ({
    ...work,
    json: true,
    inputs: (version) => JSON.stringify(work.inputs(version), null, indent),
  });
  return { ...written(work), calls: 1, baseline: parse, practice: () => ({ ...written(work.practice()), calls: 10 }) };
}

function storedWork(work) {
  const stored = { ...work, page: undefined, baseline: nameByContent, isStored: true };
  return { ...stored, calls: 1, practice: () => ({ ...work.practice(), page: undefined, calls: 5 }) };
}

function bytesOf(articles) {
  return JSON.stringify(articles).length / articles.length;
}

function textWork({ articles, others }, size, after) {
  const practice = () => ({ ...textWork({ articles: others }, size / 20, after), calls: 10 });
  return { calls: 1, inputs: (version) => longText(articles, version, size, after), practice };
}

/** A text that toolshape reads by its structure, while a handler cuts it: all of it, made of article after article. */
function readWork({ articles, others }, head, part, size = TEXT_BYTES) {
  const baseline = { name: "split into lines", run: (text) => text.split("\n").length };
  const practice = () => ({ ...readWork({ articles: others }, head, part, size / 20), calls: 5 });
  const inputs = (version) => {
    const parts = [Buffer.from(head)];
    for (let at = version * 20, bytes = head.length; bytes < size; at++) {
      parts.push(Buffer.from(part(articles[at % articles.length], at)));
      bytes += parts[parts.length - 1].length;
    }
    return Buffer.concat(parts).toString("latin1");
  };
  return { calls: 1, baseline, inputs, practice };
}

/** The lines of an article as those of a log; some are errors with a stack trace. */
function logLines({ slug, body }, at) {
  const time = (nth) => new Date(1.7e12 + at * 60_000 + nth * 137).toISOString();
  const level = (nth) => ((at + nth) % 97 === 0 ? "ERROR" : (at + nth) % 31 === 0 ? "WARN" : "INFO");
  const trace =
    "java.lang.IllegalStateException: no such article\n" +
    "\tat com.example.Articles.find(Articles.java:42)\n".repeat(8);
  const line = (text, nth) =>
    `${time(nth)} ${level(nth)} [worker-${at % 16}] ${slug}-${at}: ${text}\n${level(nth) === "ERROR" ? trace : ""}`;
  return linesOf(body).map(line).join("");
}

function section({ slug, title, body }, at) {
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const lines = linesOf(body).map(
    (line) => `<p class="body">${escaped(line)} <a href="/articles/${slug}">more</a></p>\n`,
  );
  return `<h2 id="a${at}">${escaped(title)}</h2>\n${lines.join("")}<ul><li><b>${at}</b> ${slug}</li></ul>\n`;
}

function csvRow({ slug, title, updated, body }, at) {
  return `${at},${slug},"${title.replaceAll('"', '""')}",${updated},"${body.slice(0, 200).replaceAll('"', '""')}"\n`;
}

function linesOf(body) {
  return body.split("\n").filter((line) => line !== "");
}

/** Article after article, as one string in memory, not a tree of parts. */
function longText(articles, version, size, after) {
  const parts = [];
  for (let at = version * 20, bytes = 0; bytes < size; at++) {
    const part = Buffer.from(`${articles[at % articles.length].body}${after}\n\n`);
    parts.push(part);
    bytes += part.length;
  }
  const whole = Buffer.concat(parts).subarray(0, size);
  return whole.toString(after === "" ? "latin1" : "utf8");
}

/** 30 by 30 measured cells, other ones in every version. */
function grid(version) {
  let seed = version * 7919 + 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const cell = (x, y) => ({
    x,
    y,
    score: random(),
    rate: Math.round(random() * 1e6) / 1e4,
    parameters: {
      window: Math.floor(random() * 1000),
      threshold: random(),
      mode: random() < 0.5 ? "strict" : "lenient",
    },
    totals: {
      orders: Math.floor(random() * 1e5),
      returns: Math.floor(random() * 1e3),
      revenue: Math.round(random() * 1e9) / 100,
    },
    measured: new Date(1.7e12 + Math.floor(random() * 1e11)).toISOString(),
  });
  return {
    rows: 30,
    columns: 30,
    cells: Array.from({ length: 30 }, (_, y) => Array.from({ length: 30 }, (_, x) => cell(x, y))),
  };
}

function smallWork({ articles, others }) {
  const practice = () => ({ ...smallWork({ articles: others }), calls: 60 });
  return { calls: 20, baseline: stringify, inputs: (version) => smallResult(articles, version), practice };
}

/** One article, cut so that its JSON takes 2 KB. */
function smallResult(articles, version) {
  const { id, slug, title, updated, tags, body } = articles[(version * 13) % articles.length];
  const article = { id: id + version, slug, title, updated, tags, body: "" };
  const text = `${body} ${articles[(version * 13 + 1) % articles.length].body}${body}`.replaceAll(/[\n"]/g, " ");
  article.body = text.slice(0, 2048 - JSON.stringify(article).length);
  return article;
}
