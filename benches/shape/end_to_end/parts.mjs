/**
 * Times calls and their parts in this process, in turns, and prints the samples as JSON.
 *
 * What is measured is the processor time of the process, as in `time.mjs`. Nobody is given the same text twice.
 *
 * Usage: node --expose-gc parts.mjs <size> <rounds> <rounds before, in which the machine compiles>
 */
import { createHash } from "node:crypto";
import { Archive, Shaper } from "toolshape";
import { BUDGET } from "../handlers.mjs";
import { SIZES, rowsOf, versionOf } from "./rows.mjs";
import { STORES, newStore } from "./stores.mjs";

const [size, rounds, practice] = process.argv.slice(2);
const TTL = 60;
const SCHEMA = {
  type: "object",
  properties: { items: { type: "array", items: { type: "object" } } },
  required: ["items"],
};

const rows = rowsOf(SIZES[size]);
const shaper = new Shaper({ maxTokens: BUDGET });
const preserving = new Shaper({ maxTokens: BUDGET, schema: "preserve" });

/** Rows as most tools return them, and in an object, as APIs have them and structured content has to be. */
const listOf = (version) => versionOf(rows, version);
const objectOf = (version) => ({ items: listOf(version) });
const block = (text) => ({ type: "text", text });
const thirds = (version) =>
  [0, 1, 2].map((nth) =>
    versionOf(rows.slice((nth * rows.length) / 3, ((nth + 1) * rows.length) / 3), `${version}.${nth}`),
  );
/** The object that three texts are shown as. */
const threeOf = (version) => Object.fromEntries(thirds(version).map((part, nth) => [`text ${nth + 1}`, part]));
const both = (version) => {
  const structuredContent = objectOf(version);
  return { content: [block(JSON.stringify(structuredContent))], structuredContent };
};
/** What an adapter says with every call of a tool that promises a schema, without and with a store. */
const callsOf = (by) =>
  [false, true].map(
    (hasStore) =>
      by.plan({ name: "list_orders", inputSchema: { type: "object" }, outputSchema: SCHEMA }, hasStore).call,
  );
const [widened, preserved] = [callsOf(shaper), callsOf(preserving)];

/** The parts: what they are given in each version, and what is done with it. */
const PARTS = {
  "JSON.stringify": { input: listOf, run: (value) => JSON.stringify(value) },
  "SHA-256": { input: textOf, run: (text) => createHash("sha256").update(text).digest("hex") },
};
/** Whole calls: a shaper or an archive receives what `input` makes. */
const CALLS = {
  shapeJson: { input: textOf, run: (by, text) => by.shapeJson(text) },
  "shapeJson of an envelope": {
    input: (version) => JSON.stringify(objectOf(version)),
    run: (by, text) => by.shapeJson(text),
  },
  "shapeJson of three lists": {
    input: (version) => JSON.stringify(threeOf(version)),
    run: (by, text) => by.shapeJson(text),
  },
  shape: { input: listOf, run: (by, value) => by.shape(value) },
  "a text": {
    input: (version) => ({ content: [block(textOf(version))] }),
    run: (by, result) => by.shapeResult(result),
  },
  "a text and structured": { input: both, run: (by, result) => by.shapeResult(result) },
  "three texts": {
    input: (version) => ({ content: thirds(version).map((part) => block(JSON.stringify(part))) }),
    run: (by, result) => by.shapeResult(result),
  },
  "output schema, widened": {
    input: both,
    run: (by, result, hasStore) => by.shapeResult(result, widened[Number(hasStore)]),
  },
  "output schema, preserved": {
    input: both,
    by: preserving,
    run: (by, result, hasStore) => by.shapeResult(result, preserved[Number(hasStore)]),
  },
};

const contenders = Object.entries(PARTS).map(([name, part]) => ({ name, ...part }));
for (const [name, { input, by = shaper, run }] of Object.entries(CALLS)) {
  contenders.push({ name: `${name}, no store`, input, run: (given) => run(by, given, false) });
}
for (const place of STORES) {
  const store = await newStore(place);
  const named = (version) => ({
    key: `${createHash("sha256").update(String(version)).digest("hex")}.json`,
    text: textOf(version),
  });
  contenders.push({ name: `set, ${place}`, input: named, run: ({ key, text }) => store.set(key, text, TTL) });
  for (const [name, { input, by = shaper, run }] of Object.entries(CALLS)) {
    const archive = new Archive(by, store);
    contenders.push({ name: `${name}, ${place}`, input, run: (given) => run(archive, given, true) });
  }
}

const milliseconds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
let version = 0;
for (let round = -practice; round < rounds; round++) {
  for (const { name, input, run } of contenders) {
    const given = input(++version);
    gc();
    // The host sweeps in threads of its own, whose time is none of this contender's.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const start = process.cpuUsage();
    const done = await run(given);
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) milliseconds[name].push((user + system) / 1000);
    else check(name, done);
  }
}
console.log(JSON.stringify({ size, milliseconds }));
process.exit();

function textOf(version) {
  return JSON.stringify(listOf(version));
}

/** A result that was not shaped, or not stored, would cost nothing. */
function check(name, done) {
  if (done?.receipt === undefined) return;
  const isStored = JSON.stringify(done.text ?? done.result).includes("toolshape://result/");
  if (done.receipt.steps.length === 0 || isStored === name.endsWith("no store"))
    throw new Error(`${name}: ${done.text ?? JSON.stringify(done.result)}`);
}
