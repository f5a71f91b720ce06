// Where a text is broken into lines when it is drawn. A model reads minified JSON; a person needs lines and indents. They
// are drawn and not written, so that what is selected, copied and counted is what the model reads.

import type { Node } from "./json_tree.js";

export interface Line {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
}

/** Values of at most this many characters are on one line. */
const NARROW = 54;

/** The lines of a text, which together are all of it. */
export function linesOf(text: string, tree: Node | undefined): Line[] {
  const breaks = tree === undefined ? [] : breaksOf(text, tree);
  if (tree === undefined)
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push([at + 1, 0]);
  const lines: Line[] = [];
  let [start, indent] = [0, 0];
  for (const [at, next] of [...breaks, [text.length, 0] as const]) {
    if (at > start) lines.push({ start, end: at, indent });
    [start, indent] = [at, next];
  }
  return lines;
}

/** Where lines begin, each with its indent. Short values follow each other on a line as far as there is room. */
function breaksOf(text: string, root: Node): [number, number][] {
  const breaks: [number, number][] = [];
  let begun = 0;
  const begin = (at: number, indent: number): void => void ((begun = at), breaks.push([at, indent]));
  const walk = (node: Node, depth: number): void => {
    if (isNarrow(node)) return;
    if (node.kind === "string") {
      // After each line break that a long string spells.
      for (const found of text.slice(node.start, node.end).matchAll(/(?<!\\)(?:\\\\)*\\n/g)) {
        const at = node.start + found.index + found[0].length;
        if (at < node.end - 1) begin(at, depth + 1);
      }
      return;
    }
    let follows = false;
    for (const { key, value } of node.entries) {
      const start = key?.start ?? value.start;
      const isShort = value.entries.length === 0 && value.end - start <= NARROW / 2;
      if (!(follows && isShort && value.end - begun <= NARROW)) begin(start, depth + 1);
      follows = isShort;
      walk(value, depth + 1);
    }
    if (node.entries.length > 0) begin(node.end - 1, depth);
  };
  walk(root, 0);
  return breaks;
}

function isNarrow({ start, end }: Node): boolean {
  return end - start <= NARROW;
}
