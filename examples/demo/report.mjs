/** How the demo shows itself: progress, the table, the figures and the verdicts. */
import { styleText } from "node:util";
import Table from "cli-table3";

/** Thousands apart, whatever the machine's language. */
export const number = (value) => Math.round(value).toLocaleString("en");

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const colored = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (color, text) => (colored ? styleText(color, text) : text);
export const mark = (holds) => (holds === undefined ? "–" : holds ? paint("green", "✓") : paint("red", "✗"));

/** Says what is being done, does it, and says how it ended and how long it took. */
export async function progress(what, work) {
  process.stdout.write(`  ${what} … `);
  const start = performance.now();
  const outcome = await work();
  console.log(`${outcome}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** The lines by which a shaped server differs from the naive one. */
export function installs(installed) {
  return Object.values(installed)
    .flatMap(({ files: [before, after], imports, lines }) => [
      `From ${before} to ${after}:`,
      ...[...imports, ...lines].map((line) => `  + ${line}`),
    ])
    .map((line) => `  ${line}`)
    .join("\n");
}

/** The table of all steps; where everything had come with the first call, the naive server needed no other. */
export function table(rows) {
  const out = new Table({
    head: ["step", "tool", "naive tokens", "shaped tokens", "budget", "round trips", "same bytes"],
    colAligns: ["left", "left", "right", "right", "right", "center", "center"],
    style: { head: [], border: [], compact: true },
  });
  let total = { naive: 0, shaped: 0, naiveCalls: 0 };
  for (const { step, tool, naive, shaped, budget, same } of rows) {
    const calls = naive === undefined ? 0 : 1;
    out.push([step, tool, calls ? number(naive) : "–", number(shaped), number(budget), `${calls} / 1`, mark(same)]);
    total = {
      naive: total.naive + (naive ?? 0),
      shaped: total.shaped + shaped,
      naiveCalls: total.naiveCalls + calls,
    };
  }
  const trips = `${total.naiveCalls} / ${rows.length}`;
  out.push([
    "all of it",
    "",
    number(total.naive),
    number(total.shaped),
    "",
    trips,
    mark(rows[0].same === undefined ? undefined : rows.every(({ same }) => same)),
  ]);
  return `${out}\n  Round trips: naive / shaped. Same bytes: TypeScript and Python (with --python), naive and shaped.`;
}

/** What the README shows: the list, as the model reads it, and what it costs. */
export function listing({ list, firstPage }) {
  return [
    "What the model reads of the list:",
    ...wrapped(firstPage.slice(0, 400)).map((line) => `  ${line}`),
    "  …",
    `One listing: ${number(list.naive)} → ${number(list.shaped)} tokens.`,
  ]
    .map((line) => `  ${line}`)
    .join("\n");
}

/** A text in lines of at most 110 characters, broken after commas and spaces. */
const wrapped = (text) => text.match(/.{1,110}(?:[ ,]|$)/g).map((line) => line.trimEnd());

/** The figures that matter to a working agent. */
export function figures({ list, pages, window, room }) {
  const largest = Math.max(...pages);
  return [
    `Left of a window of ${number(window)} after listing: ${percent(room)}` +
      ` (naive: none, it fills ${(list.naive / window).toFixed(2)} windows).`,
    `The whole list, page by page: ${pages.length} pages, the largest of ${number(largest)} tokens.`,
  ]
    .map((line) => `  ${line}`)
    .join("\n");
}

/** One line for each promise, and whether it held. */
export function verdicts(verdicts) {
  return verdicts.map(({ promise, holds }) => `  ${mark(holds)} ${promise}`).join("\n");
}
