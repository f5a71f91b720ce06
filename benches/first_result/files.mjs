// Writes the files of a recording.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const range = (n, of) => Array.from({ length: n }, (_, at) => of(at));

/** Writes files below a folder. */
export function files(folder, contents) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
