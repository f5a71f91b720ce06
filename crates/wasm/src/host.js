// Reads JavaScript values as JSON, and only the parts that the core asks for.
//
// The JSON is that of `JSON.stringify`, except where that would lose data silently or fail: Map, Set, BigInt, bytes,
// typed arrays, Error and RegExp have a form here, and any other value without a JSON form is refused with its name. A
// child is resolved once, when it is returned: its getter has run, `toJSON` was called, boxed primitives are unboxed. A
// resolved value is null, a boolean, a number, a bigint, a string, an array, a typed array, an object or a `Stand`;
// undefined is a value that JSON omits. Functions throw only `Refusal`.

import { copyUnits, isPair, pairs } from "./utf16.js";

export const [NULL, BOOL, NUMBER, STRING, ARRAY, OBJECT, ABSENT] = [0, 1, 2, 3, 4, 5, 6];

/** The depth to which a value is weighed; deeper values count as nothing, because the result is a lower bound. */
const WEIGHED_DEPTH = 256;
/** Bytes that are converted to base64 at a time: a multiple of three, and few enough to be arguments of one call. */
const BASE64_STEP = 3 * 8192;
/** The description of a string contains its length if the string is at most this long. */
const SOON = 256;
/** How hosts report that a string would be too long. No pattern: V8 aborts if it compiles one on a full stack. */
const TOO_LONG = ["string length", "allocation size", "Out of memory"];
/** In strings from this length on the core counts the characters. */
const LONG = 1 << 14;

const hasOwn = Object.prototype.hasOwnProperty;

/** What strings of one byte a character do not have, which the engine knows without looking. */
const WIDE = /[^\0-\xff]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Replaces a value without a JSON form of its own by an array, a string (of bytes) or an object (a Map). */
export class Stand {
  constructor(origin, kind, parts) {
    this.origin = origin;
    this.kind = kind;
    this.parts = parts;
  }
}

/**
 * Why a value cannot be read. `key` names the child with the error, unless the error is in the value itself. For a
 * cycle `up` is the number of levels up to the same value.
 */
class Refusal {
  constructor(key, reason, up) {
    this.key = key;
    this.reason = reason;
    this.up = up;
  }
}

/** Resolved values that are returned together: the value that contains them, and their keys if that is an object. */
class Held {
  constructor(origin, above, values, keys) {
    this.origin = origin;
    this.above = above;
    this.values = values;
    this.keys = keys;
  }
}

/** The given value, resolved and held. */
export function root(value) {
  const resolved = guarded(undefined, () => resolve(value, ""));
  return resolved === undefined
    ? refuse(`${nameOf(value)} has no JSON form`)
    : new Held(undefined, undefined, [resolved]);
}

/** At most `max` items of a list from `start`, held. */
export function items(held, at, start, max) {
  const list = held.values[at];
  const origin = enter(held, list);
  const parts = partsOf(list);
  const end = Math.min(parts.length, start + max);
  const found = [];
  for (let at = start; at < end; at++) found.push(item(parts, at));
  return new Held(origin, held, found);
}

/** The entries of an object, held. */
export function entries(held, at) {
  const object = held.values[at];
  const origin = enter(held, object);
  const keys = [];
  const found = [];
  for (const key of keysOf(object)) {
    const value = entry(object, key);
    if (value === undefined) continue;
    keys.push(key);
    found.push(value);
  }
  return new Held(origin, held, found, keys);
}

/** The origin of a value; throws a `Refusal` if a value contains itself. */
export function enter(held, value) {
  const origin = originOf(value);
  let up = 1;
  for (let around = held; around.above !== undefined; around = around.above, up++) {
    if (around.origin === origin) throw new Refusal(undefined, "it is a cycle", up);
  }
  return origin;
}

/**
 * For each value: its kind as the core's number; then what is cheap to find, the text of a number or a word, or the
 * length of a list or a short string; then a space. The keys follow as a JSON array.
 */
export function described({ values, keys }) {
  let text = "";
  for (const value of values) {
    const of = kind(value);
    text += of;
    if (of === STRING) {
      if (value.length <= SOON) text += charsOf(value);
    } else if (of === ARRAY) text += lengthOf(partsOf(value));
    else if (of !== OBJECT && typeof value !== "bigint") text += value;
    text += " ";
  }
  return keys === undefined ? text : text + JSON.stringify(keys);
}

/** The length of a list, which a proxy may refuse to tell, or tell wrongly. */
function lengthOf({ length }) {
  return Number.isSafeInteger(length) && length >= 0 ? length : refuse("its length is not a number");
}

/** The kind of a resolved value. */
export function kind(value) {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "number":
    case "bigint":
      return NUMBER;
    case "string":
      return STRING;
    case "object":
      if (value === null) return NULL;
      if (value instanceof Stand) return value.kind;
      return isList(value) ? ARRAY : OBJECT;
    default:
      return ABSENT;
  }
}

/**
 * The length of a resolved string in Unicode scalar values; a lone surrogate is one. -1 for a long string if the core is to
 * count them.
 */
export function chars(held, at) {
  const text = held.values[at];
  if (text instanceof Stand || text.length < LONG) return charsOf(text);
  return WIDE.test(text) ? -1 : text.length;
}

/** Writes the UTF-16 units of a resolved string from one on; returns how many. */
export function units(held, at, start, into) {
  return copyUnits(held.values[at], start, into);
}

/**
 * A slice of a string's JSON literal, without quotes. The string has `total` characters; if these are its UTF-16 units, so are
 * the places of the slice.
 */
export function slice(held, at, start, end, total) {
  const text = held.values[at];
  if (start >= end) return "";
  if (text instanceof Stand) return base64Slice(text.parts, start, end);
  const unitOf = (index) => (total === text.length ? index : unitOfChar(text, index));
  return JSON.stringify(text.slice(unitOf(start), unitOf(end))).slice(1, -1);
}

/** The start of a string's JSON literal, without quotes: at most `max` characters, for which the rest is not looked at. */
export function start(held, at, max) {
  const text = held.values[at];
  if (text instanceof Stand) return base64Slice(text.parts, 0, Math.min(max, charsOf(text)));
  let end = 0;
  for (let left = max; left > 0 && end < text.length; left--) end += isPair(text, end) ? 2 : 1;
  return JSON.stringify(text.slice(0, end)).slice(1, -1);
}

/** A lower bound of the bytes of a resolved value's JSON text; 0 if the value cannot be read. */
export function minBytes(held, at, enough) {
  try {
    return weigh(held.values[at], enough, []);
  } catch {
    // The caller that then reads the text gets the error and its place.
    return 0;
  }
}

/**
 * The JSON text of a resolved value from the host's built-in functions, if it has at most `most` bytes, else an empty text;
 * undefined if that could differ from the JSON of this file.
 */
export function json(held, at, depthLeft, most) {
  return jsonOf(held.values[at], depthLeft, most);
}

function jsonOf(value, depthLeft, most) {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof Stand) return value.kind === STRING ? `"${base64(value.parts)}"` : undefined;
  try {
    if (typeof value.toJSON === "function") return undefined;
    const bytes = plainBytes(value, [], depthLeft, most);
    return bytes < 0 ? undefined : bytes > most ? "" : JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError && TOO_LONG.some((words) => error.message.includes(words))) {
      throw new Refusal(undefined, "its JSON text is longer than this host can hold");
    }
    // If a getter throws, the core's walk over the value throws again and reports the place.
    return undefined;
  }
}

/** The characters of a resolved string. */
export function text(held, at) {
  const value = held.values[at];
  return value instanceof Stand ? base64(value.parts) : value;
}

/**
 * All of a resolved value as a store holds it: JSON, or the characters of a text, in which a lone surrogate is
 * replaced. Undefined if the host's JSON could differ from that of this file.
 */
export function whole(held, at, isText, depthLeft) {
  if (!isText) return jsonOf(held.values[at], depthLeft, Infinity);
  const own = text(held, at);
  return (own.isWellFormed?.() ?? !LONE_SURROGATE.test(own))
    ? own
    : own.replace(new RegExp(LONE_SURROGATE, "gu"), "\ufffd");
}

// Resolving

/** Calls a function that may run foreign code; if it throws, the error names the child. */
export function guarded(key, read) {
  try {
    return read();
  } catch (error) {
    throw new Refusal(key, error instanceof Refusal ? error.reason : `reading it threw ${wordsOf(error)}`);
  }
}

function refuse(reason) {
  throw new Refusal(undefined, reason);
}

function wordsOf(error) {
  try {
    return String(error);
  } catch {
    return "something that cannot be shown";
  }
}

function item(parts, at) {
  return guarded(at, () => resolve(parts[at], at) ?? null);
}

function entry(object, key) {
  return guarded(key, () => resolve(member(object, key), key));
}

/** The value as JSON serializes it, after `toJSON`; undefined if JSON omits it. */
export function resolve(value, key) {
  const type = typeof value;
  if (type === "string" || type === "boolean" || value === null) return value;
  if ((type !== "object" && type !== "function" && type !== "bigint") || ArrayBuffer.isView(value)) return form(value);
  const toJSON = value.toJSON;
  return form(typeof toJSON === "function" ? toJSON.call(value, String(key)) : value);
}

function form(value) {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? value : null;
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "object":
      return value === null || (Array.isArray(value) ? lengthOf(value) >= 0 : isRecord(value)) ? value : special(value);
    default:
      return undefined;
  }
}

/** Whether `JSON.stringify` shows all data of an object: it is not an instance of a built-in class. */
function isRecord(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || tagOf(value) === "Object";
}

function special(value) {
  const tag = tagOf(value);
  try {
    const made = formOf(value, tag);
    if (made !== undefined) return made;
  } catch {
    // The value has the tag of a built-in class, but is not an instance of it.
  }
  if (Object.keys(value).length > 0) return value;
  return refuse(`${nameOf(value)} has no JSON form${tag === "Promise" ? "; await it first" : ""}`);
}

function formOf(value, tag) {
  switch (tag) {
    case "Number":
      return form(Number(value));
    case "String":
      return String(value);
    case "Boolean":
      return Boolean.prototype.valueOf.call(value);
    case "BigInt":
      return BigInt.prototype.valueOf.call(value);
    case "RegExp":
      return String(value);
    case "Set":
      return new Stand(value, ARRAY, Array.from(Set.prototype.values.call(value)));
    case "Map":
      return mapStand(value);
    case "Error":
    case "DOMException":
      return new Stand(
        value,
        OBJECT,
        new Map([
          ["name", String(value.name)],
          ["message", String(value.message)],
        ]),
      );
    case "ArrayBuffer":
    case "SharedArrayBuffer":
      return new Stand(value, STRING, new Uint8Array(value));
    case "DataView":
    case "Uint8Array":
      return new Stand(value, STRING, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    default:
      return ArrayBuffer.isView(value) ? value : undefined;
  }
}

function mapStand(map) {
  for (const key of Map.prototype.keys.call(map)) {
    if (typeof key !== "string") return new Stand(map, ARRAY, Array.from(Map.prototype.entries.call(map)));
  }
  return new Stand(map, OBJECT, map);
}

// Taking apart

export function isList(value) {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function originOf(value) {
  return value instanceof Stand ? value.origin : value;
}

export function partsOf(list) {
  return list instanceof Stand ? list.parts : list;
}

function keysOf(object) {
  if (object instanceof Stand) return Map.prototype.keys.call(object.parts);
  return guarded(undefined, () => Object.keys(object));
}

export function member(object, key) {
  return object instanceof Stand ? Map.prototype.get.call(object.parts, key) : object[key];
}

function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function nameOf(value) {
  if (value === undefined) return "undefined";
  const name = typeof value === "object" ? tagOf(value) : typeof value;
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}

/** The members of a resolved array or object that JSON shows: their keys, if they have keys, and their values. */
export function membersOf(value) {
  const parts = partsOf(value);
  if (isList(parts)) return { values: parts };
  const [keys, values] = partsOfObject(value);
  let kept = 0;
  for (let at = 0; at < keys.length; at++) {
    const child = resolve(values[at], keys[at]);
    if (child === undefined) continue;
    if (kept < at) keys[kept] = keys[at];
    values[kept++] = child;
  }
  // Setting a length takes longer than most objects.
  if (kept < keys.length) keys.length = values.length = kept;
  return { keys, values };
}

/** The keys of an object and what it has under them, not resolved. */
function partsOfObject(object) {
  if (object instanceof Stand) return [Array.from(keysOf(object)), Array.from(Map.prototype.values.call(object.parts))];
  const [keys, values] = [Object.keys(object), Object.values(object)];
  // A getter that removes or adds members is no reason to mix them up.
  return keys.length === values.length ? [keys, values] : [keys, keys.map((key) => object[key])];
}

/** How many entries of an object JSON shows. */
export function countOf(object) {
  const [keys, values] = partsOfObject(object);
  let count = 0;
  for (let at = 0; at < keys.length; at++) {
    if (resolve(values[at], keys[at]) !== undefined) count++;
  }
  return count;
}

// Weighing, and checking whether `JSON.stringify` gives the same result

function weigh(value, enough, above) {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number" || typeof value === "bigint") return 1;
  if (typeof value !== "object" || value === null) return 4;
  if (value instanceof Stand && value.kind === STRING) return base64Length(value.parts) + 2;
  const origin = originOf(value);
  if (above.includes(origin)) refuse("it contains itself");
  if (above.length === WEIGHED_DEPTH) return 2;
  above.push(origin);
  let bytes = 1;
  if (isList(partsOf(value))) {
    const parts = partsOf(value);
    for (let at = 0; at < parts.length && bytes <= enough; at++) {
      const item = resolve(parts[at], at);
      bytes += 1 + (item === undefined ? 4 : weigh(item, enough - bytes, above));
    }
  } else {
    for (const key of keysOf(value)) {
      const child = resolve(member(value, key), key);
      if (child !== undefined) bytes += 4 + key.length + weigh(child, enough - bytes, above);
      if (bytes > enough) break;
    }
  }
  above.pop();
  return Math.max(bytes, 2);
}

/**
 * A lower bound of the bytes that `JSON.stringify` gives for an array or object, counted to a little over `enough`; -1 if its
 * text could differ from that of this file.
 */
function plainBytes(value, above, depthLeft, enough) {
  if (depthLeft <= 0 || above.includes(value)) return -1;
  above.push(value);
  let bytes = 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && bytes <= enough; at++) {
      const size = plainChild(value[at], at, above, depthLeft - 1, enough - bytes);
      if (size < 0) return -1;
      bytes += 1 + size;
    }
  } else if (isRecord(value)) {
    // Twice as fast as a list of the keys.
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      if (bytes > enough) break;
      const size = plainChild(value[key], key, above, depthLeft - 1, enough - bytes);
      if (size < 0) return -1;
      if (size > 0) bytes += 4 + key.length + size;
    }
  } else {
    return -1;
  }
  above.pop();
  return Math.max(bytes, 2);
}

/** The same for any value in an array or object; 0 for one that an object omits. */
function plainChild(value, key, above, depthLeft, enough) {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "bigint":
      return -1;
    case "function":
      return value.toJSON === undefined ? 0 : -1;
    case "object":
      break;
    default:
      return value === undefined || typeof value === "symbol" ? 0 : 1;
  }
  if (value === null) return 4;
  const toJSON = value.toJSON;
  if (typeof toJSON !== "function") return plainBytes(value, above, depthLeft, enough);
  if (ArrayBuffer.isView(value)) return -1;
  if (toJSON === Date.prototype.toJSON && value instanceof Date) return 4;
  const made = toJSON.call(value, String(key));
  if (typeof made === "object" && made !== null) return plainBytes(made, above, depthLeft, enough);
  return typeof made === "bigint" ? -1 : 0;
}

// Strings and bytes

export function charsOf(text) {
  if (text instanceof Stand) return base64Length(text.parts);
  return text.length - pairs(text);
}

/** The UTF-16 unit with which a character of a short string begins. */
function unitOfChar(text, index) {
  let unit = 0;
  for (let left = index; left > 0; left--) unit += isPair(text, unit) ? 2 : 1;
  return unit;
}

const base64Length = (bytes) => Math.ceil(bytes.length / 3) * 4;

function base64Slice(bytes, start, end) {
  const first = Math.floor(start / 4);
  return base64(bytes.subarray(first * 3, Math.ceil(end / 4) * 3)).slice(start - first * 4, end - first * 4);
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += BASE64_STEP) {
    text += btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + BASE64_STEP)));
  }
  return text;
}
