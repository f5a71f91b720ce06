/**
 * Makes a table in Markdown of what was measured of the relay, and prints it; UPDATE_TABLE writes it into the documentation too.
 *
 * Usage: report.mjs <folder with relay.json> <folder of the documentation>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { megabytes, median, show, showSpread, spread } from "../shape/figures.mjs";
import { table } from "../shape/table.mjs";
import { more, moreThanShaping, targets } from "./targets.mjs";
import { PIPE, WORKS } from "./works.mjs";

const [folder, docs] = process.argv.slice(2);
const [BEGIN, END] = ["<!-- relay -->\n", "\n<!-- /relay -->"];
const found = JSON.parse(readFileSync(join(folder, "relay.json"), "utf8"));
const { latency, throughput, memory, size } = found;
const pumps = Object.keys(latency.ping).filter((name) => name !== PIPE);
const contenders = Object.keys(latency.small);

const text = [
  `On ${cpus()[0].model.trim()} with ${cpus().length} cores, Node ${process.version}; the load of its last 15 minutes was ${show(loadavg()[2])}, ${loadavg()[2] > cpus().length + 1 ? "so others had most of the machine, and milliseconds say little" : "the benchmark's own"}. Medians, and in brackets the middle half of the rounds. Proxies of others are the releases that \`benches/relay/requirements.txt\` and the tests' own list name.`,
  "### What is to be reached",
  table(
    ["target", "wanted", "found", ""],
    targets(found, pumps).map(({ name, wanted, found, holds }) => [name, wanted, showSpread(found), holds ? "✓" : "✗"]),
  ),
  "### From a request to its answer",
  "Milliseconds; of the pipe alone in all, of the others more than that, round by round, and the 99th percentile of this. Proxies of others answer `ping` themselves, and pass the result of 40 KB whole; the pumps shape it.",
  table(
    ["", ...Object.values(WORKS).flatMap((work) => [work, "99 %"])],
    contenders.map((name) => [name, ...Object.keys(WORKS).flatMap((work) => cells(latency[work], name))]),
  ),
  `Shaping alone, by the library in the same rounds: ${Object.entries(latency.rows)
    .filter(([name]) => name.startsWith("shaping"))
    .map(([name, took]) => `${show(median(took))} ms (${name.split(", ")[1]})`)
    .join(
      ", ",
    )}. What the relay adds to it and to the pipe: ${pumps.map((pump) => `${pump} ${showSpread(spread(moreThanShaping(latency.rows, pump)))} ms, 99 % ${show(percentile(moreThanShaping(latency.rows, pump)))}`).join("; ")}.`,
  "### Messages a second",
  "Notifications of 100 bytes, and 640 calls that are made without waiting for any; in brackets the share of the pipe alone.",
  table(
    ["", ...Object.keys(throughput)],
    contenders.map((name) => [name, ...Object.values(throughput).map((flow) => perSecond(flow, name))]),
  ),
  "### Memory",
  `Resident memory of the contender without its server: before a line of ${megabytes(size)}, its peak, and after the line and twenty calls. Who has no answer in two minutes, or ends, has none.`,
  table(
    ["", "line", "before", "peak", "after", "seconds"],
    Object.entries(memory).flatMap(([line, of]) =>
      Object.entries(of).map(([name, { before, peak, after, took, error }]) =>
        error
          ? [name, line, "", "no answer", "", ""]
          : [name, line, megabytes(before), megabytes(peak), megabytes(after), show(took / 1000)],
      ),
    ),
  ),
].join("\n\n");

writeFileSync(join(folder, "relay.md"), `${text}\n`);
if (process.env.UPDATE_TABLE) {
  const page = join(docs, "performance.md");
  const [before, rest] = readFileSync(page, "utf8").split(BEGIN);
  writeFileSync(page, before + BEGIN + text + END + rest.split(END)[1]);
}
console.log(text);

function cells(samples, name) {
  if (samples[name] === undefined) return ["", ""];
  const took = name === PIPE ? samples[name] : more(samples, name);
  return [showSpread(spread(took)), show(percentile(took))];
}

function percentile(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

function perSecond(flow, name) {
  if (flow[name] === undefined) return "";
  const all = show(median(flow[name]));
  return name === PIPE ? all : `${all} (${show(median(flow[name].map((each, round) => each / flow[PIPE][round])))})`;
}
