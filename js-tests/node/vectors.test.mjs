// The shared cases in Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as toolshape from "toolshape";
import "toolshape/cl100k_base";
import { conversesWith } from "../conversation.mjs";
import { casesOf } from "../vectors.mjs";
import { begin } from "./conversation.mjs";
import { groupedBy, linesOf, replayer } from "./replay.mjs";

// Sessions are driven by the package's own module.
const require = createRequire(import.meta.url);
require("toolshape");
const { callShaper } = require(join(dirname(require.resolve("toolshape/package.json")), "dist/cjs/core.js"));

const replay = replayer({ toolshape, callShaper, equal: assert.deepEqual });
const path = process.env.TOOLSHAPE_TRANSCRIPT ?? join(process.env.TOOLSHAPE_ROOT, "target/vectors/transcript.jsonl");
const files = groupedBy(linesOf(readFileSync(path, "utf8")), (name) => name.split(":")[0]);

for (const [file, ofFile] of files) {
  test(file, async (t) => {
    for (const [name, ofCase] of groupedBy(ofFile)) await t.test(name, () => replay(ofCase));
  });
}

test("relay", async (t) => {
  for (const one of casesOf("relay")) await t.test(one.name, () => conversesWith(begin)(one));
});
