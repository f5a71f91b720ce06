/**
 * Questions about 100,000 rows, 20 MB of JSON text: answered by `read_result`, and by `JSON.parse` and a loop that one
 * writes for this question alone; and what it costs to store the rows, which comes before the first question.
 *
 * Usage: node --expose-gc questions.mjs time <folder of the data> <rounds>
 *        node --expose-gc questions.mjs memory <folder of the data> <question> <contender>
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { memory, settled } from "./resident.mjs";

const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] ?? 0), 0);
const has = (rows, key) => rows.filter((row) => row[key] !== null);

/** Questions by name: the arguments of `read_result`, and the loop. */
export const QUESTIONS = {
  "sort by a number, 20 rows": [
    { sql: "SELECT Title, `Worldwide Gross` FROM result ORDER BY 2 DESC LIMIT 20" },
    (rows) =>
      rows
        .sort((a, b) => (b["Worldwide Gross"] ?? -1) - (a["Worldwide Gross"] ?? -1))
        .slice(0, 20)
        .map((row) => [row.Title, row["Worldwide Gross"]]),
  ],
  "sort by a text, 20 rows": [
    { sql: "SELECT * FROM result ORDER BY Title LIMIT 20" },
    (rows) => rows.sort((a, b) => (a.Title < b.Title ? -1 : a.Title > b.Title ? 1 : 0)).slice(0, 20),
  ],
  "group by genre, sum of each": [
    { sql: "SELECT `Major Genre`, count(*), sum(`Worldwide Gross`) FROM result GROUP BY 1 ORDER BY 3 DESC" },
    (rows) =>
      [...grouped(rows, "Major Genre")]
        .map(([key, own]) => [key, own.length, sum(own, "Worldwide Gross")])
        .sort((a, b) => b[2] - a[2]),
  ],
  "group by director, mean of each": [
    { sql: "SELECT Director, count(*), avg(`IMDB Rating`) FROM result GROUP BY 1 ORDER BY 3 DESC" },
    (rows) =>
      [...grouped(rows, "Director")]
        .map(([key, own]) => [key, own.length, sum(own, "IMDB Rating") / has(own, "IMDB Rating").length])
        .sort((a, b) => b[2] - a[2]),
  ],
  "aggregate: count, sum, mean, max": [
    { sql: "SELECT count(*), sum(`Worldwide Gross`), avg(`IMDB Rating`), max(`IMDB Votes`) FROM result" },
    (rows) => [
      rows.length,
      sum(rows, "Worldwide Gross"),
      sum(rows, "IMDB Rating") / has(rows, "IMDB Rating").length,
      rows.reduce((most, row) => Math.max(most, row["IMDB Votes"]), 0),
    ],
  ],
  median: [
    { sql: "SELECT median(`Worldwide Gross`) FROM result" },
    (rows) =>
      has(rows, "Worldwide Gross")
        .map((row) => row["Worldwide Gross"])
        .sort((a, b) => a - b)[rows.length >> 1],
  ],
  distinct: [
    { sql: "SELECT count(DISTINCT Director) FROM result" },
    (rows) => new Set(rows.map((row) => row.Director)).size,
  ],
  "three counts by filters": [
    { sql: "SELECT sum(`IMDB Rating` > 8), sum(`Major Genre` = 'Western'), sum(Director IS NULL) FROM result" },
    (rows) => [
      rows.filter((row) => row["IMDB Rating"] > 8).length,
      rows.filter((row) => row["Major Genre"] === "Western").length,
      rows.filter((row) => row.Director === null).length,
    ],
  ],
  "filter, then group": [
    { sql: "SELECT `Major Genre`, count(*) FROM result WHERE `IMDB Rating` > 5 GROUP BY 1" },
    (rows) =>
      [
        ...grouped(
          rows.filter((row) => row["IMDB Rating"] > 5),
          "Major Genre",
        ),
      ].map(([key, own]) => [key, own.length]),
  ],
  filter: [
    { sql: "SELECT * FROM result WHERE `Worldwide Gross` > 1000000000" },
    (rows) => rows.filter((row) => row["Worldwide Gross"] > 1e9),
  ],
  search: [
    { search: "transporter" },
    (rows) => rows.filter(({ Title }) => String(Title).toLowerCase().includes("transporter")),
  ],
  "search, exact case": [
    { sql: "SELECT * FROM result WHERE Title GLOB '*Transporter*'" },
    (rows) => rows.filter(({ Title }) => String(Title).includes("Transporter")),
  ],
  "search, whole word": [
    { sql: "SELECT * FROM result WHERE Title REGEXP '(?i)\\bjarhead\\b'" },
    (rows) => rows.filter(({ Title }) => /(?<![\p{L}\p{N}_])jarhead(?![\p{L}\p{N}_])/iu.test(Title)),
  ],
  "search, regular expression": [
    { sql: "SELECT * FROM result WHERE Title REGEXP '(?i)star (wars|trek)'" },
    (rows) => rows.filter(({ Title }) => /star (wars|trek)/i.test(Title)),
  ],
};

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const known = groups.get(row[key]);
    if (known) known.push(row);
    else groups.set(row[key], [row]);
  }
  return groups;
}

/** What it costs to store the rows, by name: what toolshape does, and what the host does with all of them. */
const STORING = {
  "to store them, as JSON text": { json: true, peer: (text) => JSON.parse(text) },
  "to store them, as values": {
    json: false,
    peer: (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex"),
  },
};

/** Of each contender a function that answers a question, or stores the rows. */
async function contenders(text) {
  const { Archive, MemoryStore, Shaper } = await import("toolshape");
  const shaper = new Shaper({ maxTokens: 2000 });
  const archive = new Archive(shaper, new MemoryStore({ maxBytes: 100_000_000 }));
  const handle = /result\/([a-z]{16})/.exec((await archive.shapeJson(text, { tool: "bench" })).text)[1];
  const call = { tool: "bench", store: true };
  return {
    toolshape: async (name, rows) => {
      if (name in STORING) return STORING[name].json ? shaper.shapeJson(text, call) : shaper.shape(rows, call);
      const answer = await archive.readResult({ handle, ...QUESTIONS[name][0] });
      if (answer.isError) throw new Error(`${name}: ${answer.text}`);
      return answer;
    },
    loop: (name, rows) => {
      if (name in STORING) return STORING[name].peer(STORING[name].json ? text : rows);
      return JSON.stringify(QUESTIONS[name][1](JSON.parse(text)));
    },
  };
}

async function time(text, rounds) {
  const runs = await contenders(text);
  const rows = JSON.parse(text);
  const found = [];
  for (const name of [...Object.keys(STORING), ...Object.keys(QUESTIONS)]) {
    const milliseconds = { toolshape: [], loop: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const [contender, run] of Object.entries(runs)) {
        gc();
        // The host sweeps in threads of its own.
        await new Promise((resolve) => setTimeout(resolve, 50));
        const start = process.cpuUsage();
        await run(name, rows);
        const { user, system } = process.cpuUsage(start);
        // The first round compiles.
        if (round > 0) milliseconds[contender].push((user + system) / 1000);
      }
    }
    found.push({ question: name, milliseconds });
  }
  return found;
}

async function peak(text, question, contender) {
  const run = (await contenders(text))[contender];
  await settled();
  const before = memory(true).now;
  await run(question);
  return { question, contender, peakBytes: Math.max(0, memory().peak - before), textBytes: Buffer.byteLength(text) };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [figure, folder, ...rest] = process.argv.slice(2);
  const text = readFileSync(join(folder, "movies.json"), "utf8");
  console.log(JSON.stringify(await (figure === "time" ? time(text, Number(rest[0])) : peak(text, ...rest))));
}
