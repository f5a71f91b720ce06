// The author's options as the JSON text that the core reads and checks.

import { ToolshapeError } from "./error.js";
import type { ErrorCode } from "./types.js";

/** The JSON text of options, which are a plain object. */
export function optionsText(options: unknown, code: ErrorCode): string {
  checkObject(options, code);
  return jsonText(options, code);
}

/** The JSON text of a value. What JSON would drop or convert is replaced by a name, so that the core refuses it. */
export function jsonText(options: unknown, code: ErrorCode): string {
  let text: string | undefined;
  try {
    text = stringify(options);
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw new ToolshapeError(code, `the options cannot be read: ${String(error)}`, "", { cause: error });
    }
    // A tool's arguments may nest deeper than JSON.stringify goes.
    text = stringify(shallow(options, MAX_LEVELS));
  }
  if (text === undefined) return "{}";
  // JSON.stringify escapes a lone surrogate, but the core's texts cannot contain one.
  return text.includes("\\ud")
    ? text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, lone) => (lone ? "\ufffd" : escape))
    : text;
}

/**
 * Options with the core's descriptions in place of what is not JSON: functions and stores. An option that is not
 * known is left as it is.
 */
export function described(options: object): Record<string, unknown> {
  checkObject(options, "INVALID_CALL");
  const one = ([name, value]: [string, unknown]): [string, unknown] => {
    if (value === null) return [name, null];
    switch (name) {
      case "store":
        return [name, lacks(value, ["get", "set", "delete"]) ?? "a store"];
      case "redact":
      case "onStoreError":
      case "onReceipt":
      case "onWarning":
      case "scope":
      case "authorize":
        return [name, kindOf(value)];
      default:
        return [name, value];
    }
  };
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .map(one),
  );
}

/** Whether described options are a store and functions alone, in which the core has nothing to check. */
export function areOnlyHosts(asked: Record<string, unknown>): boolean {
  return Object.entries(asked).every(
    ([name, is]) => (name === "store" && is === "a store") || (FUNCTIONS.has(name) && is === "a function"),
  );
}

/** The options that are functions, and ask nothing of others. */
const FUNCTIONS = new Set(["authorize", "onReceipt", "onStoreError", "onWarning", "redact"]);

/** What a value is that lacks one of these methods; undefined if it has them all. */
function lacks(value: unknown, methods: string[]): string | undefined {
  if (typeof value !== "object") return kindOf(value);
  const missing = methods.filter((method) => typeof (value as Record<string, unknown>)[method] !== "function");
  return missing.length === 0 ? undefined : `an object without ${missing.join(", ")}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return isPlain(value) ? "an object" : `an instance of ${value.constructor?.name}`;
  if (typeof value !== "function") return `of type ${typeof value}`;
  return /^class\b/.test(Function.prototype.toString.call(value))
    ? `the class ${value.name}, not an instance of it`
    : "a function";
}

/** The deepest level of options that are too deep as a whole. */
const MAX_LEVELS = 100;

function stringify(options: unknown): string | undefined {
  return JSON.stringify(options, (_key, value: unknown) => {
    switch (typeof value) {
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return Number(value);
      case "function":
      case "symbol":
        return `a ${typeof value}`;
      default:
        return value;
    }
  });
}

/** The value without what is below this many levels. */
function shallow(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "a value that nests deeper";
  if (Array.isArray(value)) return value.map((item) => shallow(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallow(item, levels - 1)]));
}

/** Refuses what is not an object, and objects that would be read as empty options, such as a store, a Map or a promise. */
export function checkObject(options: unknown, code: ErrorCode): void {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  if (isObject && (isPlain(options) || Object.keys(options).length > 0)) return;
  throw new ToolshapeError(code, `the options are ${kindOf(options)}; a plain object is required`);
}

/** In every realm, the prototype of a plain object has no prototype itself. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws {ToolshapeError} `INVALID_CALL` for something else than an argument takes. */
export function checkGiven(isOne: boolean, value: unknown, name: string, takes: string): void {
  if (!isOne) throw new ToolshapeError("INVALID_CALL", `${name} is ${kindOf(value)}; it takes ${takes}`, `/${name}`);
}

/** A text from the caller, or an error that names its actual type. */
export function checkText(text: unknown, what: string, takes = "a string"): string {
  checkGiven(typeof text === "string", text, what, takes);
  return text as string;
}

/** JSON text with its lone surrogates escaped, because passing them to the core would replace them. */
export function escapeLoneSurrogates(json: string): string {
  if (json.isWellFormed?.() ?? !LONE_SURROGATE.test(json)) return json;
  return json.replace(new RegExp(LONE_SURROGATE, "gu"), (lone) => `\\u${lone.charCodeAt(0).toString(16)}`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
