// Estimates the lengths of JSON texts of JavaScript values, many in one call, with exactly the results of
// `crates/json/src/lengths.rs`.

import { ARRAY, OBJECT, STRING, charsOf, countOf, kind, membersOf, resolve } from "./host.js";

const [SCALAR, ITEM, ENTRY] = [8, 8, 24];
const SMALL = 8;
const ITEM_ROOM = 16;
const LEVELS = 16;

/**
 * The estimates of `lengths.rs` for members of a resolved value: for each member its length, then 1 if all of
 * it was visited. Undefined if something throws.
 */
export function lengths(held, at, places, room) {
  try {
    const found = new Float64Array(2 * places.length);
    const look = { left: room, isAll: true };
    const members = membersOf(held.values[at]);
    for (let nth = 0; nth < places.length; nth++) {
      look.isAll = true;
      found[2 * nth] = lengthOfShare(members, places[nth], places.length - nth, look, LEVELS);
      found[2 * nth + 1] = look.isAll ? 1 : 0;
    }
    return found;
  } catch {
    // The caller that then reads the members gets the error and its place.
    return undefined;
  }
}

/** The estimate of `lengths.rs` for a resolved value by itself, as a pair like those of `lengths`. */
export function length(held, at, room) {
  try {
    const look = { left: room, isAll: true };
    const found = 1 + lengthOf(held.values[at], look, LEVELS);
    return Float64Array.of(found, look.isAll ? 1 : 0);
  } catch {
    // As for `lengths`.
    return undefined;
  }
}

/** The length of a member; `among` members share the remaining room. */
function lengthOfShare({ keys, values }, at, among, look, levels) {
  const kept = look.left - Math.floor(look.left / among);
  look.left -= kept;
  const length =
    keys === undefined
      ? 1 + lengthOf(resolve(values[at], at) ?? null, look, levels)
      : charsOf(keys[at]) + 4 + lengthOf(values[at], look, levels);
  look.left += kept;
  return length;
}

function lengthOf(value, look, levels) {
  if (typeof value === "string") return charsOf(value) + 2;
  if (typeof value !== "object" || value === null) return SCALAR;
  const of = kind(value);
  if (of === STRING) return charsOf(value) + 2;
  if (of === OBJECT && look.left < SMALL) {
    const count = countOf(value);
    if (count > look.left) {
      look.isAll = false;
      return 2 + count * ENTRY;
    }
  }
  const members = membersOf(value);
  const count = members.values.length;
  let most = of === ARRAY ? Math.ceil(look.left / ITEM_ROOM) : look.left;
  if (count <= Math.min(SMALL, look.left)) most = count;
  if (levels === 0) most = 0;
  const taken = Math.min(count, most);
  if (taken === 0) {
    if (count > 0) look.isAll = false;
    return 2 + count * (of === ARRAY ? ITEM : ENTRY);
  }
  if (taken < count) look.isAll = false;
  look.left -= taken;
  let found = 0;
  for (let nth = 0; nth < taken; nth++) {
    const at = taken === count ? nth : Math.floor(((2 * nth + 1) * count) / (2 * taken));
    found += lengthOfShare(members, at, taken - nth, look, levels - 1);
  }
  return 2 + (found / taken) * count;
}
