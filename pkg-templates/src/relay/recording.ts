// A recording of a conversation: what each side wrote, before it is shaped, as JSON Lines.

import { openSync, writeSync } from "node:fs";
import type { Block } from "./block.js";
import type { Side } from "./conversation.js";
import { reasonOf } from "./reason.js";

export class Recording {
  readonly #file: number;

  /** Begins a recording in a new file, or goes on with one. */
  constructor(path: string) {
    try {
      // What tools return is the user's alone.
      this.#file = openSync(path, "a", 0o600);
    } catch (error) {
      throw new Error(`cannot record to ${path}: ${reasonOf(error)}`);
    }
  }

  /** Adds the lines that are messages. */
  add(from: Side, block: Block): void {
    const at = Date.now();
    const lines = Buffer.concat(block.pieces)
      .toString("utf8")
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
    writeSync(
      this.#file,
      lines
        .filter(isJson)
        .map((line) => `{"at":${at},"from":"${from}","message":${line}}\n`)
        .join(""),
    );
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
