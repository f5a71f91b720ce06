// server-everything's own tests, which come with its package, with the adapter in every server that they make. Most of
// them call the tools' callbacks, with no server around them. server-filesystem's package comes without its tests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { NODE, PACKAGES } from "../newer_node.mjs";

const SUITE = join(PACKAGES, "@modelcontextprotocol/server-everything/dist");

async function passed(nodeOptions) {
  const options = [
    "run",
    "--root",
    SUITE,
    "--config",
    join(import.meta.dirname, "suite.config.mjs"),
    "--reporter",
    "json",
  ];
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)(NODE, [join(PACKAGES, "vitest/vitest.mjs"), ...options], {
    env,
    maxBuffer: 1e8,
  }).catch((error) => error);
  const { numPassedTests, numFailedTests } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  return { numPassedTests, numFailedTests };
}

test("server-everything's own tests", async (t) => {
  const shaped = `--import=${new URL("shaped.mjs", import.meta.url).href}`;
  const [without, withAdapter] = [await passed(""), await passed(shaped)];
  t.diagnostic(`${withAdapter.numPassedTests} pass with the adapter, ${without.numPassedTests} without`);
  assert.deepEqual(withAdapter, without);
  assert.equal(without.numFailedTests, 0);
  assert.ok(without.numPassedTests > 50);
});
