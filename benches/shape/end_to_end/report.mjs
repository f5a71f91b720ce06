/**
 * Records what was measured end to end.
 *
 * Usage: report.mjs <folder with end-to-end-node.json and end-to-end-python.json> <folder of the documentation>
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, spread } from "../figures.mjs";
import { megabytes, record, rounded, spreadCell } from "../measurements.mjs";
import { WORKS, mostInHalves, overNaive, overParts } from "./figures.mjs";
import { targets } from "./targets.mjs";

const [folder, docs] = process.argv.slice(2);
const read = (face) => JSON.parse(readFileSync(join(folder, `end-to-end-${face}.json`), "utf8"));
const faces = { Node: read("node"), Python: read("python") };
const each = (look) => Object.entries(faces).flatMap(([face, found]) => look(found, face));
const milliseconds = (samples) => rounded(median(samples));
const maybe = (value, cell) => (value === undefined ? null : cell(value));
const PARTS =
  "Processor time in milliseconds, and its ratio to the sum of the parts: shaping the text (`shapeJson`) or the value (`shape`) without a store; JSON serialization, for structured content or a value to store; with a store, SHA-256 and the store's `set`.";

const tables = [
  {
    title: "Targets, end to end",
    columns: ["target", "wanted", "found", "reached"],
    rows: targets(faces).map(({ name, atMost, found, holds }) => [name, `≤ ${atMost}`, spreadCell(found), holds]),
  },
  ...each((found, face) =>
    found.parts.map((part) => ({
      title: `Parts of a call, ${face}, ${part.size}`,
      about: face === "Node" && part === found.parts[0] ? PARTS : undefined,
      columns: ["work", "no store", ...found.stores],
      rows: parts(part, found.stores),
    })),
  ),
  {
    title: "One call, from the client",
    about:
      "Milliseconds of the naive server, and the ratio of the others to it, call by call. The first calls of a size have their own row, because V8 is still compiling then.",
    columns: ["server", "transport", "size", "naive, ms", ...others().map((how) => `${how}, over naive`)],
    rows: each(({ calls }) =>
      calls
        .flatMap(withEarly)
        .map((call) => [
          call.sdk,
          call.transport,
          call.size,
          milliseconds(call.milliseconds.naive),
          ...others().map((how) => maybe(overNaive(call, how), spreadCell)),
        ]),
    ),
  },
  {
    title: "Sixteen clients at once, over HTTP",
    columns: [
      "server",
      "variant",
      "size",
      "calls a second",
      "median, ms",
      "99th percentile, ms",
      "worst, ms",
      "most memory in the first half, MB",
      "in the second half, MB",
    ],
    rows: each(({ crowd }) =>
      crowd.map(({ sdk, how, size, callsPerSecond, median, p99, worst, resident }) => [
        sdk,
        how,
        size,
        ...[callsPerSecond, median, p99, worst].map(rounded),
        ...(mostInHalves(resident)?.map(megabytes) ?? [null, null]),
      ]),
    ),
  },
  {
    title: "Cold start",
    about:
      "Milliseconds from starting a server on stdio until a client is connected, of its first call, and of a warm call of 2 KB; and how many more toolshape takes.",
    columns: ["server", "start", "more when shaped", "first call", "more when shaped", "2 KB", "more when shaped"],
    rows: each(({ cold, calls }) =>
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
          ].flatMap(([from, to]) => [milliseconds(from), more(to, from)]),
        ];
      }),
    ),
  },
  {
    title: "A very large result",
    about:
      "Memory in addition to the result itself, as a ratio to its text: the peak, and what is left after the call; and the memory of all WebAssembly instances.",
    columns: ["language", "store", "text, MB", "peak", "left", "WebAssembly before, MB", "WebAssembly after, MB"],
    rows: each(({ memory }, face) =>
      memory.map(({ place, textBytes, peakBytes, leftBytes, wasmBefore, wasmAfter }) => [
        face,
        place,
        megabytes(textBytes),
        rounded(peakBytes / textBytes),
        rounded(leftBytes / textBytes),
        maybe(wasmBefore, megabytes),
        maybe(wasmAfter, megabytes),
      ]),
    ),
  },
];
record("end_to_end", { command: "cargo xtask bench end-to-end", tables }, { folder, docs });

function parts({ milliseconds: samples }, stores) {
  const cell = (work, store) => {
    const value = milliseconds(samples[`${work}, ${store}`]);
    const found = overParts(samples, work, store);
    return found ? { value, ratio: rounded(found.middle) } : value;
  };
  const places = ["no store", ...stores];
  const own = ["JSON.stringify", "SHA-256"].map((name) => [
    name,
    milliseconds(samples[name]),
    ...stores.map(() => null),
  ]);
  const sets = ["the store's `set`", null, ...stores.map((store) => milliseconds(samples[`set, ${store}`]))];
  return [...own, sets, ...WORKS.map((work) => [work, ...places.map((place) => cell(work, place))])];
}

/** The servers other than the naive one, in the order in which they were measured. */
function others() {
  return [...new Set(each(({ calls }) => calls.flatMap((call) => Object.keys(call.milliseconds))))].filter(
    (how) => how !== "naive",
  );
}

/** The calls of a size, after its first ones if these were measured separately. */
function withEarly(call) {
  if (!call.early) return [call];
  return [
    { ...call, size: `${call.size}, its first ${call.early.naive.length} calls`, milliseconds: call.early },
    call,
  ];
}

function more(samples, than) {
  return spreadCell(spread(samples.map((took, round) => took - than[round])));
}
