/**
 * Two real API results of others, `twitter.json` and `citm_catalog.json` as npm `simdjson` carries them, through both
 * faces and under three budgets, from their JSON text and from their values. Each shaped text must be valid JSON,
 * within its budget by an independent count, and the same bytes in all four; the exit code is 1 where one is not.
 *
 * Usage: corpora.mjs [--python <interpreter that has toolshape>]
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { get_encoding } from "tiktoken";
import { Shaper } from "toolshape";
import { mark, number } from "./report.mjs";

const FILES = ["twitter.json", "citm_catalog.json"];
const BUDGETS = [200, 2000, 20_000];

const { values: options } = parseArgs({ options: { python: { type: "string", default: "python3" } } });
const folder = join(dirname(createRequire(import.meta.url).resolve("simdjson/package.json")), "jsonexamples");
const encoding = get_encoding("o200k_base");
const count = (text) => encoding.encode_ordinary(text).length;

/** The texts that TypeScript makes of a file: from its JSON text and from its value. */
function shapeHere(path, maxTokens) {
  const json = readFileSync(path, "utf8");
  const shaper = new Shaper({ maxTokens });
  const call = { tool: "corpus" };
  return [shaper.shapeJson(json, call).text, shaper.shape(JSON.parse(json), call).text];
}

/** The texts that Python makes of it, likewise. */
function shapeInPython(path, maxTokens) {
  const script = fileURLToPath(new URL("corpora.py", import.meta.url));
  return JSON.parse(execFileSync(options.python, [script, path, String(maxTokens)], { maxBuffer: 2 ** 28 }));
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const table = new Table({
  head: ["file", "tokens", "budget", "shaped tokens", "within", "valid JSON", "same bytes"],
  colAligns: ["left", "right", "right", "right", "center", "center", "center"],
  style: { head: [], border: [], compact: true },
});
let holds = true;
for (const file of FILES) {
  const path = join(folder, file);
  const before = count(readFileSync(path, "utf8"));
  for (const budget of BUDGETS) {
    const texts = [...shapeHere(path, budget), ...shapeInPython(path, budget)];
    const tokens = Math.max(...texts.map(count));
    const facts = [tokens <= budget, texts.every(isJson), new Set(texts).size === 1];
    table.push([file, number(before), number(budget), number(tokens), ...facts.map(mark)]);
    holds &&= facts.every(Boolean);
  }
}
console.log(`${table}`);
process.exitCode = holds ? 0 : 1;
