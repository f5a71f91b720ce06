/**
 * Times the plain module in Node and the npm package, in turns, and prints processor milliseconds of a call as JSON.
 *
 * Usage: run.mjs <module> <folder of the works> <rounds>
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Shaper } from "toolshape";
import { Toolshape } from "./host.mjs";
import { CALL, POLICY, WORKS } from "./works.mjs";

const [module, folder, rounds] = process.argv.slice(2);
const host = new Toolshape(module);
const shaper = host.call("shaper", { policy: POLICY }).result;
const packaged = new Shaper(POLICY);
const decoder = new TextDecoder();

/** Each takes a text as a tool has it, and gives the text for the model. */
const CONTENDERS = {
  "the plain module": (text, store) => {
    const { result, parts } = host.call("shapeJson", { shaper, text: 1, call: { ...CALL, store } }, text);
    return result.text === null ? text : decoder.decode(parts[result.text]);
  },
  "the npm package": (text, store) => {
    const shaped = packaged.shapeJson(text, { ...CALL, store });
    return shaped.tokens > 0 ? shaped.text : "";
  },
};

const found = {};
for (const [work, { file, store, calls }] of Object.entries(WORKS)) {
  const text = readFileSync(join(folder, file), "utf8");
  const samples = (found[work] = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []])));
  // The first round is for compilers and caches.
  for (let round = 0; round <= rounds; round++) {
    const texts = new Set();
    for (const [name, shape] of Object.entries(CONTENDERS)) {
      const start = process.cpuUsage();
      for (let at = 0; at < calls; at++) texts.add(shape(text, store));
      const { user, system } = process.cpuUsage(start);
      if (round > 0) samples[name].push((user + system) / 1000 / calls);
    }
    if (texts.size !== 1) throw new Error(`${work}: the results differ`);
  }
}
console.log(JSON.stringify(found));
