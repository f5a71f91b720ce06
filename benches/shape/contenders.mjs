/**
 * Who is measured: toolshape, and the handler that one writes by hand, with each of four tokenizers.
 *
 * The handler is used well. It slices first, twenty rows of a list and four characters a token of anything
 * else, and only then counts; where its tokenizer can stop at a limit, it does. What turns out to be over the
 * budget is cut once more. Unlike toolshape it has to be told where the rows are.
 */
import { TOKENIZERS } from "./tokenizers.mjs";

export const BUDGET = 2000;
export const PAGE_SIZE = 20;
/** The rule of thumb by which one cuts a text. */
const CHARS_A_TOKEN = 4;

/** Those that do a work: toolshape first, then a handler for each tokenizer; `only` one of them if that is all one wants. */
export async function contendersOf(work, only) {
  const found = [];
  for (const name of ["toolshape", ...Object.keys(TOKENIZERS)]) {
    if ((only !== undefined && name !== only) || (work.isStored && name !== "toolshape")) continue;
    found.push({ name, run: name === "toolshape" ? await shaped(work) : handWritten(await TOKENIZERS[name](), work) });
  }
  return found;
}

/** Lets a contender meet ordinary rows, so that its caches hold what is common and its code is compiled. */
export async function warmUp({ run }, work, rows) {
  for (let times = 0; times < 3; times++) {
    for (const row of rows.slice(0, 60)) run({ value: work.json ? JSON.stringify(row) : row });
    // The host compiles in the background.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function shaped(work) {
  const { Shaper } = await import("toolshape");
  const shaper = new Shaper({ maxTokens: BUDGET, pageSize: PAGE_SIZE, overflow: work.isStored ? "offload" : "shape" });
  const call = (page) => (page === undefined ? { tool: "bench", store: work.isStored } : { tool: "bench", page });
  if (work.json) return ({ value, page }) => shaper.shapeJson(value, call(page)).text;
  return ({ value, page }) => shaper.shape(value, call(page)).text;
}

function handWritten(tokenizer, { json }) {
  return ({ value, rows, page }) => {
    const parsed = json ? JSON.parse(value) : value;
    let text = typeof parsed === "string" ? parsed : JSON.stringify(rows ? rows(parsed, page) : parsed);
    if (!rows) text = text.slice(0, BUDGET * CHARS_A_TOKEN);
    return within(tokenizer, text);
  };
}

/** The text if it is within the budget, else its beginning. */
function within({ isWithin, count }, text) {
  let chars = BUDGET * CHARS_A_TOKEN;
  if (isWithin) {
    if (isWithin(text, BUDGET)) return text;
  } else {
    const tokens = count(text);
    if (tokens <= BUDGET) return text;
    chars = Math.floor((text.length * BUDGET) / tokens);
  }
  return `${text.slice(0, chars)}… [truncated]`;
}

/** A page of a list, as one writes it. */
export function pageOf(list, page) {
  const start = (page - 1) * PAGE_SIZE;
  const pages = Math.ceil(list.length / PAGE_SIZE);
  return { total: list.length, page, pages, items: list.slice(start, start + PAGE_SIZE) };
}
