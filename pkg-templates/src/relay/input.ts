// What a command reads: a file, or the standard input.

import { readFileSync } from "node:fs";
import { reasonOf } from "./reason.js";

const STANDARD_INPUT = 0;

/** The text of a file, or of the standard input. Invalid UTF-8 is replaced by U+FFFD, as hosts do. */
export function inputOf([file = "-"]: readonly string[]): string {
  try {
    return readFileSync(file === "-" ? STANDARD_INPUT : file).toString("utf8");
  } catch (error) {
    const what = file === "-" ? "the standard input" : file;
    throw new Error(`cannot read ${what}: ${reasonOf(error)}`);
  }
}
