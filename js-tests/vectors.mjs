// The shared cases in `vectors/`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the cases. */
export const folder =
  process.env.VECTORS_DIR ?? join(process.env.TOOLSHAPE_ROOT ?? join(import.meta.dirname, ".."), "vectors");
const { sentences } = JSON.parse(readFileSync(join(folder, "shared/sentences.json"), "utf8"));

/** The cases of a file. */
export function casesOf(file) {
  return JSON.parse(putIn(readFileSync(join(folder, `${file}.json`), "utf8"))).cases;
}

/** The text of a file with the sentences that its expectations name. */
export function putIn(text) {
  return text.replaceAll(/⟦([^⟧|]*)([^⟧]*)⟧/g, (_, name, holes) => {
    assert.ok(Object.hasOwn(sentences, name), `no sentence is named ${name}`);
    const fillings = holes.split("|").slice(1);
    return sentences[name].replaceAll(/\{[nwqv]\}/g, () => fillings.shift());
  });
}

/** The text that a case gives, written out or as a part that repeats. */
export function inputOf(input) {
  if (typeof input === "string") return input;
  const { prefix, item, separator, suffix, times } = input.repeat;
  const items = Array.from({ length: times }, (_, index) => item.replaceAll("${i}", index));
  return prefix + items.join(separator) + suffix;
}
