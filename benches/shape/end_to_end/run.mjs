/**
 * Measures calls end to end in Node, each part in a process of its own, and writes the samples as JSON.
 *
 * Usage: run.mjs <file to write> <seconds of the crowd> [--quick]
 */
import { node, recorder } from "../children.mjs";
import { SDKS } from "./clients.mjs";
import { STORES } from "./stores.mjs";

const [file, seconds] = process.argv.slice(2);
const quick = process.argv.slice(4);
const isQuick = quick.length > 0;
const found = { stores: STORES, parts: [], calls: [], crowd: [], cold: [], memory: [] };
const step = recorder("node", found, file);
const ours = async (script, ...args) => JSON.parse(await node(["--expose-gc", `end_to_end/${script}.mjs`, ...args]));

for (const size of isQuick ? ["350 KB"] : ["350 KB", "3.7 MB"]) {
  await step(`calls and their parts, ${size}`, async () =>
    found.parts.push(await ours("parts", size, ...(isQuick ? ["1", "1"] : ["9", "6"]))),
  );
}
for (const place of ["no store", ...STORES]) {
  await step(`memory, ${place}`, async () => found.memory.push(await ours("memory", place, isQuick ? "10" : "100")));
}
for (const sdk of SDKS) {
  // In a quick run the crowd alone calls over HTTP.
  for (const transport of isQuick ? ["stdio"] : ["stdio", "http"]) {
    await step(`${sdk}, ${transport}`, async () =>
      found.calls.push(...(await ours("calls", sdk, transport, ...quick))),
    );
  }
  if (!isQuick || sdk === SDKS[0])
    await step(`${sdk}, its start`, async () => found.cold.push(await ours("cold", sdk, isQuick ? "1" : "9")));
  await step(`${sdk}, sixteen clients`, async () => found.crowd.push(...(await ours("crowd", sdk, seconds))));
}
process.exit();
