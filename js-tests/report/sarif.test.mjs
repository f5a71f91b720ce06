// Findings as SARIF, by the schema of SARIF 2.1.0.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import Ajv from "ajv-draft-04";
import formats from "ajv-formats";
import { run } from "./program.mjs";
import { HOSTILE_ONE, LARGE, SMALL } from "./recording.mjs";

const { resolve } = createRequire(import.meta.url);
const packaged = new URL("schemas/sarif-2.1.0-rtm.5.json", `file://${resolve("@microsoft/jest-sarif")}`);
// The schema has a pattern that is not a regular expression with the flag u.
const ajv = formats.default(new Ajv({ strict: false, unicodeRegExp: false }));
const isValid = ajv.compile(JSON.parse(readFileSync(packaged)));

test("SARIF is valid, and says every finding", () => {
  const recordings = [LARGE, HOSTILE_ONE, SMALL];
  const log = JSON.parse(run("lint", recordings, "--format", "sarif"));
  assert.ok(isValid(log), JSON.stringify(isValid.errors));
  const { findings } = JSON.parse(run("lint", recordings, "--format", "json"));
  const rules = log.runs[0].results.map(({ ruleId }) => ruleId);
  assert.deepEqual(
    rules,
    findings.map(({ rule }) => rule),
  );
  assert.ok(rules.includes("inexact-integer") && rules.includes("over-host-limit"));
  assert.equal(isValid({ ...log, version: "2.0.0" }), false);
});
