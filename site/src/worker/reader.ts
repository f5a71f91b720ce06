// A caller of `read_result` that knows nothing but what the answers show, and rebuilds what was stored.

import { expand } from "toolshape";
import type { Read } from "../protocol.js";
import { items, members } from "./literals.js";

type Args = Readonly<Record<string, unknown>>;

/** The keys before those of a summarized object. */
const HEADER = new Set(
  "_summarized _totalKeys _estimatedTokens _truncatedKeys _nextCursor _note _page _omittedFields _moreElisions _elisions"
    .split(" ")
    .map((key) => JSON.stringify(key)),
);
/** The steps that say what a text was read as. The text itself is asked for. */
const STRUCTURES = new Set(
  "csv tsv table ndjson json events xml yaml log trace run markdown html base64 terminal".split(" "),
);

export class Reader {
  calls = 0;
  mostTokens = 0;
  readonly #ask: (args: Args) => Promise<Read>;
  readonly #onCall: (calls: number) => void;

  constructor(ask: (args: Args) => Promise<Read>, onCall: (calls: number) => void) {
    [this.#ask, this.#onCall] = [ask, onCall];
  }

  /** The stored text. */
  async text(): Promise<string> {
    const args = { format: "text" };
    const read = await this.#read(args);
    return read.receipt.steps.includes("truncate")
      ? (JSON.parse(await this.#stretches(args, read)) as string)
      : read.text;
  }

  /** The stored JSON text of the part at a pointer. */
  async json(pointer = ""): Promise<string> {
    let args: Args = pointer === "" ? {} : { pointer };
    let read = await this.#read(args);
    if (read.receipt.steps.some((step) => STRUCTURES.has(step))) {
      args = { ...args, format: "text" };
      read = await this.#read(args);
      if (!read.receipt.steps.includes("truncate")) return JSON.stringify(read.text);
    }
    const { steps } = read.receipt;
    if (steps.includes("truncate")) return this.#stretches(args, read);
    if (steps.includes("paginate")) {
      if (read.text.startsWith('{"paginated"')) return this.#list(pointer, args, read);
      const { pointer: paged } = JSON.parse(fact(read.text, "_page") as string) as { pointer: string };
      return this.#around(pointer, own(read.text), paged);
    }
    return steps.includes("summarize") ? this.#object(pointer, args, read) : read.text;
  }

  async #read(args: Args): Promise<Read> {
    const read = await this.#ask(args);
    if (read.isError) throw new Error(`${JSON.stringify(args)}: ${read.text}`);
    this.mostTokens = Math.max(this.mostTokens, read.receipt.tokensAfter);
    this.#onCall(++this.calls);
    return read.receipt.steps.includes("columns") ? { ...read, text: expand(read.text) } : read;
  }

  /** A text, put together from its stretches, as a JSON literal. */
  async #stretches(args: Args, first: Read): Promise<string> {
    let whole = "";
    for (let read = first; ; ) {
      const of = new Map(members(read.text));
      whole += (of.get('"preview"') as string).slice(1, -1);
      const cursor = JSON.parse(of.get('"nextCursor"') as string) as string | null;
      if (cursor === null) return `"${whole}"`;
      read = await this.#read({ ...args, cursor });
    }
  }

  async #list(pointer: string, args: Args, first: Read): Promise<string> {
    const rows: string[] = [];
    for (let read = first; ; ) {
      const of = new Map(members(read.text));
      const shown = of.get('"items"') as string;
      // The rows of a map have keys.
      const isMap = shown.startsWith("{");
      if (isMap) for (const [key, row] of members(shown)) rows.push(`${key}:${await this.#whole(pointer, key, row)}`);
      else for (const row of items(shown)) rows.push(await this.#whole(pointer, String(rows.length), row));
      const cursor = JSON.parse(of.get('"nextCursor"') as string) as string | null;
      if (cursor === null) return isMap ? `{${rows.join()}}` : `[${rows.join()}]`;
      read = await this.#read({ ...args, cursor });
    }
  }

  async #object(pointer: string, args: Args, first: Read): Promise<string> {
    const all: [string, string][] = [];
    for (let read = first; ; ) {
      all.push(...own(read.text));
      const cursor = JSON.parse(fact(read.text, "_nextCursor") ?? "null") as string | null;
      if (cursor === null) break;
      read = await this.#read({ ...args, cursor });
    }
    const parts: string[] = [];
    for (const [key, value] of all) parts.push(`${key}:${await this.#whole(pointer, key, value)}`);
    return `{${parts.join()}}`;
  }

  /** An object on the way to a list that is paged in place. */
  async #around(pointer: string, all: [string, string][], paged: string): Promise<string> {
    const parts: string[] = [];
    for (const [key, value] of all) {
      const child = childOf(pointer, key);
      const isOnTheWay = paged.startsWith(`${child}/`) && !isJsonText(JSON.parse(value));
      const whole =
        child === paged
          ? this.json(child)
          : isOnTheWay
            ? this.#around(child, members(value), paged)
            : this.#whole(pointer, key, value);
      parts.push(`${key}:${await whole}`);
    }
    return `{${parts.join()}}`;
  }

  /** A value of an object or a list, which is asked for if it, or a value in it, is shortened. */
  async #whole(pointer: string, key: string, value: string): Promise<string> {
    return isShortened(JSON.parse(value)) ? this.json(childOf(pointer, key)) : value;
  }
}

/** What a summarized object says about itself. */
function fact(text: string, name: string): string | undefined {
  return members(text).find(([key]) => key === JSON.stringify(name))?.[1];
}

/** The members of a summarized object that are the original's. */
function own(text: string): [string, string][] {
  const all = members(text);
  const header = all.findIndex(([key]) => !HEADER.has(key));
  const rest = header === -1 ? [] : all.slice(header);
  const [first] = rest;
  return first?.[0] === '"_value"' ? members(first[1]) : rest;
}

/** Whether a value is written as data that is a string in the original. */
function isJsonText(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Object.keys(value)[0] ?? "").startsWith("… JSON text of ");
}

const MARKS = ["[Array(", "{Object: ", "[Number(", "… "];

function isShortened(value: unknown): boolean {
  if (typeof value === "string")
    return value.endsWith("…") || value.endsWith(" more") || MARKS.some((mark) => value.startsWith(mark));
  if (typeof value !== "object" || value === null) return false;
  return isJsonText(value) || Object.values(value).some(isShortened);
}

/** The pointer to an entry, whose key has its quotes, or to an item. */
function childOf(pointer: string, key: string): string {
  const name = key.startsWith('"') ? (JSON.parse(key) as string) : key;
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
