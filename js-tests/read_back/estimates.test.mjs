// The tokens before shaping in a receipt are near the truth for documents of others, and the same whether they
// come as JSON text or as values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Shaper, countTokens } from "toolshape";

const require = createRequire(import.meta.url);
const examples = join(dirname(require.resolve("simdjson/package.json")), "jsonexamples");
const NAMES = ["twitter", "citm_catalog", "canada", "gsoc-2018", "github_events", "marine_ik", "mesh", "update-center"];
const files = Object.fromEntries(NAMES.map((name) => [name, join(examples, `${name}.json`)]));
files["browser-compat-data"] = require.resolve("@mdn/browser-compat-data");

/** The most by which an estimate may be wrong. */
const TOLERANCE = 0.2;

for (const [name, path] of Object.entries(files)) {
  test(name, () => {
    const value = JSON.parse(readFileSync(path, "utf8"));
    const text = JSON.stringify(value);
    const shaper = new Shaper({ maxTokens: 2000 });
    const { tokensBefore, tokensBeforeExact } = shaper.shape(value).receipt;
    assert.equal(tokensBeforeExact, false);
    assert.equal(shaper.shapeJson(text).receipt.tokensBefore, tokensBefore);
    const tokens = countTokens(text);
    const error = tokensBefore / tokens - 1;
    console.log(`${name}: ${tokens} tokens, estimated ${tokensBefore}, ${(error * 100).toFixed(1)} %`);
    assert.ok(Math.abs(error) <= TOLERANCE, `${tokensBefore} estimated of ${tokens}`);
  });
}
