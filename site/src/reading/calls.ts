// What a result says that a model may call next: its cursors, pointers, handles, suggested questions and places in a text,
// each with the arguments of `read_result` that it makes.

import type { Entry, Node } from "./json_tree.js";

export type Args = Readonly<Record<string, unknown>>;

export interface Offer {
  readonly start: number;
  readonly end: number;
  readonly args: Args;
  /** What the call does, in a few words. */
  readonly what: string;
}

/** The offers of a result, in their order. `asked` is the call of `read_result` that it answers; undefined for a tool's result. */
export function offersOf(
  text: string,
  root: Node | undefined,
  handle: string | null,
  asked: Args | undefined,
): Offer[] {
  if (root === undefined || handle === null) return [];
  const offers: Offer[] = [];
  const read = ({ start, end }: { start: number; end: number }): unknown => JSON.parse(text.slice(start, end));
  const offer = ({ start, end }: Node, what: string, args: Args): void => void offers.push({ start, end, args, what });
  const goOn = (cursor: string): Args => {
    const { cursor: _, ...again } = asked ?? {};
    return { ...again, cursor };
  };
  const member = (key: string, value: Node, among: readonly Entry[]): boolean => {
    if (value.kind === "object") {
      if (key === "ask") return (offer(value, "ask about all rows", read(value) as Args), true);
      if (key === "suggest")
        return (offer(value, "ask with these arguments", { handle, ...(read(value) as Args) }), true);
      return false;
    }
    if (value.kind === "array" && /^_?outline$/u.test(key)) {
      for (const { value: line } of value.entries) {
        const heading = line.kind === "string" ? /^(?:\d+ )?#+ (.+)$/u.exec(read(line) as string)?.[1] : undefined;
        if (heading !== undefined) offer(line, "read this section", { handle, lines: heading });
      }
      return true;
    }
    if (value.kind !== "string") {
      const isPlace =
        key === "line" && value.kind === "literal" && among.some((other) => other.value.kind === "string");
      if (isPlace)
        offer(value, "read on from this line", { handle, lines: `${read(value)}-${Number(read(value)) + 30}` });
      return isPlace;
    }
    const content = read(value) as string;
    if (/^_?nextCursor$/u.test(key)) return (offer(value, "the next part", goOn(content)), true);
    if (key === "textCursor") return (offer(value, "the text itself", goOn(content)), true);
    if (/^_?uri$/u.test(key) && content.startsWith("toolshape://result/"))
      return (offer(value, "read the whole, from its start", { handle }), true);
    if (key === "pointer" && content.startsWith("/"))
      return (offer(value, "this value in full", { handle, pointer: content }), true);
    if (key === "lines" && /^\d+(?:-\d+)?$/u.test(content))
      return (offer(value, "read these lines", { handle, lines: content }), true);
    return false;
  };
  const walk = (node: Node): void => {
    const columns = columnsOf(node, read);
    for (const { key, value } of node.entries) {
      const name = key === undefined ? undefined : (read(key) as string);
      if (name === "rows" && columns !== undefined) {
        for (const { value: row } of value.entries) {
          row.entries.forEach((cell, at) => member(String(columns[at]), cell.value, row.entries) || walk(cell.value));
        }
      } else if (name === undefined || !member(name, value, node.entries)) walk(value);
    }
  };
  walk(root);
  return offers;
}

/** The names of the columns of a result that is written as columns. */
function columnsOf(node: Node, read: (node: Node) => unknown): unknown[] | undefined {
  const columns = node.entries.find(
    ({ key, value }) => key !== undefined && value.kind === "array" && read({ ...value, ...key }) === "columns",
  );
  return columns && (read(columns.value) as unknown[]);
}
