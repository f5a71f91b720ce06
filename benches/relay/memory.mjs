/** Resident memory of each contender, without its server, around a line of 100 MB: each in a process that nobody has used. */
import { setTimeout as pause } from "node:timers/promises";
import { CONTENDERS, Link, isPeer } from "./contenders.mjs";
import { PIPE } from "./works.mjs";

/** The lines: one that passes, which peers do not know, and the result of a tool. */
export const LINES = {
  "a line that passes": { ask: (link, size) => link.time("bench/line", { size }) },
  "a result": {
    ask: (link, size) => link.time("tools/call", { name: "line", arguments: { version: size } }),
    hasPeers: true,
  },
};

/** What is left is looked at after this long, in milliseconds, and some calls that let a collector run. */
const REST = 1000;
const CALLS = 20;

export async function memory(size) {
  const found = Object.fromEntries(Object.keys(LINES).map((line) => [line, {}]));
  for (const [line, { ask, hasPeers = false }] of Object.entries(LINES)) {
    for (const name of Object.keys(CONTENDERS)) {
      if (name === PIPE || (isPeer(name) && !hasPeers)) continue;
      const link = await Link.start(name);
      found[line][name] = await around(link, () => ask(link, size)).catch((error) => {
        // A proxy of others that cannot do it has no figure; a pump of ours has to.
        if (!isPeer(name)) throw error;
        return { error: error.message };
      });
      await link.end();
    }
  }
  return found;
}

async function around(link, work) {
  const before = link.memory().now;
  const took = await work();
  for (let at = 0; at < CALLS; at++) await link.ask("tools/call", { name: "small", arguments: { version: at } });
  await pause(REST);
  const { now, peak } = link.memory();
  return { before, peak, after: now, took };
}
