// Mistakes of the one who calls the program, which have an exit code of their own.

import { isToolshapeError } from "../error.js";

/** A mistake in the command line that only a command sees. */
export class Misuse extends Error {}

/** As the parser of the native command line has it. */
export const MISUSE = 2;

const MISTAKES: readonly string[] = ["INVALID_POLICY", "INVALID_CALL", "INVALID_JSON"];

/** The exit code for an error: wrong options, values out of range and unreadable files of options are mistakes. */
export function exitCodeOf(error: unknown): number {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Misuse || (isToolshapeError(cause) && MISTAKES.includes(cause.code)) ? MISUSE : 1;
}
