/** Tables of the npm package `@observablehq/sample-datasets`. None of its cells is quoted. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The rows of a file, each an object of texts. */
export function readCsv(name) {
  const file = createRequire(import.meta.url).resolve(`@observablehq/sample-datasets/${name}`);
  const [head, ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/);
  const keys = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [keys[at], cell])));
}
