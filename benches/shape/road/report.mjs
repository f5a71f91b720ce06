/**
 * Makes a table in Markdown and a plot of what was measured on the main road, and prints the table.
 *
 * UPDATE_TABLE writes both into the documentation too.
 *
 * Usage: report.mjs <folder with road-node.json and road-python.json> <folder of the documentation>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { megabytes, median, show, showSpread, spread } from "../figures.mjs";
import { table } from "../table.mjs";
import { WORKS, mostInHalves, overNaive, overParts } from "./figures.mjs";
import { plot } from "./plot.mjs";
import { targets } from "./targets.mjs";

const [folder, docs] = process.argv.slice(2);
const [BEGIN, END] = ["<!-- road -->\n", "\n<!-- /road -->"];
const read = (face) => JSON.parse(readFileSync(join(folder, `road-${face}.json`), "utf8"));
const faces = { Node: read("node"), Python: read("python") };
const each = (look) => Object.entries(faces).flatMap(([face, found]) => look(found, face));
const milliseconds = (samples) => show(median(samples));

const text = [
  `On ${cpus()[0].model.trim()} with ${cpus().length} cores, Node ${process.version}; the load of its last 15 minutes was ${show(loadavg()[2])}, so ${loadavg()[2] > cpus().length + 1 ? "others had most of the machine, and milliseconds say little" : "it was the benchmark's own"}. Medians; in brackets the middle half of the rounds.`,
  "### What is to be reached",
  table(
    ["target", "wanted", "found", ""],
    targets(faces).map(({ name, atMost, found, holds }) => [name, `≤ ${atMost}`, showSpread(found), holds ? "✓" : "✗"]),
  ),
  "### `shapeResult` and its parts",
  "Processor time in milliseconds, and as a ratio of the sum of its parts: `shapeJson` of the text, or `shape` of the value, without a store, and for three texts `shapeJson` of the object with three lists that they are shown as; `JSON.stringify` (`json.dumps`) where there is structured content, or a value is stored; with a store also SHA-256 and the store's own `set`. Texts and values are lists of rows; an envelope is the same list in an object.",
  ...each((found, face) => found.parts.flatMap((part) => [`#### ${face}, ${part.size}`, parts(part, found.stores)])),
  "### One call, from the client",
  "Milliseconds of the naive server, and the others' as a ratio of these, call by call. Every server serializes its rows in each call; the careful handler only those of the first page, which it counts with the exact tokenizer, and it keeps nothing. The first calls of a size have a row of their own, without a target: V8 compiles what runs often, and does so beside them.",
  table(
    ["server", "transport", "size", "naive", ...others().map((how) => `${how}, over naive`)],
    each(({ calls }) =>
      calls
        .flatMap(withEarly)
        .map((call) => [
          call.sdk,
          call.transport,
          call.size,
          milliseconds(call.milliseconds.naive),
          ...others().map((how) => maybe(overNaive(call, how))),
        ]),
    ),
  ),
  "### Sixteen clients at once, over HTTP",
  table(
    [
      "server",
      "",
      "size",
      "calls a second",
      "median ms",
      "99th percentile",
      "worst",
      "most memory in the first half",
      "in the second",
    ],
    each(({ crowd }) =>
      crowd.map(({ sdk, how, size, callsPerSecond, median, p99, worst, resident }) => [
        sdk,
        how,
        size,
        ...[callsPerSecond, median, p99, worst].map(show),
        ...(mostInHalves(resident) ?? ["", ""]).map((bytes) => bytes && megabytes(bytes)),
      ]),
    ),
  ),
  "### Cold and small",
  "Milliseconds from starting a server on stdio until a client is connected, of its first call, and of a call of 2 KB once it is warm; shaped less naive.",
  table(
    [
      "server",
      "start, naive",
      "more when shaped",
      "first call, naive",
      "more when shaped",
      "2 KB, naive",
      "more when shaped",
    ],
    each(({ cold, calls }) =>
      cold.map(({ sdk, milliseconds: { naive, shaped } }) => {
        const small = calls.find(
          (call) => call.sdk === sdk && call.transport === "stdio" && call.size === "2 KB",
        ).milliseconds;
        return [
          sdk,
          ...[
            [naive.start, shaped.start],
            [naive.first, shaped.first],
            [small.naive, small.shaped],
          ].flatMap(([from, to]) => [milliseconds(from), less(to, from)]),
        ];
      }),
    ),
  ),
  "### A very large result",
  "Memory beyond the result itself, which its owner holds: the peak, and what is left when the call is over, as ratios of the text; of WebAssembly, the memory of all instances that live.",
  table(
    ["", "store", "text", "peak", "left", "WebAssembly before", "and after"],
    each(({ memory }, face) =>
      memory.map(({ place, textBytes, peakBytes, leftBytes, wasmBefore, wasmAfter }) => [
        face,
        place,
        megabytes(textBytes),
        show(peakBytes / textBytes),
        show(leftBytes / textBytes),
        ...[wasmBefore, wasmAfter].map((bytes) => (bytes === undefined ? "" : megabytes(bytes))),
      ]),
    ),
  ),
].join("\n\n");
const picture = await plot(faces);

writeFileSync(join(folder, "road.md"), `${text}\n`);
writeFileSync(join(folder, "road.svg"), picture);
if (process.env.UPDATE_TABLE) {
  const page = join(docs, "performance.md");
  const [before, rest] = readFileSync(page, "utf8").split(BEGIN);
  writeFileSync(page, before + BEGIN + text + END + rest.split(END)[1]);
  writeFileSync(join(docs, "performance.svg"), picture);
}
console.log(text);

function parts({ milliseconds: samples }, stores) {
  const cell = (work, store) => {
    const name = `${work}, ${store}`;
    const found = overParts(samples, work, store);
    return found ? `${milliseconds(samples[name])}, ${show(found.middle)} ×` : milliseconds(samples[name]);
  };
  const places = ["no store", ...stores];
  const own = ["JSON.stringify", "SHA-256"].map((name) => [name, milliseconds(samples[name]), ...stores.map(() => "")]);
  const sets = ["the store's `set`", "", ...stores.map((store) => milliseconds(samples[`set, ${store}`]))];
  return table(
    ["", ...places],
    [...own, sets, ...WORKS.map((work) => [work, ...places.map((place) => cell(work, place))])],
  );
}

/** The servers beside the naive one, in the order in which they were measured. */
function others() {
  return [...new Set(each(({ calls }) => calls.flatMap((call) => Object.keys(call.milliseconds))))].filter(
    (how) => how !== "naive",
  );
}

/** The calls of a size, after its first ones where these were told. */
function withEarly(call) {
  if (!call.early) return [call];
  return [
    { ...call, size: `${call.size}, its first ${call.early.naive.length} calls`, milliseconds: call.early },
    call,
  ];
}

function maybe(found) {
  return found ? showSpread(found) : "";
}

function less(samples, than) {
  return showSpread(spread(samples.map((took, round) => took - than[round])));
}
