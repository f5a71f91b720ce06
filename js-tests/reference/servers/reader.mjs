// A caller that knows only results, and follows their notes until it has the whole.

import assert from "node:assert/strict";
import { expand } from "toolshape";
import { fits, textOf } from "./same.mjs";

/** Calls after which a reader that does not get on is given up. */
const MOST_CALLS = 3000;
/** The steps that say what a text was read as. */
const STRUCTURES = new Set([
  "csv",
  "tsv",
  "table",
  "ndjson",
  "json",
  "events",
  "xml",
  "python",
  "yaml",
  "log",
  "trace",
  "markdown",
  "html",
]);
const HEADER =
  /^_(summarized|totalKeys|estimatedTokens|truncatedKeys|nextCursor|uri|storeFailed|note|page|omittedFields|moreElisions|elisions)$/;

export class Reader {
  calls = 0;
  #ask;

  /** `ask` calls the tool with these arguments for shaping, and gives the result. */
  constructor(ask) {
    this.#ask = ask;
  }

  /** The whole value at a JSON Pointer; of a text that is not JSON, the text. */
  async whole(pointer = "") {
    const { value, steps } = await this.#read(pointer);
    // A text inside a value is asked for as it is.
    if (pointer !== "" && steps.some((step) => STRUCTURES.has(step))) return this.text(pointer);
    if (steps.includes("truncate")) return this.#text(pointer, value);
    if (value?.paginated === true) return this.#list(pointer, value);
    if (value?._page !== undefined) return this.#envelope(pointer, value);
    if (value?._summarized === true) return this.#object(pointer, value);
    return value;
  }

  /** A text as it is, whatever it is read as. */
  async text(pointer = "") {
    const { value, text, steps } = await this.#read(pointer, undefined, "text");
    return steps.includes("truncate") ? this.#text(pointer, value, "text") : text;
  }

  async #read(pointer, cursor, format) {
    assert.ok(++this.calls <= MOST_CALLS, `the reader does not get on at ${pointer}`);
    const result = await this.#ask({
      ...(pointer !== "" && { fields: [pointer] }),
      ...(cursor != null && { cursor }),
      ...(format !== undefined && { format }),
    });
    const text = textOf(result);
    assert.notEqual(result.isError, true, text);
    fits(result);
    return { value: parse(text), text, steps: result._meta?.["toolshape/receipt"]?.steps ?? [] };
  }

  async #text(pointer, first, format) {
    let whole = "";
    for (let value = first; ; { value } = await this.#read(pointer, value.nextCursor, format)) {
      loud(value, "truncated", "note", "preview");
      whole += value.preview;
      if (value.nextCursor == null) return whole;
    }
  }

  async #list(pointer, first) {
    // The rows of a map have keys.
    const [rows, isMap] = [[], !Array.isArray(first.items)];
    for (let value = first; ; { value } = await this.#read(pointer, value.nextCursor)) {
      loud(value, "paginated", "note", "items");
      for (const [at, row] of Object.entries(value.items)) {
        const key = isMap ? at : rows.length;
        rows.push([key, isShortened(key, row) ? await this.whole(`${pointer}/${escaped(String(key))}`) : row]);
      }
      assert.equal(value.hasMore, value.nextCursor !== null);
      if (value.nextCursor === null) {
        assert.equal(value.totalItems, rows.length);
        return isMap ? Object.fromEntries(rows) : rows.map(([, row]) => row);
      }
    }
  }

  async #envelope(pointer, value) {
    const list = value._page.pointer.slice(pointer.length);
    const whole = await this.#own(pointer, value, (key) => list === `/${escaped(key)}`);
    const isHere = (key) =>
      list === `/${escaped(key)}` || (list.startsWith(`/${escaped(key)}/`) && isJsonText(value[key]));
    assert.ok(Object.keys(whole).some(isHere), "lists lie one level deep here, or in a text");
    return whole;
  }

  async #object(pointer, first) {
    let whole = {};
    for (let value = first; ; { value } = await this.#read(pointer, value._nextCursor)) {
      loud(value, "_summarized", "_note");
      whole = { ...whole, ...(await this.#own(pointer, value, isShortened)) };
      if (value._nextCursor == null) return whole;
    }
  }

  /** The members that are the tool's own, those for which `isElsewhere` is true read there. */
  async #own(pointer, value, isElsewhere) {
    const members = Object.entries(value).filter(([key]) => !HEADER.test(key));
    const read = async ([key, member]) => [
      key,
      isElsewhere(key, member) || isShortened(key, member) ? await this.whole(`${pointer}/${escaped(key)}`) : member,
    ];
    const own = [];
    for (const entry of members) own.push(await read(entry));
    return Object.fromEntries(own);
  }
}

/** What is left out is named, and before the bulk, which the end of a text may follow. */
function loud(value, mark, note, bulk) {
  const keys = Object.keys(value);
  assert.equal(keys[0], mark);
  assert.ok(typeof value[note] === "string" && value[note].length > 0);
  if (bulk !== undefined)
    assert.equal(
      keys.findLast((key) => key !== "excerpt"),
      bulk,
    );
}

/** Whether a value is written as data is that is a string in the original. */
function isJsonText(value) {
  return typeof value === "object" && value !== null && (Object.keys(value)[0]?.startsWith("… JSON text of ") ?? false);
}

/** Whether a value, or one in it, is written as shortened values are. */
function isShortened(_key, value) {
  if (isJsonText(value)) return true;
  if (typeof value === "object" && value !== null)
    return Object.entries(value).some(([key, inside]) => isShortened(key, inside));
  return (
    typeof value === "string" && (value.endsWith("…") || /^(\[Array\(|\{Object: |\[Number\(|… )| more$/.test(value))
  );
}

const escaped = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");

function parse(text) {
  try {
    return JSON.parse(expand(text));
  } catch {
    return text;
  }
}
