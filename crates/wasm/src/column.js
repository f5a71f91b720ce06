// Reads one field of each item of a list, all in one call, by the same rules as `src/value/numeric_column.rs`.

import { Stand, enter, guarded, isList, member, partsOf, resolve } from "./host.js";

const NUMBER_CHARS = 64;
const JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const INDEX = /^(0|[1-9][0-9]*)$/;

/** The number at a path in each item of a list, NaN if there is none; by the rules of `numeric_column.rs`. */
export function column(held, at, path) {
  enter(held, held.values[at]);
  const parts = partsOf(held.values[at]);
  const numbers = new Float64Array(parts.length);
  for (let at = 0; at < parts.length; at++) {
    numbers[at] = guarded(at, () => numberOf(path.reduce(step, resolve(parts[at], at) ?? null)));
  }
  return numbers;
}

/** The child of a resolved value at a key or an index, resolved; undefined if there is none. */
function step(value, name) {
  if (typeof value !== "object" || value === null) return undefined;
  const parts = partsOf(value);
  if (isList(parts))
    return INDEX.test(name) && Number(name) < parts.length ? (resolve(parts[name], name) ?? null) : undefined;
  const isThere =
    value instanceof Stand
      ? parts instanceof Map && parts.has(name)
      : Object.prototype.propertyIsEnumerable.call(value, name);
  return isThere ? resolve(member(value, name), name) : undefined;
}

function numberOf(value) {
  const isNumber =
    typeof value === "number" ||
    typeof value === "bigint" ||
    (typeof value === "string" && value.length <= NUMBER_CHARS && JSON_NUMBER.test(value));
  const number = isNumber ? Number(value) : NaN;
  return Number.isFinite(number) ? number : NaN;
}
