// MCP's conformance tests of servers through the relay. They speak HTTP alone, so a bridge is in front of the server's stdio,
// with the relay between them and without: each scenario ends the same, check by check.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { COLUMNS, failed, run, server } from "../conformance/run.mjs";
import { PLAIN, relays } from "./ways.mjs";

const BRIDGE = join(import.meta.dirname, "bridge.mjs");
const bridged = (name, way) => [
  process.execPath,
  BRIDGE,
  name === "modern" ? "single" : "sessions",
  ...way.command(server(name, "stdio")),
];

/** What `task` gives for each item, two at a time. */
async function inPairs(items, task) {
  const [results, waiting] = [[], [...items.entries()]];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[0]] = await task(next[1]);
  };
  await Promise.all([lane(), lane()]);
  return results;
}

/** A server of each revision; both SDKs have the same tests of 2025-11-25. */
const { v1, ...SUITES } = COLUMNS;

for (const [name, command] of Object.entries(SUITES)) {
  test(`the server ${name}`, async (t) => {
    const [without, ...through] = await inPairs([PLAIN, ...relays()], (way) => run(command, bridged(name, way)));
    const passing = (scenarios) => Object.values(scenarios).filter((checks) => !failed(checks)).length;
    assert.ok(
      passing(without) >= 25,
      `only ${passing(without)} scenarios of ${Object.keys(without).length} pass without a relay`,
    );
    for (const [at, way] of relays().entries()) {
      await t.test(`behind the ${way.name} relay`, async (t) => {
        const relayed = through[at];
        assert.deepEqual(Object.keys(relayed), Object.keys(without));
        for (const [scenario, expected] of Object.entries(without)) {
          await t.test(scenario, () => assert.deepEqual(relayed[scenario], expected));
        }
        t.diagnostic(
          `${passing(relayed)} of ${Object.keys(relayed).length} scenarios pass through the relay, and ${passing(without)} without`,
        );
      });
    }
  });
}
