// MCP's conformance tests of servers through the gateway: each scenario ends as it does without, check by check.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { COLUMNS, failed, run, server } from "../conformance/run.mjs";

const GATEWAY = join(import.meta.dirname, "gateway.mjs");

for (const [name, command] of Object.entries(COLUMNS)) {
  test(`the server ${name}`, async (t) => {
    const without = await run(command, server(name, "naive"));
    const through = await run(command, [process.execPath, GATEWAY, ...server(name, "naive")]);
    assert.deepEqual(Object.keys(through), Object.keys(without));
    assert.ok(Object.keys(without).length >= 30, `only ${Object.keys(without).length} scenarios ran`);
    for (const [scenario, expected] of Object.entries(without)) {
      await t.test(scenario, () => assert.deepEqual(through[scenario], expected));
    }
    const passing = Object.values(through).filter((checks) => !failed(checks)).length;
    t.diagnostic(
      `${passing} of ${Object.keys(through).length} scenarios pass through the gateway, and as many without`,
    );
  });
}
