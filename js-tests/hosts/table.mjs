// The tables of docs/hosts.md, from what was measured: each host keeps its row until it is measured again.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXPECTED, expectedOf } from "./shows.mjs";
import { TASKS } from "./tasks.mjs";

const [BEGIN, END] = ["<!-- written by cargo xtask hosts -->", "<!-- end of what is written -->"];

/** Writes the rows to docs/measurements/hosts.json, and the tables from all that are there. */
export function write(root, measured) {
  const [data, page] = [join(root, "docs/measurements/hosts.json"), join(root, "docs/hosts.md")];
  const date = new Date().toISOString().slice(0, 10);
  const known = JSON.parse(readFileSync(data, "utf8"));
  const isOld = (row) => measured.every(({ name }) => name !== row.name);
  const all = [...known.filter(isOld), ...measured.map((row) => ({ ...row, date }))];
  all.sort((one, other) => (one.title.toLowerCase() < other.title.toLowerCase() ? -1 : 1));
  writeFileSync(data, `${JSON.stringify(all, null, 1)}\n`);
  const text = readFileSync(page, "utf8");
  const [before, after] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END))];
  writeFileSync(page, `${before}${BEGIN}\n\n${shownTable(all)}\n${taskTable(all)}\n${after}`);
}

const line = (cells) => `| ${cells.join(" | ")} |\n`;
const table = (heads, rows) => line(heads) + line(heads.map(() => "---")).replaceAll(" ", "") + rows.map(line).join("");
const number = (value) => value.toLocaleString("en-US");

/** What a host shows: measured, or from the source that `host.rs` names. */
function shownTable(rows) {
  const measured = rows.map((row) => [row, expectedOf(row.title)]);
  const others = EXPECTED.filter(({ title }) => measured.every(([, host]) => host.title !== title));
  const cells = (host, title, from) => [title, from, channel(host), limit(host), host.then, DROPS[host.drops]];
  return table(
    ["host", "release, date", "shows", "maximum", "a larger result", "does not show"],
    [
      ...measured.map(([row, host]) =>
        cells(host, row.title, [`${row.release}, ${row.date}`, ...row.failures].join("; ")),
      ),
      ...others.map((host) => cells(host, host.title, host.source)),
    ],
  );
}

const DROPS = {
  Nothing: "",
  Links: "links",
  LinksBesideStructured: "links next to structured content",
  LinksAndImagesBesideStructured: "links and images next to structured content",
};
const CHANNELS = { content: "`content`", structured: "`structuredContent`", both: "both" };
const WRITING = { text: "", blocks: ", as JSON", result: ", as JSON" };
const channel = ({ channel, writing }) => CHANNELS[channel] + WRITING[writing];

const limit = ({ limit }) =>
  Object.entries(limit)
    .map(([unit, most]) => `${number(most)} ${unit === "chars" ? "characters" : unit}`)
    .join(" or ") || "none";

/** The tokens of a list that is not shaped, and what the host does with it. */
function naive({ title, read }) {
  const host = expectedOf(title);
  if (read.naive === 0) return "none";
  const done = host.needsObject ? ", refused" : Object.keys(host.limit).length > 0 ? ", cut" : "";
  return number(read.naive) + done;
}

/** A host may show images as text, or not at all. */
const answered = ({ images }, task) =>
  task === "image" && images !== "picture" ? { text: "as base64", note: "a note", none: "not shown" }[images] : "✓";

/** What the model read of a list of 800 rows, and the tasks that all three ways of shaping answer. */
function taskTable(rows) {
  const names = TASKS.map(({ name }) => name);
  const has = (row, task) => Object.values(row.tasks).every((answered) => answered.includes(task));
  return table(
    ["host", "tokens of a list", "with toolshape", ...names],
    rows.map((row) => [
      row.title,
      naive(row),
      number(Math.max(row.read.shaped, row.read.npm, row.read.wheel)),
      ...names.map((task) => (has(row, task) ? answered(row, task) : "no")),
    ]),
  );
}
