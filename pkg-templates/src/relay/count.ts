// `toolshape count`: the tokens of a text.

import { countTokens } from "../tokens.js";
import type { Encoding } from "../types.js";
import type { CommandLine } from "./command_line.js";
import { inputOf } from "./input.js";

/** Prints the number of tokens, and returns the exit code. */
export function count({ options, rest }: CommandLine): number {
  const encoding = String(options["encoding"]) as Encoding;
  // This vocabulary is a package of its own.
  if (encoding === "cl100k_base") require("../cl100k_base.js");
  process.stdout.write(`${countTokens(inputOf(rest), encoding)}\n`);
  return 0;
}
