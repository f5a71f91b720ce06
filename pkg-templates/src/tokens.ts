import { run } from "./core.js";
import { ToolshapeError } from "./error.js";
import { checkText } from "./options.js";
import type { Encoding } from "./types.js";

/**
 * How many tokens a text has. Special tokens in it are ordinary text.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for what is no text or no encoding.
 */
export function countTokens(text: string, encoding: Encoding = "o200k_base"): number {
  checkText(text, "text");
  checkText(encoding, "encoding");
  return run((core) => core.exports.countTokens(text, core.encoding(encoding)));
}

/**
 * The tokens of a text if they are at most `limit`, else null. Stops as soon as the limit is passed.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for what is no text, no whole number or no encoding.
 */
export function fitsTokens(text: string, limit: number, encoding: Encoding = "o200k_base"): number | null {
  checkText(text, "text");
  checkText(encoding, "encoding");
  if (!(limit >= 0)) throw new ToolshapeError("INVALID_CALL", `limit is ${String(limit)}; it takes a number from 0`, "/limit");
  const most = Math.min(Math.floor(limit), MOST_TOKENS);
  return run((core) => core.exports.fitsTokens(text, most, core.encoding(encoding)) ?? null);
}

/** More than any text has that the core could hold. */
const MOST_TOKENS = 2 ** 32 - 1;
