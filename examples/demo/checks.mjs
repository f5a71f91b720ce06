/** What the demo promises, checked on the texts that came over stdio. */
import { isDeepStrictEqual } from "node:util";
import { get_encoding } from "tiktoken";

const WINDOW = 128_000;
const ROOM_WANTED = 0.9;
const LISTING_WANTED = { tokens: 480_000, within: 0.01 };
const PAGE_WANTED = { tokens: 1400, rows: 20, keys: ["title", "slug", "updated", "tags"] };

const encoding = get_encoding("o200k_base");
const count = (text) => encoding.encode_ordinary(text).length;

/** The rows of the table, the figures below it, and a verdict on each promise. */
export function checkAll({ naive, shaped, whole }) {
  const rows = compare(naive, shaped);
  const [list] = rows;
  const pages = Object.values(whole).map(({ steps }) => steps.map(({ text }) => count(text)));
  const listed = JSON.parse(naive.TypeScript.steps[0].text);
  const wanted = listed.map((row) => Object.fromEntries(PAGE_WANTED.keys.map((key) => [key, row[key]])));
  const article = naive.TypeScript.read;
  const firstPage = JSON.parse(shaped.TypeScript.steps[0].text);
  const room = (WINDOW - list.shaped) / WINDOW;

  const results = [shaped, whole].flatMap((runs) => Object.values(runs)).flatMap(({ steps }) => steps);
  const verdict = (promise, holds) => ({ promise, holds });
  return {
    rows,
    list,
    pages: pages[0],
    window: WINDOW,
    room,
    verdicts: [
      verdict(
        `each of ${results.length} shaped results is within its budget, by an independent count`,
        results.every(({ text, receipt }) => count(text) <= receipt.budget),
      ),
      verdict(
        "each receipt says exactly what the independent count says",
        results.every(({ text, receipt }) => count(text) === receipt.tokensAfter),
      ),
      verdict("no call failed", [...results, ...allSteps(naive)].every(({ isError }) => !isError)),
      verdict("TypeScript and Python gave the same bytes", rows.every(({ same }) => same) && sameTexts(whole)),
      verdict(
        `the naive listing is about ${LISTING_WANTED.tokens.toLocaleString("en")} tokens`,
        Math.abs(list.naive / LISTING_WANTED.tokens - 1) <= LISTING_WANTED.within,
      ),
      verdict(
        `a page of ${PAGE_WANTED.rows} rows takes at most ${PAGE_WANTED.tokens.toLocaleString("en")} tokens`,
        firstPage.items.length === PAGE_WANTED.rows && pages.flat().every((tokens) => tokens <= PAGE_WANTED.tokens),
      ),
      verdict(
        `all pages together are the ${listed.length} rows of the naive listing, each once and in order`,
        Object.values(whole).every((run) => isDeepStrictEqual(run.read, wanted)),
      ),
      verdict(
        "the opened article, read on to its end, is the naive server's article to the character",
        Object.values(shaped).every(({ read }) => read.slug === article.slug && read.body === article.body),
      ),
      verdict(`over ${ROOM_WANTED * 100} % of a window of ${WINDOW.toLocaleString("en")} is left`, room > ROOM_WANTED),
    ],
  };
}

/** One row of the table for each step of the shaped work, beside the naive call of the same step if there was one. */
function compare(naive, shaped) {
  return shaped.TypeScript.steps.map(({ step, tool, text, receipt }, at) => {
    const before = naive.TypeScript.steps.find((other) => other.step === step);
    return {
      step,
      tool,
      naive: before && count(before.text),
      shaped: count(text),
      budget: receipt.budget,
      same: sameText(shaped, at) && (!before || sameText(naive, naive.TypeScript.steps.indexOf(before))),
    };
  });
}

const allSteps = (runs) => Object.values(runs).flatMap(({ steps }) => steps);

function sameText(runs, at) {
  return new Set(Object.values(runs).map(({ steps }) => steps[at]?.text)).size === 1;
}

function sameTexts(runs) {
  return isDeepStrictEqual(...Object.values(runs).map(({ steps }) => steps.map(({ text }) => text)));
}
