/**
 * The same generated calls through Node, Python, the plain module and Rust: whether the outcomes are equal, texts are within
 * their budgets by an independent count, are JSON, and say the same as values and structured content.
 *
 * Usage: run.mjs <calls> <seed> [NAME COMMAND ARGUMENT…]…, with "--" between programs. A program reads a call a line and
 * prints an outcome a line. The exit code is 1 if anything differs.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { get_encoding } from "tiktoken";
import * as node from "toolshape";
import { generate } from "./inputs.mjs";
import { outcomeOf } from "./outcome.mjs";

/** What results say where something is left out. */
const SAYS = /"_?(note|omittedFields|truncated|paginated|elisions|offloaded|error)"/;

const [calls, seed, ...rest] = process.argv.slice(2);
const others = rest
  .join("\0")
  .split("\0--\0")
  .filter(Boolean)
  .map((part) => start(...part.split("\0")));
const encodings = { o200k_base: get_encoding("o200k_base"), cl100k_base: get_encoding("cl100k_base") };
const [found, kinds] = [[], {}];
let [shaped, refused, slowest] = [0, 0, 0];

for (let nth = 0; nth < Number(calls); nth++) {
  const call = generate(Number(seed) + nth);
  const line = `${JSON.stringify(call)}\n`;
  const answers = others.map(({ ask }) => ask(line));
  const began = performance.now();
  const mine = read(JSON.stringify(outcomeOf(node, call)));
  slowest = Math.max(slowest, performance.now() - began);
  kinds[call.kind] = (kinds[call.kind] ?? 0) + 1;
  if (mine.error) refused++;
  else if (!mine.unchanged) shaped++;
  const fault = faultOf(call, mine);
  if (fault) found.push({ seed: Number(seed) + nth, fault });
  for (const [at, answer] of (await Promise.all(answers)).entries()) {
    const theirs = read(answer);
    const differing = Object.keys({ ...mine, ...theirs }).filter((key) => !isDeepStrictEqual(mine[key], theirs[key]));
    if (differing.length > 0) found.push({ seed: Number(seed) + nth, fault: `${others[at].name}: ${differing}` });
  }
}
for (const { stop } of others) stop();
const programs = ["Node", ...others.map(({ name }) => name)].join(", ");
console.log(`${calls} calls (${JSON.stringify(kinds)}) in ${programs}: ${shaped} shaped, ${refused} refused,`);
console.log(`the slowest in Node ${slowest.toFixed(0)} ms; ${found.length} differences or faults`);
for (const one of found.slice(0, 50)) console.log(JSON.stringify(one));
process.exitCode = found.length > 0 ? 1 : 0;

/** An outcome without the receipt in its result, which has the time that the call took. */
function read(line) {
  const outcome = JSON.parse(line);
  if (outcome.result) delete outcome.result._meta;
  return outcome;
}

/** What one outcome has that no result may have; undefined for none. */
function faultOf(call, outcome) {
  if (outcome.error) return undefined;
  if (call.kind === "result") return channelsOf(call, outcome);
  const { text, unchanged, isError, budget, encoding, value } = outcome;
  if (!value) return "the value is not the text";
  if (unchanged) return text === call.input || call.kind === "json" ? undefined : "unchanged, but another text";
  if (encodings[encoding] && encodings[encoding].encode_ordinary(text).length > budget) return "over budget";
  const parsed = JSON.parse(node.expand(text));
  const isLoud = isError || call.call.fields?.length > 0 || isWhole(call, parsed) || SAYS.test(text);
  return isLoud ? undefined : "something is missing, and nothing says so";
}

/** Whether a result has every leaf of the value that was shaped. */
function isWhole({ kind, input }, parsed) {
  if (kind !== "json") return false;
  const count = (value) =>
    value !== null && typeof value === "object" ? Object.values(value).reduce((sum, one) => sum + count(one), 0) : 1;
  return count(parsed) >= count(JSON.parse(input));
}

/** Whether text and structured content say the same, where both are JSON. */
function channelsOf(call, { result, unchanged }) {
  const [block] = result.content ?? [];
  if (unchanged || result.structuredContent === undefined || block?.type !== "text") return undefined;
  if (result.content.length > 1 || JSON.parse(call.input).content.length > 1) return undefined;
  try {
    const read = JSON.parse(node.expand(block.text));
    if (read === null || typeof read !== "object" || Array.isArray(read)) return undefined;
    const notes = ({ note, _note, ...more }) => more;
    const same = isDeepStrictEqual(notes(read), notes(result.structuredContent));
    return same || !read.paginated ? undefined : "text and structured content differ";
  } catch {
    return undefined;
  }
}

/** A program that answers a line with a line. */
function start(name, command, ...args) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()(line));
  child.on("close", (code) => {
    if (waiting.length > 0) throw new Error(`${name} ended with ${code}`);
  });
  const ask = (line) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      child.stdin.write(line);
    });
  return { name, ask, stop: () => child.stdin.end() };
}
