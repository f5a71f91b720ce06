// Simulated models: small programs that know what results print, and nothing else. One host shows its model the texts
// of `content`; another shows `structuredContent`, the content only where there is none, and links next to either.

import { expand } from "toolshape";

const textOf = ({ content }) =>
  content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");

function parsed(text) {
  try {
    return JSON.parse(expand(text));
  } catch {
    return text;
  }
}

/** What hosts of each kind show of a result. */
export const HOSTS = {
  content: (result) => ({ value: parsed(textOf(result)), links: [] }),
  structuredContent: (result) => ({
    value: parsed(result.structuredContent ? JSON.stringify(result.structuredContent) : textOf(result)),
    links: result.content.filter(({ type }) => type === "resource_link"),
  }),
};

const at = (value, pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((inside, key) => inside[key], value);

/** What is printed, in a model's own words: rows or a text, of how many, and how to go on. */
function understood({ value, links }) {
  if (value.error !== undefined) throw new Error(value.error);
  if (value.truncated) return { text: value.preview, total: value.totalChars, next: value.nextCursor };
  const text = value._value ?? value;
  if (typeof text === "string") return { text, total: text.length };
  const page = value._page ?? value;
  if (page.totalItems !== undefined) {
    const { totalItems: total, pageSize, nextCursor: next, pointer = "" } = page;
    const rows = value.items ?? at(value._value ?? value, pointer);
    return { rows, total, pageSize, next, pointer, uri: value.uri ?? value._uri };
  }
  for (const { uri, description } of links) {
    const [, shown, total, pointer = ""] = /(\d+) of (\d+) rows(?: of (\S+))? are shown/.exec(description) ?? [];
    if (shown !== undefined) return { rows: at(value, pointer), total: Number(total), pointer, uri };
  }
  return { rows: Array.isArray(value) ? value : Object.values(value).find(Array.isArray) };
}

/** A model that calls tools and is shown their results as `host` shows them. */
export class Model {
  #client;
  #host;

  constructor(client, host) {
    [this.#client, this.#host] = [client, host];
  }

  async #call(name, args) {
    return understood(this.#host(await this.#client.callTool({ name, arguments: args })));
  }

  /** How many rows a tool's list has, and how many of them the first call shows. */
  async counts(name) {
    const { rows, total } = await this.#call(name, {});
    return { shown: rows.length, total };
  }

  /** The row of a number as its page shows it, and what leads to its parts. */
  async row(name, number) {
    let [tool, args] = [name, {}];
    let shown = await this.#call(tool, args);
    const { pointer, uri } = shown;
    // Where nothing says how to go on but a link, that is the way.
    if (shown.pageSize === undefined && uri !== undefined) {
      [tool, args] = ["read_result", { handle: uri, pointer }];
      shown = await this.#call(tool, args);
    }
    const page = Math.floor(number / shown.pageSize) + 1;
    let start = (page - 1) * shown.pageSize;
    if (page > 1) shown = await this.#call(tool, { ...args, page });
    while (number >= start + shown.rows.length) {
      start += shown.rows.length;
      shown = await this.#call(tool, { ...args, cursor: shown.next });
    }
    return { row: shown.rows[number - start], pointer: `${pointer}/${number}`, uri };
  }

  /** A text of a row to its end. */
  async text(name, number, member) {
    const { row, pointer, uri } = await this.row(name, number);
    // A field that is left out, the start of a text, or both of its ends.
    if (!/^undefined$|…$|^… of \d+ lines:\n/.test(row[member])) return row[member];
    const part = `${pointer}/${member}`;
    const [tool, args] =
      uri === undefined ? [name, { fields: [part] }] : ["read_result", { handle: uri, pointer: part }];
    let shown = await this.#call(tool, args);
    let { text, total } = shown;
    while (text.length < total) {
      shown = await this.#call(tool, { ...args, cursor: shown.next });
      text += shown.text;
    }
    return text;
  }
}
