/**
 * Makes a table in Markdown and a plot of what was measured, and prints the table.
 *
 * Usage: report.mjs <folder with node.json and python.json, to which table.md and plot.svg are written> [folder with those of an
 * earlier run, which the table compares with]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { megabytes, median, ratio, show, showSpread } from "./figures.mjs";
import { plot } from "./plot.mjs";
import { table } from "./table.mjs";
import { targets } from "./targets.mjs";

const [folder, earlier] = process.argv.slice(2);
const read = (from) => ["node", "python"].map((face) => JSON.parse(readFileSync(join(from, `${face}.json`), "utf8")));
const [node, python] = read(folder);
const BUDGET = 2000;

const parts = [
  "# Shaping, measured",
  `On ${cpus()[0].model.trim()} with ${cpus().length} cores, Node ${process.version}. Processor time; medians of ${node.times[0].milliseconds.toolshape.length} rounds in which the contenders take turns, each ratio made within a round, in brackets the middle half of the rounds.`,
  "## What is to be reached",
  table(
    ["target", "wanted", "found", ""],
    targets({ node, python }).map(({ name, atMost, atLeast, found, holds }) => [
      name,
      atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`,
      showSpread(found),
      holds ? "✓" : "✗",
    ]),
  ),
  ...(earlier ? ["## Beside an earlier run", changes(read(earlier))] : []),
  "## Time to the shaped result",
  `The budget is ${BUDGET} tokens; tokens are those that each text really has.`,
  ...[
    ["In Node", node],
    ["In Python", python],
  ].flatMap(([title, face]) => [`### ${title}`, times(face)]),
  "## Peak memory beyond the input",
  table(
    ["face", "work", "contender", "peak", "the value's text"],
    [
      ...[
        ["Node", node],
        ["Python", python],
      ].flatMap(([face, { memory }]) =>
        memory.map(({ work, contender, peakBytes, textBytes }) => [
          face,
          work,
          contender,
          megabytes(peakBytes),
          megabytes(textBytes),
        ]),
      ),
    ],
  ),
  "## Text that crosses between JavaScript and WebAssembly",
  table(
    ["work", "crosses", "the value's text"],
    node.border.map(({ work, bytes, textBytes }) => [work, `${show(bytes / 1000)} KB`, `${show(textBytes / 1000)} KB`]),
  ),
  "## From import to the first answer",
  table(
    ["face", "first", "milliseconds"],
    [
      ["Node", node],
      ["Python", python],
    ].flatMap(([face, { startup }]) =>
      Object.entries(startup).map(([what, found]) => [
        face,
        { shape: "toolshape, shaped result", count: "toolshape, count" }[what] ?? `${what}, count`,
        show(median(found)),
      ]),
    ),
  ),
  "## Size of the packages",
  table(
    ["package", "version", "packed", "unpacked"],
    [
      ...node.packages.map(({ name, version, size, unpackedSize }) => [
        `npm ${name}`,
        version,
        megabytes(size),
        megabytes(unpackedSize),
      ]),
      ...python.packages.map(({ name, version, unpackedSize }) => [
        `PyPI ${name}`,
        version,
        "",
        megabytes(unpackedSize),
      ]),
    ],
  ),
];
const text = `${parts.join("\n\n")}\n`;
writeFileSync(join(folder, "table.md"), text);
writeFileSync(join(folder, "plot.svg"), await plot({ node, python }));
console.log(text);

function times({ times }) {
  return table(
    ["work", "contender", "milliseconds", "times toolshape's", "tokens", "JSON"],
    times.flatMap(({ work, milliseconds, tokens, isJson }) =>
      Object.entries(milliseconds).map(([name, samples]) => [
        work,
        name,
        show(median(samples)),
        showSpread(ratio(samples, milliseconds.toolshape)),
        name in tokens ? `${show(tokens[name])}${tokens[name] > BUDGET ? " over" : ""}` : "",
        name in isJson ? (isJson[name] ? "✓" : "✗") : "",
      ]),
    ),
  );
}

/** How many times as long each contender took as toolshape, in both runs: the machine need not be the same. */
function changes(before) {
  const rows = [node, python].flatMap((face, at) =>
    face.times.flatMap(({ work, milliseconds }) => {
      const old = before[at].times.find((one) => one.work === work)?.milliseconds ?? {};
      const names = Object.keys(milliseconds).filter((name) => name !== "toolshape" && name in old);
      return names.map((name) => {
        const [was, is] = [old, milliseconds].map((run) => ratio(run[name], run.toolshape));
        // The middle halves of the rounds are apart.
        const change = is.low > was.high ? "quicker" : is.high < was.low ? "slower" : "";
        return [["Node", "Python"][at], work, name, showSpread(was), showSpread(is), change];
      });
    }),
  );
  return table(["face", "work", "contender over toolshape", "before", "now", ""], rows);
}
