// The parts of a minified JSON text, as they are spelled: no number and no escape is read and written again.

/** The members of an object: key literals, and values. */
export function members(text: string): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 1; at < text.length && text[at] !== "}"; ) {
    const colon = endOf(text, at);
    const end = endOf(text, colon + 1);
    found.push([text.slice(at, colon), text.slice(colon + 1, end)]);
    at = end + (text[end] === "," ? 1 : 0);
  }
  return found;
}

/** The items of an array. */
export function items(text: string): string[] {
  const found: string[] = [];
  for (let at = 1; at < text.length && text[at] !== "]"; ) {
    const end = endOf(text, at);
    found.push(text.slice(at, end));
    at = end + (text[end] === "," ? 1 : 0);
  }
  return found;
}

const PARTS = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^[\]{},:"]+/gy;

/** The end of the value that begins at a place. */
function endOf(text: string, start: number): number {
  PARTS.lastIndex = start;
  for (let depth = 0; ; ) {
    const part = PARTS.exec(text)?.[0];
    if (part === undefined) throw new Error("this is not minified JSON");
    if (part === "[" || part === "{") depth++;
    else if (part === "]" || part === "}") depth--;
    if (depth === 0) return PARTS.lastIndex;
    while (text[PARTS.lastIndex] === "," || text[PARTS.lastIndex] === ":") PARTS.lastIndex++;
  }
}
