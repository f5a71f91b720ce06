// MCP's conformance tests of servers: with the adapter each scenario ends as it does without, check by check. Those of
// 2026-07-28 are in a version that is not yet the latest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, failed, run, server } from "./run.mjs";

/** What scenarios fail on a server of an SDK without us, and why that is not for us to mend. */
const KNOWN = {
  v1: { "json-schema-2020-12": "McpServer of v1 takes zod schemas alone, and lists them as draft 7" },
  v2: {},
  modern: {},
};

for (const [name, command] of Object.entries(COLUMNS)) {
  test(`the server ${name}`, async (t) => {
    const naive = await run(command, server(name, "naive"));
    const shaped = await run(command, server(name, "shaped"));
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
