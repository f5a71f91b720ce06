/**
 * Causes each fault in each store, and counts: calls, answers that were right, handles that were given, and what became
 * of them. Nothing may be lost: each call has a right answer, and each handle opens the whole result, unless the fault
 * itself destroyed it; then it opens nothing.
 *
 * Usage: run.mjs [--rounds <a factor for the number of calls>]
 */
import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { startRedis } from "../redis.mjs";
import { archiveOver, ask, holds, rowsOf, STORES } from "./calls.mjs";

const CALLS = fileURLToPath(new URL("calls.mjs", import.meta.url));
const rounds = Number(process.argv[process.argv.indexOf("--rounds") + 1]) || 1;
const PRIVATE = ["--user", "--map-root-user", "--mount"];
if (process.env.TOOLSHAPE_MAY_MOUNT === undefined && spawnSync("unshare", [...PRIVATE, "true"]).status === 0) {
  const inside = spawnSync("unshare", [...PRIVATE, process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, TOOLSHAPE_MAY_MOUNT: "1" },
  });
  process.exit(inside.status ?? 1);
}

const scratch = mkdtempSync(join(tmpdir(), "toolshape-faults-"));
const disks = [];
const table = [];
let number = 0;

function run(program, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

/** A folder of its own, on a disk of its own where one can be mounted. */
function newDisk(megabytes) {
  const path = mkdtempSync(join(scratch, "disk-"));
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "none", path);
  disks.push(path);
  const folder = join(path, "store");
  mkdirSync(folder, { mode: 0o700 });
  return { folder, remount: (how) => run("mount", "-o", `remount,${how}`, path) };
}

/** Makes this many calls, one after the other. */
async function calls(archive, count) {
  const answers = [];
  for (let at = 0; at < count * rounds; at++) answers.push(await ask(archive, number++));
  return answers;
}

/** Makes calls in another process; `ended` has the answers that it gave before it ended. */
function callsElsewhere(kind, where, count) {
  const child = spawn(process.execPath, [CALLS, kind, where, String(count), String(number)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  number += count;
  let printedText = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (printedText += text));
  const ended = new Promise((resolve) =>
    child.on("close", () =>
      resolve(
        printedText
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      ),
    ),
  );
  return { child, ended };
}

/** Opens every handle that was given, in a new store, and adds a row to the table. */
async function record(kind, fault, answers, archive, mayBeGone = false) {
  const handles = answers.filter(({ handle }) => handle !== null);
  const [found, reads] = [{ whole: 0, gone: 0, wrong: 0 }, 3];
  for (const { handle, number } of handles) {
    let shaped;
    for (let tries = 0; tries < reads && (shaped === undefined || /STORE_FAILED/.test(shaped.text)); tries++)
      shaped = await archive.readResult({ handle });
    if (shaped.isError) found.gone++;
    else found[holds(rowsOf(number), shaped.value.items) ? "whole" : "wrong"]++;
  }
  const right = answers.filter(({ isRight }) => isRight).length;
  const lost = answers.length - right + found.wrong + (mayBeGone ? 0 : found.gone);
  const refused = answers.filter(({ failed }) => failed !== null).length;
  // Each answer has two pages, and each handle is opened once.
  table.push([
    kind,
    fault,
    answers.length * 2 + handles.length,
    refused,
    handles.length,
    found.whole,
    found.gone,
    lost,
  ]);
  console.error(`${kind}, ${fault}: ${lost} lost`);
}

/** What all stores are put to in a process: a clock that jumps. */
async function clocks(kind, where) {
  const real = Date.now;
  for (const [fault, hours, mayBeGone] of [
    ["clock 1 hour back", -1, false],
    ["clock 1 hour on", 1, false],
    ["clock 2 days on", 48, true],
  ]) {
    const store = STORES[kind](where());
    const archive = archiveOver(store);
    const before = await calls(archive, 10);
    Date.now = () => real() + hours * 3_600_000;
    try {
      const answers = [...before, ...(await calls(archive, 10))];
      await record(kind, fault, answers, archive, mayBeGone);
    } finally {
      Date.now = real;
    }
  }
}

async function memory() {
  const archive = archiveOver(STORES.memory(undefined, { maxBytes: 1_000_000 }));
  await record("memory", "full (1 MB)", await calls(archive, 50), archive, true);
  const small = archiveOver(STORES.memory(undefined, { maxBytes: 10_000 }));
  await record("memory", "each value too large", await calls(small, 50), small);
  await clocks("memory", () => undefined);
}

async function folder(kind) {
  const over = (where) => archiveOver(STORES[kind](where));

  const shared = newDisk(200).folder;
  const answers = [];
  for (let round = 0; round < 5 * rounds; round++) {
    const { child, ended } = callsElsewhere(kind, shared, 1000);
    await new Promise((resolve) => child.stdout.once("data", () => setTimeout(resolve, 30 + 17 * round)));
    child.kill("SIGKILL");
    answers.push(...(await ended));
  }
  await record(kind, "writers killed", answers, over(shared));

  const both = newDisk(200).folder;
  const from = number;
  const writers = [callsElsewhere(kind, both, 20 * rounds), callsElsewhere(kind, both, 20 * rounds)];
  number = from;
  // The same results as those of the first, at the same time.
  writers.push(callsElsewhere(kind, both, 20 * rounds));
  number += 40 * rounds;
  await record(
    kind,
    "three writers, two of the same",
    (await Promise.all(writers.map(({ ended }) => ended))).flat(),
    over(both),
  );

  const small = newDisk(1);
  const full = over(small.folder);
  const given = await calls(full, 40);
  small.remount("size=100m");
  await record(kind, "full disk (1 MB)", [...given, ...(await calls(full, 5))], over(small.folder));

  const disk = newDisk(100);
  const archive = over(disk.folder);
  const before = await calls(archive, 10);
  disk.remount("ro");
  const during = await calls(archive, 20);
  await record(kind, "read-only disk", [...before, ...during], archive);
  disk.remount("rw");

  const old = await calls(archive, 20);
  for (const name of readdirSync(disk.folder).filter((name) => /^[0-9a-f]{64}\.json$/.test(name)))
    corrupt(join(disk.folder, name));
  await record(kind, "corrupted, each value", old, archive, true);
  await clocks(kind, () => newDisk(200).folder);
}

/** Changes one byte of a file, and not its times. */
function corrupt(path) {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replace("row 7 ", "row 1 "));
  utimesSync(path, atime, mtime);
}

async function redis(kind) {
  const dir = mkdtempSync(join(scratch, "redis-"));
  let server = await startRedis("--dir", dir, "--appendonly", "yes", "--appendfsync", "always");
  const archive = archiveOver(STORES[kind](server.url));
  const client = new Redis(server.url).on("error", () => {});

  const answers = [];
  for (let round = 0; round < 2 * rounds; round++) {
    answers.push(...(await calls(archive, 5)));
    const stopping = new Promise((resolve) => setTimeout(() => resolve(server.stop()), 20));
    answers.push(...(await calls(archive, 3)));
    await stopping;
    server = await server.again();
    await client.ping();
    answers.push(...(await calls(archive, 5)));
  }
  await record(kind, "Redis killed", answers, archive);

  const before = await calls(archive, 5);
  server.pause();
  const during = await calls(archive, 2);
  server.resume();
  await client.ping();
  await record(kind, "Redis hangs", [...before, ...during, ...(await calls(archive, 5))], archive);

  await client.flushall();
  const [, used] = /used_memory:(\d+)/.exec(await client.info("memory"));
  await client.config("SET", "maxmemory", String(Number(used) + 1_000_000));
  const full = await calls(archive, 40);
  await client.config("SET", "maxmemory", "0");
  await record(kind, "Redis full", [...full, ...(await calls(archive, 5))], archive);

  const readable = await calls(archive, 10);
  // A replica takes no writes; its main server is nowhere.
  await client.replicaof("127.0.0.1", "1");
  const readOnly = await calls(archive, 20);
  await record(kind, "Redis read-only", [...readable, ...readOnly], archive);
  await client.replicaof("NO", "ONE");

  const old = await calls(archive, 20);
  for (const key of (await client.keys("*")).filter((key) => key.endsWith(".json"))) {
    const text = await client.get(key);
    await client.set(key, text.replace("row 7 ", "row 1 "), "KEEPTTL");
  }
  await record(kind, "corrupted, each value", old, archive, true);

  const from = number;
  const writers = [callsElsewhere(kind, server.url, 20 * rounds), callsElsewhere(kind, server.url, 20 * rounds)];
  number = from;
  writers.push(callsElsewhere(kind, server.url, 20 * rounds));
  number += 40 * rounds;
  await record(
    kind,
    "three writers, two of the same",
    (await Promise.all(writers.map(({ ended }) => ended))).flat(),
    archive,
  );
  await clocks(kind, () => server.url);
  client.disconnect();
  await server.stop();
}

await memory();
if (process.env.TOOLSHAPE_MAY_MOUNT === undefined)
  console.log("Not made: faults of disks, because this machine lets nobody mount in a namespace of their own.");
else for (const kind of ["files", "unstorage fs"]) await folder(kind);
for (const kind of ["unstorage Redis", "keyv Redis"]) await redis(kind);
for (const path of disks) run("umount", "--lazy", path);
rmSync(scratch, { recursive: true, force: true });

console.log(
  "| store (TypeScript) | fault | calls | not stored, with an error | handles | open the whole | open nothing | lost |\n|---|---|--:|--:|--:|--:|--:|--:|",
);
for (const row of table) console.log(`| ${row.join(" | ")} |`);
const lost = table.reduce((sum, row) => sum + row.at(-1), 0);
console.log(`\n${table.reduce((sum, row) => sum + row[2], 0)} calls, ${lost} lost`);
process.exit(lost === 0 ? 0 : 1);
