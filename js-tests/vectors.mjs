// The shared cases in `vectors/`: each file names its runner.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of the cases. */
export const folder =
  process.env.VECTORS_DIR ?? join(process.env.TOOLSHAPE_ROOT ?? join(import.meta.dirname, ".."), "vectors");
const { sentences } = JSON.parse(readFileSync(join(folder, "shared/sentences.json"), "utf8"));

/**
 * The files of cases, by name, each with the one of `runners` that it names. Fails where there are none, where a file
 * has no cases, and where it names another runner.
 */
export function vectorFiles(runners) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.ok(names.length > 0, `${folder} holds no vectors`);
  return names.sort().map((file) => {
    const name = file.slice(0, -".json".length);
    const { runner, cases } = JSON.parse(putIn(readFileSync(join(folder, file), "utf8")));
    assert.ok(
      Object.hasOwn(runners, runner),
      `${name}: runner ${runner} is none of ${Object.keys(runners).join(", ")}`,
    );
    assert.ok(cases?.length > 0, `${name}: no cases`);
    return { name, run: runners[runner], cases };
  });
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
