// MCP's conformance tests of servers: with the adapter each scenario ends as it does without, check by check. Those of
// 2026-07-28 are in a version that is not yet the latest.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { NODE, PACKAGES } from "../newer_node.mjs";

const suite = (name) => join(PACKAGES, name, "dist/index.js");
const RELEASED = [suite("@modelcontextprotocol/conformance"), "server", "--suite", "all"];
const NEXT = [suite("conformance-next"), "server", "--suite", "all", "--spec-version", "2026-07-28"];

/** Each server with the tests that are for it. */
const COLUMNS = { v1: RELEASED, v2: RELEASED, modern: NEXT };

/** What scenarios fail on a server of an SDK without us, and why that is not for us to mend. */
const KNOWN = {
  v1: { "json-schema-2020-12": "McpServer of v1 takes zod schemas alone, and lists them as draft 7" },
  v2: {},
  modern: {},
};

/** Each scenario's checks against a server: their ids with their statuses. */
async function run(name, command, how) {
  const server = spawn(process.execPath, [join(import.meta.dirname, "server.mjs"), name, how], { stdio: ["ignore", "pipe", "ignore"] });
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const [url] = await Promise.race([once(server.stdout), new Promise((_, reject) => server.once("exit", () => reject(new Error("the server ended"))))]);
    // The command fails where a scenario does; what counts is what it wrote.
    await promisify(execFile)(NODE, [...command, "--url", url, "--output-dir", folder], { maxBuffer: 1e8 }).catch(() => {});
    return Object.fromEntries(readdirSync(folder).sort().map((name) => [scenarioOf(name), checks(join(folder, name, "checks.json"))]));
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const once = async (stdout) => {
  for await (const line of createInterface(stdout)) return [line];
  throw new Error("the server ended before it told its address");
};
const scenarioOf = (folder) => folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
const checks = (file) => JSON.parse(readFileSync(file, "utf8")).map(({ id, status }) => `${id}: ${status}`);
const failed = (checks) => checks.some((check) => check.endsWith(": FAILURE"));

for (const [name, command] of Object.entries(COLUMNS)) {
  test(`the server ${name}`, async (t) => {
    const naive = await run(name, command, "naive");
    const shaped = await run(name, command, "shaped");
    assert.deepEqual(Object.keys(shaped), Object.keys(naive));
    assert.ok(Object.keys(naive).length >= 30, `only ${Object.keys(naive).length} scenarios ran`);
    for (const [scenario, expected] of Object.entries(naive)) {
      await t.test(scenario, () => {
        assert.deepEqual(shaped[scenario], expected);
        assert.equal(failed(expected), scenario in KNOWN[name], expected.join("\n"));
      });
    }
    const passing = Object.values(shaped).filter((checks) => !failed(checks)).length;
    t.diagnostic(`${passing} of ${Object.keys(shaped).length} scenarios pass with the adapter, and as many without`);
  });
}
