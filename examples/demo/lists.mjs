/**
 * What a list costs in each form: plain JSON against columns on four lists of others, and links instead of rows. Counted
 * by npm `tiktoken`. The exit code is 1 where `auto` is worse than plain JSON, where a form is not within its budget, or
 * where twenty links take a thousand tokens.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Table from "cli-table3";
import initSqlJs from "sql.js";
import { get_encoding } from "tiktoken";
import { Shaper } from "toolshape";
import { buildDatabase } from "../data/build.mjs";
import { mark, number } from "./report.mjs";

const BUDGET = 2000;
const WHOLE = 10_000_000;
const MOST_FOR_LINKS = 1000;

const require = createRequire(import.meta.url);
const encoding = get_encoding("o200k_base");
const count = (text) => encoding.encode_ordinary(text).length;
const read = (name, path) =>
  JSON.parse(readFileSync(join(dirname(require.resolve(`${name}/package.json`)), path), "utf8"));

const articles = await publishedArticles();
const listing = articles.map(({ title, slug, updated, tags }) => ({ title, slug, updated, tags }));
const issues = read("@octokit/fixtures", "scenarios/api.github.com/paginate-issues/raw-fixture.json");

async function publishedArticles() {
  const file = fileURLToPath(new URL("../data/articles.db", import.meta.url));
  await buildDatabase(file);
  const SQL = await initSqlJs();
  const [{ columns, values }] = new SQL.Database(readFileSync(file)).exec(
    `SELECT id, slug, title, updated, tags, summary, body FROM articles WHERE status = 'published' ORDER BY updated DESC, id`,
  );
  const rows = values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  return rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) }));
}

const LISTS = {
  "twitter.json, statuses": read("simdjson", "jsonexamples/twitter.json").statuses,
  "citm_catalog.json, events": Object.values(read("simdjson", "jsonexamples/citm_catalog.json").events),
  "GitHub issues": issues.flatMap(({ response }) => (Array.isArray(response) ? response : [])),
  "the articles": articles,
  "the articles, as a listing": listing,
};

/** A list as a whole in one format, and how many of its rows fit a page. */
function measure(rows, format) {
  const whole = new Shaper({ maxTokens: WHOLE, paginateAfter: WHOLE, pageSize: 1, maxPageSize: 100 });
  const paged = new Shaper({ maxTokens: BUDGET, paginateAfter: 1, maxPageSize: 100, pageSize: 100, format });
  const text = whole.shape(rows, { tool: "list", format }).text;
  const page = paged.shape(rows, { tool: "list" });
  // A row that was begun to fill the page is not counted.
  const fit = page.value.items.length - (page.receipt.steps.includes("summarize") ? 1 : 0);
  return { tokens: count(text), fit, page: count(page.text) };
}

const table = new Table({
  head: [
    "list",
    "rows",
    "json",
    "columns",
    "auto",
    "saved",
    `rows in ${number(BUDGET)}: json`,
    "columns",
    "auto",
    "tokens of the page",
  ],
  colAligns: ["left", ...Array(9).fill("right")],
  style: { head: [], border: [], compact: true },
});
let holds = true;
for (const [name, rows] of Object.entries(LISTS)) {
  const [json, columns, auto] = ["json", "columns", "auto"].map((format) => measure(rows, format));
  const saved = `${((1 - auto.tokens / json.tokens) * 100).toFixed(1)} %`;
  const tokens = [json, columns, auto].map((form) => number(form.tokens));
  table.push([name, rows.length, ...tokens, saved, json.fit, columns.fit, auto.fit, number(auto.page)]);
  const worst = Math.max(...[json, columns, auto].map(({ page }) => page));
  holds &&= auto.tokens <= json.tokens && auto.fit >= json.fit && worst <= BUDGET;
}

const projected = new Shaper({ maxTokens: WHOLE, paginateAfter: WHOLE }).shape(articles, { fields: ["id", "title"] });
console.log(`${table}\n`);
console.log(
  `  A row of the articles: ${(count(JSON.stringify(articles)) / articles.length).toFixed(1)} tokens on average;`,
);
console.log(`  with title, slug, updated and tags: ${(count(JSON.stringify(listing)) / listing.length).toFixed(1)};`);
console.log(`  with id and title: ${(count(projected.text) / articles.length).toFixed(1)}.\n`);

const links = new Shaper().links(
  articles,
  {
    uri: "article:///{id}",
    name: "{slug}",
    mimeType: "text/plain",
    open: "Open one with get_article: slug is its name.",
  },
  { tool: "list_articles" },
);
const [about, ...blocks] = links.value;
const each = blocks.map((block) => count(JSON.stringify(block)));
const sum = each.reduce((a, b) => a + b, 0);
holds &&= blocks.length === 20 && count(links.text) < MOST_FOR_LINKS;

console.log(
  `  ${blocks.length} links instead of rows: ${number(count(links.text))} tokens with the text block of ${count(JSON.stringify(about))};`,
);
console.log(
  `  each ${Math.min(...each)} to ${Math.max(...each)}, on average ${(sum / each.length).toFixed(1)}. The first:`,
);
console.log(`  ${JSON.stringify(blocks[0])}`);
console.log(
  `  ${mark(holds)} auto is never worse than plain JSON, every page fits, twenty links take under ${number(MOST_FOR_LINKS)} tokens`,
);
process.exitCode = holds ? 0 : 1;
