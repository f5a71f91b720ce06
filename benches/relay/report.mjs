/**
 * Records what was measured of the relay.
 *
 * Usage: report.mjs <folder with relay.json> <folder of the documentation>
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, spread } from "../shape/figures.mjs";
import { megabytes, record, rounded, spreadCell } from "../shape/measurements.mjs";
import { more, moreThanShaping, targets } from "./targets.mjs";
import { PIPE, WORKS } from "./works.mjs";

const [folder, docs] = process.argv.slice(2);
const found = JSON.parse(readFileSync(join(folder, "relay-samples.json"), "utf8"));
const { latency, throughput, memory, size } = found;
const pumps = Object.keys(latency.ping).filter((name) => name !== PIPE);
const contenders = Object.keys(latency.small);

const tables = [
  {
    title: "Targets of the relay",
    columns: ["target", "wanted", "found", "reached"],
    rows: targets(found, pumps).map(({ name, wanted, found, holds }) => [name, wanted, spreadCell(found), holds]),
  },
  {
    title: "From a request to its answer",
    about:
      "Milliseconds: the total of the pipe alone, and how many more each of the others takes, round by round, with the 99th percentile. Other proxies answer `ping` themselves and pass the result of 40 KB whole; the relay shapes it.",
    columns: ["contender", ...Object.values(WORKS).flatMap((work) => [work, "99 %"])],
    rows: contenders.map((name) => [name, ...Object.keys(WORKS).flatMap((work) => cells(latency[work], name))]),
  },
  {
    title: "Shaping in the relay",
    about:
      "Milliseconds for the result of 40 KB in the same rounds: shaping alone, by the library; and how many more than the pipe and shaping together the relay takes.",
    columns: ["", "milliseconds", "99 %"],
    rows: [
      ...Object.entries(latency.rows)
        .filter(([name]) => name.startsWith("shaping"))
        .map(([name, took]) => [name, rounded(median(took)), null]),
      ...pumps.map((pump) => [
        `${pump}, more`,
        spreadCell(spread(moreThanShaping(latency.rows, pump))),
        rounded(percentile(moreThanShaping(latency.rows, pump))),
      ]),
    ],
  },
  {
    title: "Messages a second",
    about: "Notifications of 100 bytes, and 640 concurrent calls; in brackets the ratio to the pipe alone.",
    columns: ["contender", ...Object.keys(throughput)],
    rows: contenders.map((name) => [name, ...Object.values(throughput).map((flow) => perSecond(flow, name))]),
  },
  {
    title: "Memory",
    about: `Resident memory of the contender without its server: before a line of ${megabytes(size)} MB, at its peak, and after the line and twenty calls. A row without figures had no answer within two minutes, or crashed.`,
    columns: ["contender", "line", "before, MB", "peak, MB", "after, MB", "seconds"],
    rows: Object.entries(memory).flatMap(([line, of]) =>
      Object.entries(of).map(([name, { before, peak, after, took, error }]) =>
        error
          ? [name, line, null, null, null, null]
          : [name, line, ...[before, peak, after].map(megabytes), rounded(took / 1000)],
      ),
    ),
  },
];
record("relay", { command: "cargo xtask bench relay", tables }, { folder, docs });

function cells(samples, name) {
  if (samples[name] === undefined) return [null, null];
  const took = name === PIPE ? samples[name] : more(samples, name);
  return [spreadCell(spread(took)), rounded(percentile(took))];
}

function percentile(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

function perSecond(flow, name) {
  if (flow[name] === undefined) return null;
  const value = rounded(median(flow[name]));
  return name === PIPE
    ? value
    : { value, ratio: rounded(median(flow[name].map((each, round) => each / flow[PIPE][round]))) };
}
