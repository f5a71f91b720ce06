// The store of files touches nothing of others: not in a folder of another use, not behind a folder that is swapped.

import assert from "node:assert/strict";
import fs, {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { FileStore } from "toolshape/file-store";
import { keyOf } from "./keys.mjs";
import { filesOf, newFolder, newPath } from "./scratch.mjs";

const MARKER = ".toolshape-store";
const TEXT = '{"some":"result"}';
const KEY = keyOf(TEXT);
const PAST = Date.now() / 1000 - 100_000;

/** Everything in a folder: names, contents, times. */
function pictureOf(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const stats = lstatSync(join(folder, name));
      return [name, stats.mode, stats.mtimeMs, stats.isFile() ? readFileSync(join(folder, name), "utf8") : ""];
    });
}

for (const [what, fill] of [
  ["files", (folder) => writeFileSync(join(folder, "thesis.tex"), "x")],
  ["a hidden file", (folder) => writeFileSync(join(folder, ".bashrc"), "x")],
  ["a folder", (folder) => mkdirSync(join(folder, "photos"))],
  [
    "results of an older version",
    (folder) => {
      writeFileSync(join(folder, KEY), TEXT);
      writeFileSync(join(folder, `.${"0".repeat(32)}.part`), "x");
      symlinkSync("/etc/hostname", join(folder, keyOf("link")));
      utimesSync(join(folder, KEY), PAST, PAST);
    },
  ],
  ["a marker that is a link", (folder) => symlinkSync(newPath(), join(folder, MARKER))],
  [
    "a marker with another name too",
    (folder) => {
      new FileStore(join(folder, "real"));
      linkSync(join(folder, "real", MARKER), join(folder, MARKER));
    },
  ],
  ["a marker that is a folder", (folder) => mkdirSync(join(folder, MARKER))],
  ["a marker that says something else", (folder) => writeFileSync(join(folder, MARKER), "a store of wine\n")],
  [
    "a marker that says more",
    (folder) => {
      new FileStore(folder);
      writeFileSync(join(folder, MARKER), "more", { flag: "a" });
    },
  ],
]) {
  test(`a folder that has ${what} is refused and left as it is`, async () => {
    const folder = newFolder();
    fill(folder);
    const before = pictureOf(folder);
    assert.throws(() => new FileStore(folder), {
      code: "STORE_FAILED",
      message: /^the folder is not a store's: .*; name a new or empty folder, or empty this one$/,
    });
    assert.deepEqual(pictureOf(folder), before);
    // A store that was there before its folder was put to this use.
    const store = new FileStore(newPath());
    const used = newPath();
    const other = new FileStore(used);
    renameSync(used, newPath());
    renameSync(folder, used);
    for (const work of [
      () => other.get(KEY),
      () => other.set(KEY, TEXT, 60),
      () => other.delete(KEY),
      () => other.sweep(),
    ]) {
      await assert.rejects(work, { code: "STORE_FAILED", message: /is not a store's/ });
    }
    assert.deepEqual(pictureOf(used), before);
    await store.sweep();
  });
}

test("an empty folder becomes a store's, and says so to a reader", async () => {
  const folder = newFolder();
  await new FileStore(folder).set(KEY, TEXT, 60);
  assert.match(readFileSync(join(folder, MARKER), "utf8"), /^toolshape: a store of results, layout 1\n\n.*deleted/);
  assert.equal(statSync(join(folder, MARKER)).mode & 0o777, 0o600);
  const again = new FileStore(folder);
  assert.equal(await again.get(KEY), TEXT);
  await again.sweep();
  assert.deepEqual(readdirSync(folder).sort(), [MARKER, KEY].sort());
});

test("a marker whose writer was killed is written again, whole", async () => {
  const folder = newPath();
  const whole = (new FileStore(folder), readFileSync(join(folder, MARKER), "utf8"));
  for (const part of ["", whole.slice(0, 50)]) {
    writeFileSync(join(folder, MARKER), part);
    assert.equal(await new FileStore(folder).get(KEY), null);
    assert.equal(readFileSync(join(folder, MARKER), "utf8"), whole);
  }
});

test("a folder that was emptied belongs to no store until the next write", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  await store.set(KEY, TEXT, 60);
  for (const name of readdirSync(folder)) fs.unlinkSync(join(folder, name));
  assert.equal(await store.get(KEY), null);
  await store.delete(KEY);
  await store.sweep();
  assert.deepEqual(readdirSync(folder), []);
  await store.set(KEY, TEXT, 60);
  assert.equal(await store.get(KEY), TEXT);
});

test("a sweep deletes regular files alone", async () => {
  const folder = newPath();
  const store = new FileStore(folder);
  const link = keyOf("link");
  symlinkSync("/etc/hostname", join(folder, link));
  mkdirSync(join(folder, keyOf("folder")));
  fs.lutimesSync(join(folder, link), PAST, PAST);
  utimesSync(join(folder, keyOf("folder")), PAST, PAST);
  await store.sweep();
  assert.deepEqual(filesOf(folder).placed, [link, keyOf("folder")].sort());
});

test("the owner of a file counts in another process, too", async () => {
  const folder = newPath();
  const texts = Array.from({ length: 12 }, (_, at) => `${at} `.padEnd(100, "x"));
  const [mine, ...theirs] = texts;
  await new FileStore(folder).set(keyOf(mine), mine, 10, "mine");
  for (const text of theirs) await new FileStore(folder, { maxBytes: 1000 }).set(keyOf(text), text, 60, "theirs");
  assert.equal(await new FileStore(folder).get(keyOf(mine)), mine);
  assert.ok(filesOf(folder).placed.length <= 10);
});

test("folders above are made for this user alone, whatever the mask", () => {
  const above = newPath();
  const before = process.umask(0);
  try {
    new FileStore(join(above, "deep", "er"));
  } finally {
    process.umask(before);
  }
  for (const folder of [above, join(above, "deep"), join(above, "deep", "er")])
    assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
});

/** Does something once, just after a function of Node's was called with the path of a folder, or for a file in it. */
async function after(name, act, work) {
  const real = fs[name];
  fs[name] = (...args) => {
    const result = real(...args);
    if (fs[name] !== real) {
      [fs[name]] = [real];
      syncBuiltinESMExports();
      act();
    }
    return result;
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs[name] = real;
    syncBuiltinESMExports();
  }
}

for (const step of ["lstatSync", "openSync", "fstatSync", "closeSync"]) {
  test(`a folder that is swapped for a link just after ${step} is not looked behind`, async () => {
    const planted = '{"some":"lie"}';
    for (const work of ["get", "set", "delete", "sweep"]) {
      const [folder, elsewhere] = [newPath(), newPath()];
      const store = new FileStore(folder);
      await new FileStore(elsewhere).set(KEY, planted, 600);
      await new FileStore(elsewhere).set(keyOf("old"), "old", 600);
      utimesSync(join(elsewhere, keyOf("old")), PAST, PAST);
      chmodSync(elsewhere, 0o700);
      const before = pictureOf(elsewhere);
      const swap = () => {
        renameSync(folder, newPath());
        symlinkSync(elsewhere, folder);
      };
      const works = {
        get: () => store.get(KEY),
        set: () => store.set(KEY, TEXT, 60),
        delete: () => store.delete(KEY),
        sweep: () => store.sweep(),
      };
      const got = await after(step, swap, works[work]).catch(({ code }) => code);
      assert.ok([null, undefined, "STORE_FAILED"].includes(got), `${work}: ${got}`);
      assert.deepEqual(pictureOf(elsewhere), before, work);
    }
  });
}
