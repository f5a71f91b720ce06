// The rows and columns of the table in the docs: those that are tried from here, TypeScript's and Rust's, and the table itself.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = process.env.TOOLSHAPE_ROOT ?? join(import.meta.dirname, "../..");
// These tests run in a folder of their own, with the packages of the SDKs.
export const { putIn } = await import(pathToFileURL(join(ROOT, "js-tests/vectors.mjs")));
const shared = JSON.parse(readFileSync(join(ROOT, "docs/behaviours.json"), "utf8"));

/** The page with the table, between two comments. */
export const DOCUMENT = join(ROOT, "docs/mcp.md");
export const POLICY = shared.policy;
export const BUDGET = POLICY.maxTokens;
export const ROWS = shared.rows;
export const [LEGACY, MODERN] = ["2025", "2026"];

const columnsOf = ({ sdk, eras }) =>
  eras.flatMap((era) => shared.transports.map((transport) => ({ sdk, transport, era })));

/** Each SDK, transport and era that are tried together here. */
export const COLUMNS = shared.columns.filter(({ language }) => language !== "python").flatMap(columnsOf);

/** Whether a column is one of those that a row or a step is meant for. */
export const holds = (where, column) => Object.entries(where).every(([key, of]) => [of].flat().includes(column[key]));

/** Why a row has no meaning in a column, if it has none. */
export function reasonAgainst({ except = [] }, column) {
  return except.find(({ where }) => holds(where, column))?.reason;
}

/** The table as Markdown: an SDK and an era in each column, both transports in each cell. */
export function markdown() {
  const reasons = [];
  const heads = shared.columns.flatMap(({ title, sdk, eras }) =>
    eras.map((era) => ({ title: `${title}, ${era}`, sdk, era })),
  );
  const mark = (row, { sdk, era }) => {
    const told = shared.transports.map((transport) => reasonAgainst(row, { sdk, era, transport }));
    const marks = [...new Set(told)].map((reason) => {
      if (reason === undefined) return "✓";
      if (!reasons.includes(reason)) reasons.push(reason);
      return `(${reasons.indexOf(reason) + 1})`;
    });
    return marks.sort().reverse().join(" ");
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = ROWS.map((row) => line([`**${row.name}**: ${row.promise}`, ...heads.map((head) => mark(row, head))]));
  const notes = reasons.map((reason, at) => `(${at + 1}) ${reason}.`);
  const top = [line(["", ...heads.map(({ title }) => title)]), line(["---", ...heads.map(() => ":-:")])];
  return [...top, ...rows, "", notes.join(" ")].join("\n");
}
