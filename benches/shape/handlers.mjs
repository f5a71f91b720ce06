/**
 * Two handlers as one writes them by hand, and both are used well: they slice first, twenty rows of a list and four
 * characters a token of anything else, and only then count; where a tokenizer can stop at a limit, it does. Unlike
 * toolshape they need to know where the rows are.
 *
 * The short one cuts what turns out to be over the budget once more, wherever that may be: what it gives is often no
 * JSON, and may still be over. The careful one keeps to whole rows and members, so that it is JSON, and counts what
 * it gives, so that it is within the budget: what toolshape promises, except that it does not describe what it left out.
 */
export const BUDGET = 2000;
export const PAGE_SIZE = 20;
/** The rule of thumb by which one cuts a text. */
const CHARS_A_TOKEN = 4;
/** A text with more characters a token is not worth counting: it will not fit. */
const MOST_CHARS_A_TOKEN = 8;
/** The text around the members of an object. */
const FRAME_TOKENS = 20;
/** The longest string that stays whole in a row that is too large by itself. */
const SHORT = 100;

/** A page of a list, as one writes it; of as many rows as fit. */
export function pageOf(list, page, size = PAGE_SIZE) {
  const start = (page - 1) * PAGE_SIZE;
  const pages = Math.ceil(list.length / PAGE_SIZE);
  return { total: list.length, page, pages, items: list.slice(start, start + size) };
}

/** The handler that cuts its text. */
export function cutting(tokenizer, { json }) {
  return ({ value, rows, page }) => {
    const parsed = json ? JSON.parse(value) : value;
    let text = typeof parsed === "string" ? parsed : JSON.stringify(rows ? rows(parsed, page) : parsed);
    if (!rows) text = text.slice(0, BUDGET * CHARS_A_TOKEN);
    return cut(tokenizer, text);
  };
}

/** The text if it is within the budget, else its beginning. */
function cut({ within, count }, text) {
  let chars = BUDGET * CHARS_A_TOKEN;
  if (within) {
    if (within(text, BUDGET) !== undefined) return text;
  } else {
    const tokens = count(text);
    if (tokens <= BUDGET) return text;
    chars = Math.floor((text.length * BUDGET) / tokens);
  }
  return `${text.slice(0, chars)}… [truncated]`;
}

/** The handler that gives JSON within the budget. */
export function careful(tokenizer, { json }) {
  const fits = fitting(tokenizer);
  return ({ value, rows, page }) => {
    const parsed = json ? JSON.parse(value) : value;
    if (typeof parsed === "string") return textWithin(parsed, fits);
    return rows ? rowsWithin((size) => rows(parsed, page, size), fits) : membersWithin(parsed, fits);
  };
}

/** The tokens of a text if they are at most this many. */
function fitting({ within, count }) {
  return (text, room) => {
    if (text.length > room * MOST_CHARS_A_TOKEN) return undefined;
    if (within) return within(text, room);
    const tokens = count(text);
    return tokens <= room ? tokens : undefined;
  };
}

/** As many rows as fit; if the first one does not, its short members. */
function rowsWithin(pageWith, fits) {
  let room = BUDGET - (fits(JSON.stringify(pageWith(0)), BUDGET) ?? BUDGET);
  let size = 0;
  for (const row of itemsOf(pageWith(PAGE_SIZE))) {
    const tokens = fits(JSON.stringify(row), room - 1);
    if (tokens === undefined) break;
    room -= tokens + 1;
    size++;
  }
  for (; size > 0; size--) {
    const text = JSON.stringify(pageWith(size));
    if (fits(text, BUDGET) !== undefined) return text;
  }
  const page = pageWith(1);
  const items = itemsOf(page);
  if (items.length > 0) items[0] = Object.fromEntries(Object.entries(items[0]).filter(([, member]) => isShort(member)));
  return JSON.stringify(page);
}

/** The items of a page, which may be inside an object. */
function itemsOf(page) {
  return page.items ?? Object.values(page).find((member) => Array.isArray(member?.items)).items;
}

function isShort(member) {
  return typeof member === "string" ? member.length <= SHORT : typeof member !== "object";
}

/** The members that fit, and of each other one how large it is. */
function membersWithin(object, fits) {
  const members = Object.entries(object).map(([key, member]) => [
    `${JSON.stringify(key)}:`,
    JSON.stringify(member),
    member,
  ]);
  const whole = `{${members.map(([key, text]) => key + text).join(",")}}`;
  if (fits(whole, BUDGET) !== undefined) return whole;
  const shown = ['"truncated":true'];
  let room = BUDGET - FRAME_TOKENS;
  for (const [key, text, member] of members) {
    let part = key + text;
    let tokens = fits(part, room);
    if (tokens === undefined) {
      part = `${key}"[${Array.isArray(member) ? `${member.length} items` : typeof member}]"`;
      tokens = fits(part, room);
    }
    if (tokens === undefined) break;
    shown.push(part);
    room -= tokens + 1;
  }
  return `{${shown.join(",")}}`;
}

/** The beginning of a text, with its length. */
function textWithin(text, fits) {
  if (fits(text, BUDGET) !== undefined) return text;
  for (let chars = BUDGET * CHARS_A_TOKEN; ; chars = Math.floor(chars * 0.9)) {
    // A pair of surrogates stays together.
    const end = (text.charCodeAt(chars - 1) & 0xfc00) === 0xd800 ? chars - 1 : chars;
    const shown = JSON.stringify({ truncated: true, totalChars: text.length, preview: text.slice(0, end) });
    if (fits(shown, BUDGET) !== undefined) return shown;
  }
}
