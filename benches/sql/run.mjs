/**
 * Questions in SQL over 100,000 rows of JSON, CSV and log lines, compared with `JSON.parse` or `split` and a loop: processor time in
 * milliseconds, medians of five rounds after one that compiles. `cargo bench -p toolshape-sql` asks the same natively.
 */
import { Archive, MemoryStore, Shaper } from "toolshape";

const ROWS = 100_000;
const ROUNDS = 5;
const GENRES = ["Drama", "Comedy", "Action", "Horror", "Western", "Musical"];
const LEVELS = ["INFO", "INFO", "WARN", "DEBUG", "ERROR"];

const texts = { m: json(), c: csv(), l: log() };

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

const archive = new Archive(new Shaper(), new MemoryStore({ maxBytes: 200_000_000 }));
const handles = {};
for (const [name, text] of Object.entries(texts)) {
  const shaped = await (name === "m" ? archive.shapeJson(text, { tool: name }) : archive.shape(text, { tool: name }));
  handles[name] = /result\/([a-z]{16})/.exec(shaped.text)[1];
}
for (const [name, [sql, loop]] of Object.entries(QUESTIONS)) {
  const asked = sql.replace(/FROM ([mcl])\b/, (_, table) => `FROM ${handles[table]}`);
  const answer = await archive.readResult({ sql: asked });
  if (answer.isError) throw new Error(`${name}: ${answer.text}`);
  const ours = await median(() => archive.readResult({ sql: asked }));
  const theirs = await median(() => JSON.stringify(loop()));
  const ratio = (ours / theirs).toFixed(2);
  const end = answer.text.includes("Stopped early") ? ", stopped early" : "";
  console.log(
    `${name.padEnd(18)} ${ours.toFixed(0).padStart(5)} ${theirs.toFixed(0).padStart(5)}  ${ratio} times${end}`,
  );
}

async function median(run) {
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    if (round > 0) times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1];
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
