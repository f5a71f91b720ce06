// Reads strings as the UTF-16 units that JavaScript has: which of their characters take two, and how they are written as UTF-8.

/** A character of two UTF-16 units. */
const PAIR = /[\u{10000}-\u{10ffff}]/gu;
/** After this many units without a pair, searching for the next pair is faster than stepping to it. */
const NEAR = 32;
/** A place is kept per this many units of a long string. */
const STEP = 1 << 12;

const encoder = new TextEncoder();

/** Writes a text as UTF-8 from a unit on; returns the next unit and the number of written bytes. */
export function encode(text, start, into) {
  let end = Math.min(start + Math.floor(into.length / 3), text.length);
  if (end < text.length && isPair(text, end - 1)) end--;
  return Uint32Array.of(end, encoder.encodeInto(text.slice(start, end), into).written);
}

/** How many characters of a string take two units; `places` gets some of them. */
export function pairs(text, places) {
  // A search by the engine is several times faster than a loop, and finds at once that a one-byte text has none.
  let found = 0;
  PAIR.lastIndex = 0;
  while (PAIR.test(text)) {
    let at = PAIR.lastIndex;
    places?.add(at - 2, found);
    found++;
    // A pair is often followed by more pairs, and starting a search costs as much as many steps.
    for (let end = at + NEAR; at < end && at < text.length - 1; at++) {
      if (!isPair(text, at)) continue;
      places?.add(at, found);
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

/** Where characters of a long string begin that take two units: one of them after each run of this many units without a place. */
export class Places {
  // For each place its unit, and how many such characters precede it.
  units = [0];
  pairs = [0];
  // Where the last such character ended.
  end = 0;

  add(unit, pairs) {
    if (unit - this.end >= STEP) this.put(this.end, pairs);
    if (unit - this.units[this.units.length - 1] >= STEP) this.put(unit, pairs);
    this.end = unit + 2;
  }

  put(unit, pairs) {
    if (unit === this.units[this.units.length - 1]) return;
    this.units.push(unit);
    this.pairs.push(pairs);
  }

  /** The unit at which character `index` of the string begins. */
  unitOf(text, index) {
    let [low, high] = [0, this.units.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.units[middle] - this.pairs[middle] <= index) low = middle;
      else high = middle;
    }
    let unit = this.units[low];
    let left = index - (unit - this.pairs[low]);
    // Where the next place has as many before it, all characters up to it take one unit; so do those after the last pair.
    if (low + 1 < this.units.length && this.pairs[low + 1] === this.pairs[low]) return unit + left;
    for (; left > 0; left--) {
      if (unit >= this.end) return unit + left;
      unit += isPair(text, unit) ? 2 : 1;
    }
    return unit;
  }
}
