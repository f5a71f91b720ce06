/** What the agent does in each session: the same work with the naive server and with the shaped one. */

export const QUERY = "wheat";

/** The naive server has one answer to each question: everything. Gives the article that was opened. */
export async function workNaively(call) {
  await call("list", "list_articles", {});
  const found = await call("search", "search", { query: QUERY });
  await call("a series", "weather", {});
  await call("a grid", "sweep", {});
  return call("open one", "get_article", { slug: found[0].slug });
}

/** The shaped server answers in pages and names the next call, which the agent makes. Returns what it has read. */
export async function workShaped(call) {
  const list = await call("list", "list_articles", {});
  await call("next page", ...byReader(list.nextCursor));
  await call("narrow the fields", "read_result", { handle: list.uri, fields: ["title"], pageSize: 50 });
  const found = await call("search", "search", { query: QUERY });
  await call("a series", "weather", {});
  await call("a grid", "sweep", {});
  const { slug } = found.items[0];
  const article = await call("open one", "get_article", { slug });
  const {
    _uri: handle,
    _elisions: [{ pointer }],
  } = article;
  const { lines } = await call("in short", "summarize", { handle, pointer });
  return { slug, lines, body: await readBack(call, handle, pointer) };
}

/** Reads a text from the store, piece after piece; gives all of it. */
async function readBack(call, handle, pointer) {
  let [text, cursor] = ["", undefined];
  do {
    const piece = await call("read on", "read_result", { handle, pointer, ...(cursor && { cursor }) });
    text += piece.preview;
    cursor = piece.nextCursor;
  } while (cursor);
  return text;
}

/** Asks for a series and a grid in full, page after page; gives the entries of each. */
export async function readInFull(call) {
  const entries = {};
  for (const [tool, bulk] of [
    ["weather", "entries"],
    ["sweep", "cells"],
  ]) {
    entries[tool] = [];
    let cursor;
    do {
      const page = await call("in full", tool, { output: "full", pageSize: 100, ...(cursor && { cursor }) });
      entries[tool].push(...page[bulk]);
      cursor = page.nextCursor;
    } while (cursor);
  }
  return entries;
}

/** Where a cursor goes: from a shaped server to its reader, as the notes say; from one that pages by keys to the tool. */
export const byReader = (cursor) => ["read_result", { cursor }];
export const byTool = (cursor) => ["list_articles", { cursor }];

/**
 * Follows the cursor from the first page of the list to the last, and lets something happen in between; gives all rows
 * in the order in which they came.
 */
export async function readAllPages(call, follow, between = () => {}) {
  const rows = [];
  let next = ["list_articles", {}];
  while (next) {
    const page = await call("all pages", ...next);
    rows.push(...page.items);
    next = page.nextCursor && follow(page.nextCursor);
    if (next) between(rows.at(-1));
  }
  return rows;
}
