/**
 * One contender does one work once, in a process of its own; prints as JSON what that took.
 *
 * Usage: node --expose-gc once.mjs <memory | border> <contender> <work> <folder of the data>
 */
import { memory, settled } from "./resident.mjs";
import { WORKS, loadData } from "./works.mjs";

const [figure, name, workName, folder] = process.argv.slice(2);
const border = figure === "border" ? (await import("./border.mjs")).watchBorder() : undefined;
const { contendersOf, inputOf, warmUp } = await import("./contenders.mjs");

const data = loadData(folder);
const work = WORKS[workName](data);
const [contender] = await contendersOf(work, name);
// Without practice, which would leave a heap behind that hides what is measured.
await warmUp(contender, { json: work.json }, data.others.slice(0, 20));
const input = inputOf(work, 1);

await settled();
const before = border?.() ?? memory(true).now;
contender.run(input);
console.log(JSON.stringify({ contender: name, work: workName, ...found() }));

function found() {
  if (border) return { bytes: border() - before, textBytes: bytesOf(input.value) };
  return { peakBytes: Math.max(0, memory().peak - before), textBytes: bytesOf(input.value) };
}

/** Bytes of a text, or of a value's JSON; of a list item by item, because together they may be longer than any string. */
function bytesOf(value) {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + bytesOf(JSON.stringify(item)) + 1, 1);
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}
