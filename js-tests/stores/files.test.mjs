// The store of files: what it lets nobody do, and what nobody sees of its work.

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileStore } from "toolshape/file-store";
import { keyOf } from "./keys.mjs";
import { filesOf, newPath, sleep, start } from "./scratch.mjs";

const TEXT = '{"some":"result"}';
const KEY = keyOf(TEXT);
const soon = () => Date.now() / 1000 + 60;

test("the folder is 0700 and each file 0600, whatever the mask", async () => {
  const before = process.umask(0);
  try {
    const folder = join(newPath(), "deep", "er");
    await new FileStore(folder).set(KEY, TEXT, 60);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, KEY)).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(folder, KEY), "utf8"), TEXT);
    assert.deepEqual(filesOf(folder), { placed: [KEY], aside: [] });
  } finally {
    process.umask(before);
  }
});

test("a folder that is a link, no folder or open to others is refused", () => {
  const [real, link, file, open] = [newPath(), newPath(), newPath(), newPath()];
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, link);
  writeFileSync(file, "");
  mkdirSync(open);
  chmodSync(open, 0o755);
  for (const folder of [link, `${link}/`, `${link}/.`, file, open]) {
    assert.throws(() => new FileStore(folder), { code: "STORE_FAILED" }, folder);
  }
  assert.equal(statSync(open).mode & 0o777, 0o755);
  for (const folder of [undefined, 5])
    assert.throws(() => new FileStore(folder), { code: "INVALID_CALL", path: "/folder" });
});

test("a tilde is the user's home", async () => {
  const [home, was] = [newPath(), process.env.HOME];
  process.env.HOME = home;
  try {
    await new FileStore("~/results").set(KEY, TEXT, 60);
  } finally {
    process.env.HOME = was;
  }
  assert.equal(readFileSync(join(home, "results", KEY), "utf8"), TEXT);
});

test("a folder that is swapped for a link later is neither read nor written", async () => {
  const [folder, elsewhere] = [newPath(), newPath()];
  const store = new FileStore(folder);
  await store.set(KEY, TEXT, 60);
  mkdirSync(elsewhere, { mode: 0o700 });
  writeFileSync(join(elsewhere, KEY), TEXT, { mode: 0o600 });
  rmSync(folder, { recursive: true });
  symlinkSync(elsewhere, folder);
  const other = keyOf("other");
  await assert.rejects(store.get(KEY), { code: "STORE_FAILED" });
  await assert.rejects(store.set(other, "other", 60), { code: "STORE_FAILED" });
  await assert.rejects(store.delete(KEY), { code: "STORE_FAILED" });
  await assert.rejects(store.sweep(), { code: "STORE_FAILED" });
  assert.deepEqual(filesOf(elsewhere).placed, [KEY]);
});

test("a folder that was deleted is made again", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  rmSync(folder, { recursive: true });
  assert.equal(await store.get(KEY), null);
  await store.delete(KEY);
  await store.sweep();
  await store.set(KEY, TEXT, 60);
  assert.equal(await store.get(KEY), TEXT);
});

for (const [what, plant] of [
  ["a symbolic link", (target, path) => symlinkSync(target, path)],
  ["a hard link", (target, path) => linkSync(target, path)],
  ["a link to nowhere", (_, path) => symlinkSync(newPath(), path)],
]) {
  test(`${what} under the name is not read, not written through, and replaced`, async () => {
    const folder = newPath();
    const store = new FileStore(folder);
    const target = newPath();
    writeFileSync(target, TEXT, { mode: 0o600 });
    utimesSync(target, soon(), soon());
    plant(target, join(folder, KEY));
    assert.equal(await store.get(KEY), null);
    await store.set(KEY, TEXT, 60);
    assert.equal(await store.get(KEY), TEXT);
    assert.equal(statSync(join(folder, KEY)).nlink, 1);
    assert.equal(readFileSync(target, "utf8"), TEXT);
    assert.notEqual(statSync(target).ino, statSync(join(folder, KEY)).ino);
  });
}

test("a folder and a pipe under the name are not values", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  mkdirSync(join(folder, KEY));
  assert.equal(await store.get(KEY), null);
  await assert.rejects(store.set(KEY, TEXT, 60), { code: "STORE_FAILED" });
  assert.deepEqual(filesOf(folder).aside, []);
  const { execFileSync } = await import("node:child_process");
  const pipe = keyOf("pipe");
  execFileSync("mkfifo", ["-m", "600", join(folder, pipe)]);
  utimesSync(join(folder, pipe), soon(), soon());
  assert.equal(await store.get(pipe), null);
});

test("what was changed under the name is written again; what is the same only stays longer", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  await store.set(KEY, TEXT, 60);
  const first = statSync(join(folder, KEY));
  await store.set(KEY, TEXT, 120);
  const second = statSync(join(folder, KEY));
  assert.equal(second.ino, first.ino);
  assert.ok(second.mtimeMs > first.mtimeMs + 50_000);
  await store.set(KEY, TEXT, 10);
  assert.equal(statSync(join(folder, KEY)).mtimeMs, second.mtimeMs);
  writeFileSync(join(folder, KEY), TEXT.replace("some", "evil"));
  utimesSync(join(folder, KEY), soon(), soon());
  await store.set(KEY, TEXT, 60);
  assert.equal(await store.get(KEY), TEXT);
});

test("100 writers of one content, in four processes, leave one file", async () => {
  const folder = newPath();
  const writers = Array.from({ length: 4 }, () => start("writer.mjs", ["same", folder, "25"]));
  for (const { ended } of writers) assert.deepEqual((await ended).code, 0);
  const text = "the same ".repeat(100_000);
  assert.deepEqual(filesOf(folder), { placed: [keyOf(text)], aside: [] });
  assert.ok((await new FileStore(folder).get(keyOf(text))) === text);
});

test("what has expired goes, and what a killed process left after an hour; nothing else", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  const [old, young] = [keyOf("old"), keyOf("young")];
  await store.set(old, "old", 60);
  await store.set(young, "young", 60);
  const past = Date.now() / 1000 - 1;
  utimesSync(join(folder, old), past, past);
  const aside = `.${"0".repeat(32)}.part`;
  for (const name of [aside, "notes.txt", ".hidden"]) {
    writeFileSync(join(folder, name), "x");
    utimesSync(join(folder, name), past - 7200, past - 7200);
  }
  assert.equal(await store.get(old), null);
  await store.sweep();
  // By its time of modification what is aside is old; the folder changed it now, and that counts.
  assert.deepEqual(filesOf(folder), { placed: [young, "notes.txt"].sort(), aside: [aside, ".hidden"].sort() });
});

test("a full folder lets go of what would expire next", async () => {
  const folder = newPath();
  const store = new FileStore(folder, { maxBytes: 10_000 });
  const texts = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(1000));
  for (const [at, text] of texts.entries()) await store.set(keyOf(text), text, 100 + at);
  assert.equal(filesOf(folder).placed.length, 10);
  await store.set(keyOf(texts[0]), texts[0], 500);
  await store.set(KEY, "x".repeat(1000), 60);
  const kept = await Promise.all(texts.map((text) => store.get(keyOf(text))));
  assert.deepEqual(
    kept.map((text) => text?.[0] ?? null),
    ["0", null, null, "3", "4", "5", "6", "7", "8", "9"],
  );
  assert.equal((await store.get(KEY)).length, 1000);
  await assert.rejects(store.set(keyOf("large"), "x".repeat(10_001), 60), {
    code: "STORE_FAILED",
    message: /10001 bytes/,
  });
  assert.ok(!existsSync(join(folder, keyOf("large"))));
});

test("while others write and sweep, a reader sees a whole value or none", async () => {
  const folder = newPath();
  const [small, reader] = [new FileStore(folder, { maxBytes: 3_000_000 }), new FileStore(folder)];
  const texts = Array.from({ length: 12 }, (_, at) => `${at} `.repeat(200_000));
  const until = Date.now() + 3000;
  const seen = { whole: 0, none: 0, half: 0 };
  const write = async (offset) => {
    for (let at = offset; Date.now() < until; at++) {
      const text = texts[at % texts.length];
      await small.set(keyOf(text), text, 60);
      await small.sweep();
    }
  };
  const read = async (offset) => {
    for (let at = offset; Date.now() < until; at++) {
      const text = texts[at % texts.length];
      const value = await reader.get(keyOf(text));
      seen[value === null ? "none" : value === text ? "whole" : "half"]++;
    }
  };
  await Promise.all([write(0), write(5), read(0), read(3), read(7)]);
  console.log(`sweep during reads: ${seen.whole} whole, ${seen.none} none, ${seen.half} half`);
  assert.ok(seen.whole > 50 && seen.none > 5, JSON.stringify(seen));
  assert.equal(seen.half, 0);
  assert.deepEqual(filesOf(folder).aside, []);
});

test("writers that are killed leave whole files under names, and what was reported as kept is kept", async () => {
  const folder = newPath();
  let aside = 0;
  const reported = [];
  for (let round = 0; round < 12; round++) {
    const { child, ended, printedText } = start("writer.mjs", ["many", folder, "2000000"]);
    while (!printedText().includes("\n")) await sleep(5);
    await sleep(round * 3);
    child.kill("SIGKILL");
    const { signal, printedText: lines } = await ended;
    assert.equal(signal, "SIGKILL");
    reported.push(...lines.split("\n").slice(0, -1));
    aside = filesOf(folder).aside.length;
  }
  const { placed } = filesOf(folder);
  const store = new FileStore(folder);
  for (const name of placed) assert.equal(keyOf(await store.get(name)), name);
  for (const key of reported) assert.ok(placed.includes(key), "reported as kept, and not there");
  console.log(
    `12 writers killed: ${reported.length} reported as kept, ${placed.length} under names, all whole; ${aside} left aside`,
  );
});
