/**
 * Calls servers in turn, each with the SDK's own client, and prints how long each call took, as JSON.
 *
 * What is measured is the time until the client has the result: what waits for it waits so long.
 *
 * Usage: node --expose-gc calls.mjs <sdk> <stdio | http> [--quick]
 */
import { connect, startServer } from "./clients.mjs";
import { SIZES } from "./rows.mjs";
import { HOW } from "./tool.mjs";
import { orders } from "./turns.mjs";

const [sdk, transport, quick] = process.argv.slice(2);
/** Rounds that count, and those before. */
const ROUNDS = quick
  ? { "2 KB": [2, 1], "350 KB": [1, 1] }
  : { "2 KB": [300, 50], "350 KB": [50, 150], "3.7 MB": [20, 4] };
/** The rounds after the first ones are reported too: V8 compiles what runs often, during the first calls. */
const EARLY = 50;

const servers = transport === "http" ? await Promise.all(HOW.map((how) => startServer(sdk, how))) : [];
const peers = await Promise.all(HOW.map((how, at) => connect(sdk, how, servers[at]?.url)));
const found = [];
const turns = orders(HOW.length);
let version = 0;
for (const [size, [rounds, before]] of Object.entries(ROUNDS)) {
  const [milliseconds, early] = [{}, {}];
  for (const how of HOW) [milliseconds[how], early[how]] = [[], []];
  for (let round = -before; round < rounds; round++) {
    for (const at of turns.at(round % turns.length)) {
      // What the client still holds of the large result before is not given back at the expense of this one.
      if (size !== "2 KB") gc();
      const start = performance.now();
      await peers[at].call(SIZES[size], ++version);
      const took = performance.now() - start;
      if (round >= 0) milliseconds[HOW[at]].push(took);
      else if (round < EARLY - before) early[HOW[at]].push(took);
    }
  }
  found.push({ sdk, transport, size, milliseconds, early: before > EARLY ? early : null });
}
await Promise.all(peers.map(({ close }) => close()));
console.log(JSON.stringify(found));
process.exit();
