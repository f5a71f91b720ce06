// The shared cases, byte for byte what Rust expects of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as toolshape from "toolshape";
import "toolshape/cl100k_base";
import { conversesWith } from "../conversation.mjs";
import { runnersOf } from "../vector_runners.mjs";
import { vectorFiles } from "../vectors.mjs";
import { begin } from "./conversation.mjs";

const RUNNERS = runnersOf(toolshape, {
  runners: { conversation: conversesWith(begin) },
  isSame: (own, block) => own === block,
});

for (const { name, run, cases } of vectorFiles(RUNNERS)) {
  test(name, async (t) => {
    for (const one of cases) await t.test(one.name, () => run(one));
  });
}

test("a file that names an unknown runner fails", () => {
  assert.throws(() => vectorFiles({ none: RUNNERS.shape }), /calls: runner shape is none of none/);
});
