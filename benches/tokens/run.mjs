/**
 * Counting, compared with the tokenizers that people use. Each contender is a process that executes orders (`worker.mjs`,
 * `worker.py` and `native/`). The figures come from text that no process has seen: the corpora are split into chunks, the first
 * quarter warms all contenders up, and each contender in turn counts each further chunk once. The table shows the median, and
 * how many times better toolshape was.
 *
 * Usage: run.mjs <folder with the contenders, the ranks and corpora/> <Python>; it writes tokens.md next to the folder.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "../shape/figures.mjs";
import { table } from "../shape/table.mjs";

const [folder, python] = process.argv.slice(2);
const here = import.meta.dirname;

const CORPORA = ["pretty.json", "minified.json", "prose.txt", "multilingual.txt"];
const FACES = [
  {
    title: "JavaScript, in Node",
    names: ["toolshape", "gpt-tokenizer", "ai-tokenizer", "tiktoken", "js-tiktoken"],
    command: (name) => [process.execPath, join(folder, "worker.mjs"), name],
  },
  {
    title: "Python",
    names: ["toolshape", "tiktoken", "bpe-openai", "gigatoken", "fastokens"],
    command: (name) => [python, join(here, "worker.py"), name, join(folder, "o200k_base.tiktoken")],
  },
  {
    title: "Rust",
    names: ["toolshape", "bpe-openai", "toktok-rs", "tiktoken (goliajp)"],
    command: (name) => [join(folder, "native/release/token-bench"), name],
  },
];
const env = { ...process.env, PYTHONPATH: join(folder, "python"), TIKTOKEN_CACHE_DIR: folder };

/** Characters of a chunk, and the most chunks of a corpus; a quarter of them is for warming up. */
const CHUNK = 400_000;
const CHUNKS = 12;
/** The text and the limit of "does it fit". */
const LARGE = 5_000_000;
const LIMIT = 2000;
const ROUNDS = 5;

const { chunks, large, edge } = texts();
const parts = ["# Counting tokens of o200k_base"];
for (const face of FACES) {
  console.log(`tokens, ${face.title}`);
  const workers = face.names.map((name) => worker(name, face.command(name)));
  parts.push(`## ${face.title}`, await unseen(workers), await short(workers), await within(workers));
  for (const { child } of workers) child.kill();
  parts.push(cold(face));
}
writeFileSync(join(dirname(folder), "tokens.md"), parts.join("\n\n"));
console.log(parts.join("\n\n"));

/** Megabytes a second of text that is new to all. */
async function unseen(workers) {
  const found = workers.map(({ name }) => ({ name, speeds: [], differing: 0 }));
  for (const corpus of chunks) {
    const samples = workers.map(() => []);
    for (const [number, { file, bytes }] of corpus.entries()) {
      const counts = [];
      for (const [at, { ask }] of workers.entries()) {
        const [nanoseconds, tokens] = await ask(`count\t${file}`);
        counts.push(tokens);
        if (number >= Math.floor(corpus.length / 4)) samples[at].push((bytes * 1e3) / nanoseconds);
      }
      for (const [at, tokens] of counts.entries()) found[at].differing += Number(tokens !== counts[0]);
    }
    for (const [at, speeds] of samples.entries()) found[at].speeds.push(median(speeds));
  }
  const rows = found.map(({ name, speeds, differing }) => [
    name,
    ...speeds.map((speed, at) => versus(speed, found[0].speeds[at] / speed)),
    differing,
  ]);
  return table(
    ["MB/s, unseen text", "pretty JSON", "minified", "prose, code", "multilingual", "counts that differ"],
    rows,
  );
}

/** Microseconds for texts of a typical, short length. */
async function short(workers) {
  const orders = [20, 2000].map((length) => `short\t${chunks[2][0].file}\t${length}`);
  return table(["µs a text", "20 characters", "2,000 characters"], await timed(workers, orders, ROUNDS, 1e3));
}

/** Milliseconds to know whether 5 MB are within 2,000 tokens. */
async function within(workers) {
  const orders = [large, edge].map((file) => `within\t${file}\t${LIMIT}`);
  const head = ["ms to know whether 5 MB are within 2,000 tokens", "pretty JSON", "200 kB of it"];
  return table(head, await timed(workers, orders, 3, 1e6));
}

/** Milliseconds to the first count in a new process, from import. */
function cold({ names, command }) {
  const times = names.map((name) => {
    const [program, ...rest] = command(name);
    const start = () => Number(spawnSync(program, [...rest, "cold"], { env, encoding: "utf8" }).stdout) / 1e6;
    return median(Array.from({ length: ROUNDS }, start));
  });
  return table(
    ["ms to the first count, from import", ""],
    names.map((name, at) => [name, versus(times[at], times[at] / times[0])]),
  );
}

/** Rows of the median times of orders, in which the contenders take turns. */
async function timed(workers, orders, rounds, unit) {
  const times = workers.map(() => orders.map(() => []));
  for (let round = 0; round < rounds; round++) {
    for (const [at, { ask }] of workers.entries()) {
      for (const [column, order] of orders.entries()) times[at][column].push((await ask(order))[0] / unit);
    }
  }
  const medians = times.map((row) => row.map(median));
  return workers.map(({ name }, at) => [
    name,
    ...medians[at].map((time, column) => versus(time, time / medians[0][column])),
  ]);
}

/** A running contender; `ask` returns nanoseconds, and tokens if they were counted. */
function worker(name, [program, ...rest]) {
  const child = spawn(program, rest, { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (order) => {
    child.stdin.write(`${order}\n`);
    const { value = "" } = await lines.next();
    const numbers = value.split(" ").map(Number);
    if (numbers.length < 2 || numbers.some(Number.isNaN)) throw new Error(`${name} gave up on ${order}`);
    return numbers;
  };
  return { name, child, ask };
}

/** Splits the corpora into files, and writes the large texts next to them. */
function texts() {
  const write = (name, text) => {
    const file = join(folder, "chunks", name);
    writeFileSync(file, text);
    return { file, bytes: Buffer.byteLength(text) };
  };
  mkdirSync(join(folder, "chunks"), { recursive: true });
  const chunks = CORPORA.map((corpus) => {
    const text = readFileSync(join(folder, "corpora", corpus), "utf8").toWellFormed();
    // Small corpora in smaller chunks, so that there are enough of them.
    const size = Math.min(CHUNK, Math.floor(text.length / 8));
    const count = Math.min(CHUNKS, Math.floor(text.length / size));
    return Array.from({ length: count }, (_, at) =>
      write(`${corpus}-${at}`, text.slice(at * size, (at + 1) * size).toWellFormed()),
    );
  });
  const pretty = readFileSync(join(folder, "corpora", CORPORA[0]), "utf8");
  const large = write("large.json", pretty.repeat(Math.ceil(LARGE / pretty.length)).slice(0, LARGE)).file;
  return { chunks, large, edge: write("edge.json", pretty.slice(0, 200_000)).file };
}

/** A figure, and how many times better ours is. */
function versus(figure, ratio) {
  const shown = figure.toFixed(figure < 10 ? 2 : 0);
  return ratio === 1 ? shown : `${shown} (${ratio.toFixed(1)}×)`;
}
