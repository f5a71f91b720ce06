// What a JavaScript value is to JSON, read no further than it is asked for.
//
// It is what `JSON.stringify` makes of it, save where that loses something in silence or gives up: Map,
// Set, BigInt, bytes, typed arrays, Error and RegExp have a form here, and what has none is refused by
// name. A child is resolved once, when it is handed out: its getter has run, `toJSON` is done, boxes are
// open. Resolved is null, a boolean, a number, a bigint, a string, an array, a typed array, an object or
// a `Stand`; undefined is what JSON leaves out. Only `Refusal` is ever thrown.

export const [NULL, BOOL, NUMBER, STRING, ARRAY, OBJECT, ABSENT] = [0, 1, 2, 3, 4, 5, 6];

/** How far a weighing goes down; what lies deeper counts as nothing, which a lower bound may. */
const WEIGHED_DEPTH = 256;
/** Bytes that are made into base64 at a time: whole quanta, and few enough to be arguments of one call. */
const BASE64_STEP = 3 * 8192;
/** The length of a string that is not long is told with it. */
const SOON = 256;
/** How hosts word that a string would be too long. No pattern: V8 aborts on compiling one where the stack is full. */
const TOO_LONG = ["string length", "allocation size", "Out of memory"];
/** A character of two UTF-16 units. */
const PAIR = /[\u{10000}-\u{10ffff}]/gu;
/** After so many units without one, the next pair is rather searched for than walked to. */
const NEAR = 32;

const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new TextEncoder();

/** Stands for a value that JSON has no form for, as an array, a string (of bytes) or an object (a Map). */
export class Stand {
  constructor(origin, kind, parts) {
    this.origin = origin;
    this.kind = kind;
    this.parts = parts;
  }
}

/**
 * Why a value cannot be read; `key` names the child that it is about, if it is not the value itself; `up` says how many
 * steps up the value stands once more.
 */
class Refusal {
  constructor(key, reason, up) {
    this.key = key;
    this.reason = reason;
    this.up = up;
  }
}

/** Resolved values that are handed out together: what they stand in, and the keys under which, if it is an object. */
class Held {
  constructor(origin, above, values, keys) {
    this.origin = origin;
    this.above = above;
    this.values = values;
    this.keys = keys;
  }
}

/** The value that was handed in, resolved and held. */
export function root(value) {
  const resolved = guarded(undefined, () => resolve(value, ""));
  return resolved === undefined ? refuse(`${nameOf(value)} has no JSON form`) : new Held(undefined, undefined, [resolved]);
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

/** What a value stands for, unless it stands in itself. */
export function enter(held, value) {
  const origin = originOf(value);
  let up = 1;
  for (let around = held; around.above !== undefined; around = around.above, up++) {
    if (around.origin === origin) throw new Refusal(undefined, "it is a cycle", up);
  }
  return origin;
}

/**
 * Of each value its kind, by the number that it has in the core, then what is soon told: the text of a number or a
 * word, the length of a list or of a string that is not long; a space behind each. Then the keys, a JSON array.
 */
export function described({ values, keys }) {
  let text = "";
  for (const value of values) {
    const of = kind(value);
    text += of;
    if (of === STRING) {
      if (value.length <= SOON) text += charsOf(value);
    } else if (of === ARRAY) text += partsOf(value).length;
    else if (of !== OBJECT && typeof value !== "bigint") text += value;
    text += " ";
  }
  return keys === undefined ? text : text + JSON.stringify(keys);
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

/** The length of a resolved string in Unicode scalar values; a lone surrogate is one. */
export function chars(held, at) {
  return charsOf(held.values[at]);
}

/** The inside of the JSON literal of a stretch of a string that has `total` characters. */
export function slice(held, at, start, max, total) {
  const text = held.values[at];
  const end = Math.min(start + max, total);
  if (start >= end) return "";
  if (text instanceof Stand) return base64Slice(text.parts, start, end);
  const [from, to] = total === text.length ? [start, end] : [unitOf(text, start, total), unitOf(text, end, total)];
  return JSON.stringify(text.slice(from, to)).slice(1, -1);
}

/** A lower bound of the bytes of a resolved value's JSON text; 0 if it turns out to have none. */
export function minBytes(held, at, enough) {
  try {
    return weigh(held.values[at], enough, []);
  } catch {
    // Whoever then asks for the text is told what is wrong, and where.
    return 0;
  }
}

/** The JSON text of a resolved value by the host's own means; undefined where those do not do it justice. */
export function json(held, at, depthLeft) {
  return jsonOf(held.values[at], depthLeft);
}

function jsonOf(value, depthLeft) {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof Stand) return value.kind === STRING ? `"${base64(value.parts)}"` : undefined;
  try {
    if (typeof value.toJSON === "function" || !isPlain(value, [], depthLeft)) return undefined;
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError && TOO_LONG.some((words) => error.message.includes(words))) {
      throw new Refusal(undefined, "its JSON text is longer than this host can hold");
    }
    // A getter that throws is met again, and named, by whoever walks the value.
    return undefined;
  }
}

/**
 * All of a resolved value as a store holds it, JSON or the characters of a text, in which a lone surrogate cannot
 * stand; undefined where the host's own means do not do it justice.
 */
export function whole(held, at, isText, depthLeft) {
  const value = held.values[at];
  if (!isText) return jsonOf(value, depthLeft);
  const text = value instanceof Stand ? base64(value.parts) : value;
  return text.isWellFormed?.() ?? !LONE_SURROGATE.test(text) ? text : text.replace(new RegExp(LONE_SURROGATE, "gu"), "\ufffd");
}

/** Writes a text from a unit on as UTF-8; says which unit comes next, and how many bytes were written. */
export function encode(text, start, into) {
  let end = Math.min(start + Math.floor(into.length / 3), text.length);
  if (end < text.length && isPair(text, end - 1)) end--;
  return Uint32Array.of(end, encoder.encodeInto(text.slice(start, end), into).written);
}

// Resolving

/** Runs what may run code of the value's author, and says which child it was about if that throws. */
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

/** The value as JSON takes it up, `toJSON` called; undefined if JSON leaves it out. */
export function resolve(value, key) {
  const type = typeof value;
  if (type !== "object" && type !== "function" && type !== "bigint") return form(value);
  if (value === null || ArrayBuffer.isView(value)) return form(value);
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
      return value === null || Array.isArray(value) || isRecord(value) ? value : special(value);
    default:
      return undefined;
  }
}

/** Whether `JSON.stringify` shows all there is of an object: no class of the language's own. */
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
    // It only calls itself so.
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
      return new Stand(value, OBJECT, new Map([["name", String(value.name)], ["message", String(value.message)]]));
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

/** The members of a resolved array or object that JSON shows: their keys, if they have any, and themselves. */
export function membersOf(value) {
  const parts = partsOf(value);
  if (isList(parts)) return { values: parts };
  const [keys, values] = [[], []];
  for (const key of keysOf(value)) {
    const child = resolve(member(value, key), key);
    if (child === undefined) continue;
    keys.push(key);
    values.push(child);
  }
  return { keys, values };
}

/** How many entries of an object JSON shows. */
export function countOf(object) {
  let count = 0;
  for (const key of keysOf(object)) {
    if (resolve(member(object, key), key) !== undefined) count++;
  }
  return count;
}

// Weighing, and telling whether JSON.stringify will do

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

/** Whether `JSON.stringify` makes of an array or object just what this file would. */
function isPlain(value, above, depthLeft) {
  if (depthLeft <= 0 || above.includes(value)) return false;
  above.push(value);
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (!isPlainChild(value[at], at, above, depthLeft - 1)) return false;
    }
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      if (!isPlainChild(value[key], key, above, depthLeft - 1)) return false;
    }
  } else {
    return false;
  }
  above.pop();
  return true;
}

function isPlainChild(value, key, above, depthLeft) {
  switch (typeof value) {
    case "bigint":
      return false;
    case "function":
      return value.toJSON === undefined;
    case "object":
      break;
    default:
      return true;
  }
  if (value === null) return true;
  const toJSON = value.toJSON;
  if (typeof toJSON !== "function") return isPlain(value, above, depthLeft);
  if (ArrayBuffer.isView(value)) return false;
  if (toJSON === Date.prototype.toJSON && value instanceof Date) return true;
  const made = toJSON.call(value, String(key));
  return typeof made === "object" && made !== null ? isPlain(made, above, depthLeft) : typeof made !== "bigint";
}

// Strings and bytes

export function charsOf(text) {
  if (text instanceof Stand) return base64Length(text.parts);
  return text.length - pairs(text);
}

/** How many characters of a string take two units. */
function pairs(text) {
  // The engine searches several times as fast as any loop, and in text of one byte a character knows at once.
  let found = 0;
  PAIR.lastIndex = 0;
  while (PAIR.test(text)) {
    found++;
    let at = PAIR.lastIndex;
    // Where there is one there are often more, and starting a search costs as much as many steps.
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

function isPair(text, at) {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** Where character `index` of `total` begins, in UTF-16 units, from the end that is nearer. */
function unitOf(text, index, total) {
  let unit = 0;
  if (index <= total / 2) {
    for (let at = 0; at < index; at++) unit += isPair(text, unit) ? 2 : 1;
    return unit;
  }
  unit = text.length;
  for (let at = total; at > index; at--) unit -= isPair(text, unit - 2) ? 2 : 1;
  return unit;
}

function base64Length(bytes) {
  return Math.ceil(bytes.length / 3) * 4;
}

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
