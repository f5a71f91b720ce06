// The shared cases in `vectors/`, whatever their files are called.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.VECTORS_DIR ?? join(process.env.TOOLSHAPE_ROOT ?? "..", "vectors");

/** The files of cases, by name. Fails where there are none. */
export function vectorFiles() {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.ok(names.length > 0, `${folder} holds no vectors`);
  return new Map(names.map((name) => [name.slice(0, -".json".length), JSON.parse(readFileSync(join(folder, name), "utf8"))]));
}

/** The text that a case gives, written out or as a part that repeats. */
export function inputOf(input) {
  if (typeof input === "string") return input;
  const { prefix, item, separator, suffix, times } = input.repeat;
  const items = Array.from({ length: times }, (_, index) => item.replaceAll("${i}", index));
  return prefix + items.join(separator) + suffix;
}
