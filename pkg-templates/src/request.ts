// Requests of the methods that all faces share: `crates/methods/src/table.rs` lists them.

import { ToolshapeError } from "./error.js";
import { jsonText, optionsText } from "./options.js";

/** Members of a request: values of JSON. Objects must be plain. */
export type Members = Readonly<Record<string, unknown>>;

/** Long texts, lists of them, and bytes of a request, by the member that names them. */
export type Parts = Readonly<Record<string, string | readonly string[] | Uint8Array | null | undefined>>;

/** A request as the core reads it. */
export interface Request {
  /** The JSON text of its members. */
  readonly json: string;
  /** What its members name by number, from 1. */
  readonly parts: (string | Uint8Array)[];
}

/** @throws {ToolshapeError} `INVALID_CALL` for a member that cannot be read, or that is not a plain object. */
export function requestOf(members: Members = {}, parts: Parts = {}): Request {
  const given: (string | Uint8Array)[] = [];
  const texts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    // The core takes null for a missing member.
    if (value === null) throw new ToolshapeError("INVALID_CALL", `${name} is null`, `/${name}`);
    if (value === undefined) continue;
    const isObject = typeof value === "object" && !Array.isArray(value);
    texts.push(`"${name}":${(isObject ? optionsText : jsonText)(value, "INVALID_CALL")}`);
  }
  for (const [name, part] of Object.entries(parts)) {
    if (part === null || part === undefined) continue;
    const isOne = typeof part === "string" || part instanceof Uint8Array;
    texts.push(`"${name}":${isOne ? given.push(part) : `[${part.map((text) => given.push(text)).join(",")}]`}`);
  }
  return { json: `{${texts.join(",")}}`, parts: given };
}

/** The same as a method of a shaper or another thing with a number. */
export function requestOn(owner: string, number: number, { json, parts }: Request): Request {
  return { json: `{"${owner}":${number}${json === "{}" ? "" : ","}${json.slice(1)}`, parts };
}
