/**
 * Questions in SQL over 100,000 rows of JSON, CSV and log lines, compared with `JSON.parse` or `split` and a loop, in Node and in Python, whose
 * package is native: processor time in milliseconds after a round that compiles, and the peak memory of a process that asks one question.
 *
 * Usage: run.mjs <Python> <folder of the documentation>
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Archive, MemoryStore, Shaper } from "toolshape";
import { median, ratio } from "../shape/figures.mjs";
import { megabytes, record, rounded, spreadCell } from "../shape/measurements.mjs";

const ROWS = 100_000;
const ROUNDS = 5;
const GENRES = ["Drama", "Comedy", "Action", "Horror", "Western", "Musical"];
const LEVELS = ["INFO", "INFO", "WARN", "DEBUG", "ERROR"];

const texts = {};
const handles = {};
const archive = new Archive(new Shaper(), new MemoryStore({ maxBytes: 200_000_000 }));
const FOLDER = join(import.meta.dirname, "texts");
/** What a process does whose memory is measured. */
const SIDES = {
  SQL: (name) => ask(name),
  "a loop": (name) => JSON.stringify(QUESTIONS[name][1]()),
  "the text": () => {},
};
/** The questions whose memory is measured. */
const MEASURED = ["group and mean", "CSV group", "lines by level"];

/** Questions over `m`, `c` and `l`, and the same as a loop. */
const QUESTIONS = {
  count: [
    "SELECT count(*) FROM m WHERE rating > 7.5 AND genre = 'Drama'",
    () => parsed().filter((row) => row.rating > 7.5 && row.genre === "Drama").length,
  ],
  "group and mean": [
    "SELECT genre, count(*), avg(rating) FROM m GROUP BY 1 ORDER BY 3 DESC",
    () => means(parsed().map((row) => [row.genre, row.rating])),
  ],
  "order, limit 20": [
    "SELECT id, title, gross FROM m ORDER BY gross DESC, id LIMIT 20",
    () =>
      parsed()
        .sort((a, b) => b.gross - a.gross || a.id - b.id)
        .slice(0, 20),
  ],
  "nested ->>": [
    "SELECT info->>'city', count(*) FROM m GROUP BY 1",
    () => counts(parsed().map((row) => row.info.city)),
  ],
  "one value of the document": ["SELECT doc->'$[99999]'->>'title' FROM m_doc", () => parsed()[99999].title],
  regexp: [
    "SELECT count(*) FROM m WHERE title REGEXP 'movie [0-9]{3}7\\b'",
    () => parsed().filter((row) => /movie [0-9]{3}7\b/.test(row.title)).length,
  ],
  "CSV count": [
    "SELECT count(*) FROM c WHERE rating > 7.5 AND genre = 'Drama'",
    () => cells().filter((row) => Number(row[3]) > 7.5 && row[2] === "Drama").length,
  ],
  "CSV group": [
    "SELECT genre, count(*), avg(rating) FROM c GROUP BY 1",
    () => means(cells().map((row) => [row[2], Number(row[3])])),
  ],
  "lines LIKE": [
    "SELECT count(*) FROM l WHERE text LIKE '%duration: %'",
    () => lines().filter((line) => line.toLowerCase().includes("duration: ")).length,
  ],
  "lines REGEXP": [
    "SELECT count(*) FROM l WHERE text REGEXP 'duration: [0-9]{4,}'",
    () => lines().filter((line) => /duration: [0-9]{4,}/.test(line)).length,
  ],
  "lines by level": [
    "SELECT level, count(*) FROM l GROUP BY 1",
    () => counts(lines().map((line) => line.split(" ")[2])),
  ],
  "lines by capture": [
    "SELECT capture(text, 'user (\\w+)'), count(*) FROM l GROUP BY 1",
    () => counts(lines().map((line) => /user (\w+)/.exec(line)?.[1])),
  ],
};

const [python, docs] = process.argv.slice(2);
if (python === "--memory") {
  const [, , , side, name] = process.argv;
  openTexts();
  await SIDES[side](name);
  console.log(process.resourceUsage().maxRSS * 1024);
} else {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries({ m: json(), c: csv(), l: log() })) writeFileSync(join(FOLDER, name), text);
  const asked = Object.fromEntries(Object.entries(QUESTIONS).map(([name, [sql]]) => [name, sql]));
  writeFileSync(join(FOLDER, "questions.json"), JSON.stringify(asked));
  openTexts();
  const faces = { Node: await measured(), Python: JSON.parse(execFileSync(python, ["run.py", FOLDER, `${ROUNDS}`])) };
  const run = { Node: [process.execPath, ["run.mjs"]], Python: [python, ["run.py", FOLDER]] };
  const memory = ([program, first], side, name) =>
    Number(execFileSync(program, [...first, "--memory", side, name], { maxBuffer: 1 << 20 }));
  const tables = [
    {
      title: "Questions in SQL",
      about: `Processor time in milliseconds over ${ROWS.toLocaleString("en")} rows (JSON ${size("m")} MB, CSV ${size("c")}, log ${size("l")}), warm, with its ratio to a parser and a loop.`,
      columns: ["question", "language", "SQL, ms", "parser and loop, ms", "ratio"],
      rows: Object.keys(QUESTIONS).flatMap((name) =>
        Object.entries(faces).map(([face, found]) => {
          const { ours, theirs } = found[name];
          return [name, face, rounded(median(ours)), rounded(median(theirs)), spreadCell(ratio(ours, theirs))];
        }),
      ),
    },
    {
      title: "Memory of a question in SQL",
      about: "Peak of a process that reads the texts and asks one question, less that of one that only reads them, MB.",
      columns: ["question", "language", "SQL", "parser and loop"],
      rows: MEASURED.flatMap((name) =>
        Object.entries(run).map(([face, program]) => {
          const [ours, theirs, text] = Object.keys(SIDES).map((side) => memory(program, side, name));
          return [name, face, megabytes(ours - text), megabytes(theirs - text)];
        }),
      ),
    },
  ];
  record("sql", { command: "cargo xtask bench sql", tables }, { folder: FOLDER, docs });
}

/** Samples of both sides by question. */
async function measured() {
  const found = {};
  for (const name of Object.keys(QUESTIONS)) {
    const answer = await ask(name);
    if (answer.isError || answer.text.includes("Stopped early")) throw new Error(`${name}: ${answer.text}`);
    found[name] = { ours: await times(() => ask(name)), theirs: await times(() => SIDES["a loop"](name)) };
  }
  return found;
}

async function times(run) {
  const found = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    if (round > 0) found.push((user + system) / 1000);
  }
  return found;
}

/** Asks about a stored text, which is stored at its first question. */
async function ask(name) {
  const [, table, whole = ""] = /FROM ([mcl])(_doc)?\b/.exec(QUESTIONS[name][0]);
  handles[table] ??= await stored(table);
  return archive.readResult({
    sql: QUESTIONS[name][0].replace(`FROM ${table}${whole}`, `FROM ${handles[table]}${whole}`),
  });
}

async function stored(table) {
  const call = { tool: table };
  const shaped = await (table === "m" ? archive.shapeJson(texts.m, call) : archive.shape(texts[table], call));
  return /result\/([a-z]{16})/.exec(shaped.text)[1];
}

function openTexts() {
  for (const name of ["m", "c", "l"]) texts[name] = readFileSync(join(FOLDER, name), "utf8");
}

function size(name) {
  return megabytes(texts[name].length);
}

function parsed() {
  return JSON.parse(texts.m);
}

function lines() {
  return texts.l.split("\n");
}

function cells() {
  return texts.c.split("\n").map((line) => line.split(","));
}

function counts(keys) {
  const found = {};
  for (const key of keys) found[key] = (found[key] ?? 0) + 1;
  return found;
}

function means(pairs) {
  const found = {};
  for (const [key, number] of pairs) {
    found[key] ??= [0, 0];
    found[key][0]++;
    found[key][1] += number;
  }
  return found;
}

function fields(at) {
  const [rating, gross, votes] = [((at * 37) % 100) / 10, (at * 7919) % 1_000_003, (at * 31) % 5000];
  const [director, city, minutes] = [`Person ${at % 977} of somewhere`, `City ${at % 50}`, at % 180];
  return {
    id: at,
    title: `The movie ${at} of the long evening`,
    genre: GENRES[at % 6],
    rating,
    gross,
    votes,
    director,
    city,
    minutes,
  };
}

function json() {
  const row = (_, at) => {
    const { city, minutes, ...rest } = fields(at);
    return { ...rest, info: { mpaa: "PG-13", city, minutes }, note: null };
  };
  return JSON.stringify(Array.from({ length: ROWS }, row));
}

function csv() {
  const rows = Array.from({ length: ROWS }, (_, at) => Object.values(fields(at)).join(","));
  return ["id,title,genre,rating,gross,votes,director,place,minutes", ...rows].join("\n");
}

function log() {
  const two = (number) => String(number % 60).padStart(2, "0");
  const line = (_, at) => {
    const time = `2026-11-20 10:${two(Math.floor(at / 60))}:${two(at)},${String(at % 1000).padStart(3, "0")}`;
    const request = `request ${at} of user u${at % 313} on /api/items/${at % 1009}`;
    return `${time} ${LEVELS[(at * 7) % 5]} [worker-${at % 8}] ${request} ended, duration: ${(at * 13) % 4000} ms`;
  };
  return Array.from({ length: ROWS }, line).join("\n");
}
