// Sessions as `vectors/shared/session.json` expects in every language, by the methods that the package's archives call.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const require = createRequire(import.meta.url);
require("toolshape");
const { callShaper } = require(join(dirname(require.resolve("toolshape/package.json")), "dist/cjs/core.js"));

const folder = process.env.VECTORS_DIR ?? join(process.env.TOOLSHAPE_ROOT ?? "../..", "vectors");
const { policy, cases } = JSON.parse(readFileSync(join(folder, "shared/session.json"), "utf8"));

for (const { name, method, members, steps } of cases) {
  test(name, () => {
    const slots = [];
    let turn;
    for (const { put = {}, expect, ...answers } of steps) {
      for (const [at, text] of Object.entries(put)) slots[at] = text;
      const reads = [
        ...(turn?.reads ?? []),
        ...(answers.whole ?? []).flatMap(({ contents }) => contents.map(([at]) => at)),
      ];
      const given = [...new Set(reads)].filter((at) => slots[at] !== undefined);
      const before = turn && { state: turn.state, slots: Math.max(turn.slots, slots.length), given };
      const texts = turn && { texts: given.map((at) => slots[at]) };
      try {
        turn = callShaper(JSON.stringify(policy), method, { ...members, ...answers, ...before }, texts);
      } catch ({ code }) {
        assert.deepEqual({ error: code }, expect);
        continue;
      }
      for (const [at, text] of turn.texts ?? []) slots[at] = text;
      assert.deepEqual(seen(turn), expect);
    }
  });
}

function seen({ state, slots, isLong, ...turn }) {
  if ("done" in turn) {
    const done = JSON.parse(turn.done.text ?? turn.done);
    return { done: done.error ?? done };
  }
  const isSaid = (value) => (Array.isArray(value) ? value.length > 0 : value);
  return Object.fromEntries(Object.entries(turn).filter(([, value]) => isSaid(value)));
}
