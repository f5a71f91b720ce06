/** What the demo promises, checked on the texts that came over stdio. */
import { isDeepStrictEqual } from "node:util";
import { get_encoding } from "tiktoken";
import { expand } from "toolshape";
import { listing, number } from "./report.mjs";

/** The most that one result of each tool may take, in tokens: what the shaped servers' policies say. */
const BUDGETS = {
  list_articles: 2000,
  search: 2000,
  get_article: 2000,
  read_result: 2000,
  summarize: 2000,
  weather: 2000,
  sweep: 2000,
};
/** The pages of a tool's result have its budget, also where the reader gives them. */
const budgetOf = ({ tool, arguments: { cursor, handle } }) =>
  BUDGETS[tool === "read_result" && cursor && !handle ? "list_articles" : tool];
const PAGE = { rows: 20, keys: ["id", "title", "slug", "updated", "tags"], tokens: 1400 };
const LISTING = { tokens: 480_000, within: 0.01 };
const WINDOW = 128_000;
const ROOM_WANTED = 0.9;

const encoding = get_encoding("o200k_base");
const count = (text) => encoding.encode_ordinary(text).length;

/** The rows of the table, the figures below it, and a verdict on each promise. */
export function checkAll({ naive, shaped, full, kept, moving, installed, readme }) {
  const rows = compare(naive, shaped);
  const firstPage = shaped.TypeScript.steps[0].text;
  const results = [shaped, full, kept, moving].flatMap(allSteps);
  const answers = (tool) =>
    [naive, shaped].map((runs) => runs.TypeScript.steps.find((step) => step.tool === tool).text);
  const listed = JSON.parse(naive.TypeScript.steps[0].text);
  const wanted = listed.map((row) => Object.fromEntries(PAGE.keys.map((key) => [key, row[key]])));
  const article = naive.TypeScript.read;
  const figures = {
    list: rows[0],
    firstPage,
    pages: kept.TypeScript.steps.map(({ text }) => count(text)),
    window: WINDOW,
    room: (WINDOW - rows[0].shaped) / WINDOW,
  };

  const promises = {
    "a naive and a shaped server differ by one line and its imports, as README.md shows": Object.values(
      installed,
    ).every(({ imports, lines, isShown }) => lines.length === 1 && imports.length > 0 && isShown),
    [`each of ${results.length} shaped results is within its budget, by an independent count`]: results.every(
      (step) => count(step.text) <= budgetOf(step),
    ),
    "and so is the structured content": results.every(
      (step) => step.structured === undefined || count(JSON.stringify(step.structured)) <= budgetOf(step),
    ),
    "no call failed": [...allSteps(naive), ...results].every(({ isError }) => !isError),
    ...(naive.Python && {
      "TypeScript and Python gave the same bytes": [naive, shaped, full, kept, moving].every(sameTexts),
    }),
    [`the naive listing is about ${number(LISTING.tokens)} tokens`]:
      Math.abs(rows[0].naive / LISTING.tokens - 1) <= LISTING.within,
    [`one page of ${PAGE.rows} rows takes at most ${number(PAGE.tokens)} tokens, without a policy`]:
      JSON.parse(expand(firstPage)).items.length === PAGE.rows && rows[0].shaped <= PAGE.tokens,
    "each result of an adapter has one line on standard error": [shaped, full, kept]
      .flatMap(Object.values)
      .every(({ steps, reported }) => reported.length === steps.length),
    [`all pages together are the ${listed.length} rows of the naive listing, each once and in order, whatever a writer does after each`]:
      Object.values(kept).every(({ steps, read }) => isDeepStrictEqual(read.rows, wanted) && laterPagesAreKept(steps)),
    [`pages by keys are live: each of the ${listed.length} rows that the writer lets stay comes once and in order`]:
      Object.values(moving).every(({ read }) => everyRowThatStayed(read, wanted)),
    "the opened article, read back to its end, is the naive server's to the character": Object.values(shaped).every(
      ({ read }) => read.slug === article.slug && read.body === article.body,
    ),
    "every preview of it is its own text": Object.values(shaped).every(
      ({ read: { lines } }) => lines.length > 1 && lines.every(({ text }) => article.body.includes(text)),
    ),
    "what the summaries of the series and the grid keep is the naive servers' to the byte": ["weather", "sweep"].every(
      (tool) => keepsBytes(...answers(tool)),
    ),
    "their pages in full are every day, and every cell that is feasible": Object.values(full).every(
      ({ read: { weather, sweep } }) =>
        isDeepStrictEqual(weather, JSON.parse(answers("weather")[0])) &&
        isDeepStrictEqual(
          sweep,
          JSON.parse(answers("sweep")[0]).filter(({ feasible }) => feasible),
        ),
    ),
    [`over ${ROOM_WANTED * 100} % of a window of ${number(WINDOW)} is left after listing`]: figures.room > ROOM_WANTED,
    "the README of the repository shows this listing": readme.includes(listing(figures)),
  };
  return {
    rows,
    figures,
    verdicts: Object.entries(promises).map(([promise, holds]) => ({ promise, holds })),
  };
}

/** Whether every page but the first came from what was kept of it, and from the tool none. */
function laterPagesAreKept(steps) {
  return steps
    .map(({ text }) => JSON.parse(text).source)
    .every((source, at) => source === (at === 0 ? "live" : "snapshot"));
}

/** Whether the rows that were read hold none twice, and all that were never deleted in their order. */
function everyRowThatStayed({ rows, deleted }, listed) {
  const stayed = listed.filter(({ slug }) => !deleted.has(slug));
  const slugs = new Set(stayed.map(({ slug }) => slug));
  const seen = rows.filter(({ slug }) => slugs.has(slug));
  return (
    deleted.size > 0 && new Set(rows.map(({ slug }) => slug)).size === rows.length && isDeepStrictEqual(seen, stayed)
  );
}

/** Whether every entry of a summary is in the whole result, byte for byte. */
function keepsBytes(whole, summary) {
  const { output, entries, topCells } = JSON.parse(summary);
  const kept = entries ?? topCells;
  const isInBoth = (entry) => summary.includes(JSON.stringify(entry)) && whole.includes(JSON.stringify(entry));
  return output === "summary" && kept.length > 1 && kept.every(isInBoth);
}

/** One row of the table for each step of the shaped work, next to the naive call of the same step if there was one. */
function compare(naive, shaped) {
  return shaped.TypeScript.steps.map((done, at) => {
    const { step, tool, text } = done;
    const before = naive.TypeScript.steps.findIndex((other) => other.step === step);
    return {
      step,
      tool,
      naive: before < 0 ? undefined : count(naive.TypeScript.steps[before].text),
      shaped: count(text),
      budget: budgetOf(done),
      same: naive.Python && sameText(shaped, at) && (before < 0 || sameText(naive, before)),
    };
  });
}

const allSteps = (runs) => Object.values(runs).flatMap(({ steps }) => steps);

function sameText(runs, at) {
  return new Set(Object.values(runs).map(({ steps }) => steps[at]?.text)).size === 1;
}

/** Whether every language made as many calls and got the same text from each. */
function sameTexts(runs) {
  const longest = Math.max(...Object.values(runs).map(({ steps }) => steps.length));
  return Array.from({ length: longest }, (_, at) => at).every((at) => sameText(runs, at));
}
