// Where the parts of a JSON text are: what is drawn is the text itself, and nothing is written again.

export interface Node {
  readonly kind: "object" | "array" | "string" | "literal";
  readonly start: number;
  readonly end: number;
  readonly entries: readonly Entry[];
}

/** An item of an array, or a member of an object with the place of its key. */
export interface Entry {
  readonly key: { readonly start: number; readonly end: number } | undefined;
  readonly value: Node;
}

const DEEPEST = 500;
const LITERAL = /[-+.\w]+/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;

/** The tree of a text; undefined if it is not a JSON object or array, or nests too deep to be drawn. */
export function treeOf(text: string): Node | undefined {
  let at = 0;
  const blank = (): void => {
    while (" \n\r\t".includes(text[at] ?? "x")) at++;
  };
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) throw new NoJson();
    return (at = pattern.lastIndex);
  };
  const value = (depth: number): Node => {
    blank();
    const start = at;
    const open = text[at];
    if (open !== "{" && open !== "[") {
      const kind = open === '"' ? "string" : "literal";
      return { kind, start, end: take(kind === "string" ? STRING : LITERAL), entries: [] };
    }
    if (depth === DEEPEST) throw new NoJson();
    const [kind, close] = open === "{" ? (["object", "}"] as const) : (["array", "]"] as const);
    const entries: Entry[] = [];
    at++;
    for (blank(); text[at] !== close; blank()) {
      if (entries.length > 0) {
        if (text[at] !== ",") throw new NoJson();
        at++;
        blank();
      }
      let key: Entry["key"];
      if (kind === "object") {
        key = { start: at, end: take(STRING) };
        blank();
        if (text[at] !== ":") throw new NoJson();
        at++;
      }
      entries.push({ key, value: value(depth + 1) });
    }
    return { kind, start, end: ++at, entries };
  };
  try {
    const root = value(0);
    blank();
    return at === text.length && root.kind !== "string" && root.kind !== "literal" ? root : undefined;
  } catch (error) {
    if (error instanceof NoJson) return undefined;
    throw error;
  }
}

class NoJson extends Error {}
