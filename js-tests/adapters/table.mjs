// The rows of docs/behaviours.json, and its columns that JavaScript runs: TypeScript's and Rust's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const ROOT = process.env.TOOLSHAPE_ROOT ?? join(import.meta.dirname, "../..");
// These tests run in a folder of their own, with the packages of the SDKs.
export const { putIn } = await import(pathToFileURL(join(ROOT, "js-tests/vectors.mjs")));
const shared = JSON.parse(readFileSync(join(ROOT, "docs/behaviours.json"), "utf8"));

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
