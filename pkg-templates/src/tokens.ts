import { run } from "./core.js";
import { spelled, ToolshapeError } from "./error.js";
import { checkText } from "./options.js";
import type { Encoding, LoadedEncoding, Pattern, Side } from "./types.js";

/**
 * How many tokens a text has. Special tokens in it are treated as ordinary text.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for an argument that is not a text or not an encoding.
 */
export function countTokens(text: string, encoding: Encoding = "o200k_base"): number {
  checkText(text, "text");
  checkText(encoding, "encoding");
  return run((core) => core.countTokens(text, encoding));
}

/**
 * The token count of a text if it is at most `limit`, else null. Stops counting when the limit is exceeded.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for an argument that is not a text, a whole number or an encoding.
 */
export function fitsTokens(text: string, limit: number, encoding: Encoding = "o200k_base"): number | null {
  checkText(text, "text");
  checkText(encoding, "encoding");
  const most = wholeLimit(limit);
  return run((core) => core.exports.fitsTokens(text, most, core.encoding(encoding)) ?? null);
}

/**
 * The longest start or end of a text that is at most `limit` tokens and does not split a grapheme cluster.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for an argument that is not a text, a whole number, an encoding or a side.
 */
export function truncateToTokens(
  text: string,
  limit: number,
  encoding: Encoding = "o200k_base",
  side: Side = "head",
): string {
  checkText(text, "text");
  checkText(encoding, "encoding");
  checkText(side, "side");
  const most = wholeLimit(limit);
  const length = run((core) => core.exports.truncatedLength(text, most, core.encoding(encoding), side));
  return side === "head" ? text.slice(0, length) : text.slice(text.length - length);
}

/**
 * The tokens of a text. Special tokens in it are treated as ordinary text.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for an argument that is not a text, or an encoding without tokens.
 */
export function encode(text: string, encoding: Encoding = "o200k_base"): Uint32Array {
  return encoded(text, encoding, false);
}

/**
 * The tokens of a text, with names such as `<|endoftext|>` encoded as special tokens.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for an argument that is not a text, or an encoding without tokens.
 */
export function encodeWithSpecial(text: string, encoding: Encoding = "o200k_base"): Uint32Array {
  return encoded(text, encoding, true);
}

/**
 * The text of tokens; a partial character at a token boundary becomes U+FFFD.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a number that is not a token of the encoding.
 */
export function decode(tokens: Iterable<number>, encoding: Encoding = "o200k_base"): string {
  const numbers = tokenNumbers(tokens);
  checkText(encoding, "encoding");
  return run((core) => core.exports.decode(numbers, core.encoding(encoding)));
}

/**
 * The bytes of tokens: UTF-8, which may end inside a character.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a number that is not a token of the encoding.
 */
export function decodeBytes(tokens: Iterable<number>, encoding: Encoding = "o200k_base"): Uint8Array {
  const numbers = tokenNumbers(tokens);
  checkText(encoding, "encoding");
  return run((core) => core.exports.decodeBytes(numbers, core.encoding(encoding)));
}

/**
 * Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space and its rank.
 * Returns the name, which counting functions and policies accept. Loading the same name again has no effect.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a name that is in use or empty, an unknown pattern, or unusable ranks.
 */
export function loadEncoding(name: string, ranks: Uint8Array, pattern: Pattern): LoadedEncoding {
  checkText(name, "name");
  checkText(pattern, "pattern");
  if (!(ranks instanceof Uint8Array)) throw new ToolshapeError("INVALID_CALL", "ranks must be a Uint8Array", "/ranks");
  run((core) => core.loadEncoding(name, ranks, pattern));
  return name as LoadedEncoding;
}

/** More tokens than any text that fits into the core. */
const MOST_TOKENS = 2 ** 32 - 1;

function wholeLimit(limit: number): number {
  if (typeof limit === "number" && limit >= 0) return Math.min(Math.floor(limit), MOST_TOKENS);
  throw new ToolshapeError("INVALID_CALL", `limit is ${spelled(limit)}; it takes a number from 0`, "/limit");
}

function encoded(text: string, encoding: Encoding, special: boolean): Uint32Array {
  checkText(text, "text");
  checkText(encoding, "encoding");
  return run((core) => core.exports.encode(text, core.encoding(encoding), special));
}

/** Tokens as the core takes them. Numbers that a typed array would change are refused. */
function tokenNumbers(tokens: Iterable<number>): Uint32Array {
  if (tokens instanceof Uint32Array) return tokens;
  if (typeof tokens !== "object" || tokens === null || !(Symbol.iterator in tokens)) {
    throw new ToolshapeError("INVALID_CALL", "tokens must be a list of numbers", "/tokens");
  }
  const numbers = [...tokens];
  const at = numbers.findIndex((token) => !(Number.isInteger(token) && token >= 0 && token <= MOST_TOKENS));
  if (at === -1) return Uint32Array.from(numbers);
  throw new ToolshapeError(
    "INVALID_CALL",
    `tokens holds ${String(numbers[at])}, which is not a token`,
    `/tokens/${at}`,
  );
}
