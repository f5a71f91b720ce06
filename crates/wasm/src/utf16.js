// Reads strings as the UTF-16 units that JavaScript has: which of their characters take two, and how they are copied into the core.

/** A character of two UTF-16 units. */
const PAIR = /[\u{10000}-\u{10ffff}]/gu;
/** After this many units without a pair, searching for the next pair is faster than stepping to it. */
const NEAR = 32;

const encoder = new TextEncoder();

/** Writes a text as UTF-8 from a unit on; returns the next unit and the number of written bytes. */
export function encode(text, start, into) {
  let end = Math.min(start + Math.floor(into.length / 3), text.length);
  if (end < text.length && isPair(text, end - 1)) end--;
  return Uint32Array.of(end, encoder.encodeInto(text.slice(start, end), into).written);
}

/** Writes the units of a text from one on; returns how many. */
export function copyUnits(text, start, into) {
  const part = text.slice(start, start + into.length);
  const { Buffer } = globalThis;
  // It copies at once what a loop takes unit by unit.
  if (Buffer !== undefined) Buffer.from(into.buffer, into.byteOffset, into.byteLength).write(part, "utf16le");
  else for (let at = 0; at < part.length; at++) into[at] = part.charCodeAt(at);
  return part.length;
}

/** How many characters of a string take two units. */
export function pairs(text) {
  // A search by the engine is several times faster than a loop, and finds at once that a one-byte text has none.
  let found = 0;
  PAIR.lastIndex = 0;
  while (PAIR.test(text)) {
    let at = PAIR.lastIndex;
    found++;
    // A pair is often followed by more pairs, and starting a search costs as much as many steps.
    for (let end = at + NEAR; at < end && at < text.length - 1; at++) {
      if (!isPair(text, at)) continue;
      found++;
      at++;
      end = at + NEAR;
    }
    PAIR.lastIndex = at;
  }
  return found;
}

export function isPair(text, at) {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
