// What becomes of a result where its store really fails: what the caller saw, and what was left there.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createKeyv } from "@keyv/redis";
import { Redis } from "ioredis";
import { Archive, Shaper } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { keyOf } from "./keys.mjs";
import { filesOf, newFolder, newPath, sleep, start } from "./scratch.mjs";
import { startRedis } from "./redis.mjs";

const SCRIPT = fileURLToPath(new URL("archived.mjs", import.meta.url));
const ROWS = Array.from({ length: 20_000 }, (_, id) => ({ id, text: "x".repeat(80) }));
const KEY = keyOf(JSON.stringify(ROWS));

const table = [];
after(() => {
  const width = (at) => Math.max(...table.map((row) => row[at].length));
  const line = (row) => row.map((cell, at) => (at < 2 ? cell.padEnd(width(at)) : cell)).join(" | ");
  console.log(["", ...[["fault", "what the caller saw", "what was in the store"], ...table].map(line), ""].join("\n"));
});

/** A row of the table, from what was seen. */
function record(fault, { rows, totalItems, storeFailed, uri }, there) {
  const printedText = storeFailed === undefined ? `uri …${uri?.slice(-4)}` : `storeFailed: "${storeFailed}"`;
  table.push([fault, `${rows} of ${totalItems} rows, ${printedText}`, there]);
}

/** What the caller of a tool may rely on whatever the store did. */
function check({ isError, tokens, totalItems, rows, uri, storeFailed }) {
  assert.equal(isError, false);
  assert.ok(tokens <= 1000, `${tokens} tokens`);
  assert.ok(rows > 0 && rows < totalItems);
  assert.equal(uri === undefined, storeFailed !== undefined, "a handle, or word that there is none");
}

function seen(shaped) {
  const { totalItems, items, uri, storeFailed } = shaped.value;
  return { isError: shaped.isError, tokens: shaped.tokens, totalItems, rows: items.length, uri, storeFailed };
}

/** The files of whole results, without their tickets. */
const contentsOf = (folder) => filesOf(folder).placed.filter((name) => !name.endsWith(".handle"));

/** Runs `archived.mjs` by a line of shell, in which `$NODE` and `$SCRIPT` run it and `$DIR` is its folder. */
function inShell(line, folder, { before = [], env = {} } = {}) {
  const [program, ...args] = [...before, "sh", "-c", line];
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, NODE: process.execPath, SCRIPT, DIR: folder, ...env },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const PRIVATE = ["unshare", "--user", "--map-root-user", "--mount"];
const mounts = spawnSync(PRIVATE[0], [...PRIVATE.slice(1), "sh", "-c", "mount -t tmpfs none /tmp"]).status === 0;
const mayMount = mounts ? false : "this machine lets nobody mount in a namespace of their own";

test("a full disk", { skip: mayMount }, () => {
  const line = 'mount -t tmpfs -o size=1m,mode=0700 none "$DIR" && exec "$NODE" "$SCRIPT" "$DIR"';
  const reported = inShell(line, newFolder(), { before: PRIVATE });
  check(reported);
  assert.match(reported.storeFailed, /^the file cannot be written: ENOSPC: no space left on device$/);
  assert.deepEqual(reported.disk, []);
  record("disk full (tmpfs of 1 MB)", reported, "nothing");
});

test("a disk with room", { skip: mayMount }, () => {
  const line = 'mount -t tmpfs -o size=4m,mode=0700 none "$DIR" && exec "$NODE" "$SCRIPT" "$DIR"';
  const reported = inShell(line, newFolder(), { before: PRIVATE });
  check(reported);
  assert.deepEqual(
    reported.disk.map(({ whole }) => whole),
    [true],
  );
  record("none (tmpfs of 4 MB)", reported, "the whole result");
});

test("a folder that became read-only", { skip: mayMount }, () => {
  const used = '"$NODE" "$SCRIPT" "$DIR" 100 > /dev/null';
  const line = `mount -t tmpfs -o mode=0700 none "$DIR" && ${used} && mount -o remount,ro "$DIR" && exec "$NODE" "$SCRIPT" "$DIR"`;
  const reported = inShell(line, newFolder(), { before: PRIVATE });
  check(reported);
  assert.match(reported.storeFailed, /EROFS: read-only file system$/);
  record("read-only folder", reported, "nothing");
});

test("a limit on the size of files", () => {
  const folder = newFolder();
  const reported = inShell('ulimit -f 1000 && exec "$NODE" "$SCRIPT" "$DIR"', folder);
  check(reported);
  assert.match(reported.storeFailed, /EFBIG: file too large$/);
  assert.deepEqual([reported.disk, filesOf(folder)], [[], { placed: [], aside: [] }]);
  record("file size limit of 512 KB", reported, "nothing");
});

const compiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";
test("a disk that fails as it is flushed", { skip: compiler ? false : "needs cc, on Linux" }, () => {
  // The one fault that no file system here makes by itself: the C library's fsync, in front of the real one.
  const [source, library] = [`${newPath()}.c`, `${newPath()}.so`];
  writeFileSync(
    source,
    "#include <errno.h>\nint fsync(int fd) { errno = EIO; return -1; }\nint fdatasync(int fd) { errno = EIO; return -1; }\n",
  );
  execFileSync("cc", ["-shared", "-fPIC", "-w", "-o", library, source]);
  const folder = newFolder();
  const reported = inShell('exec "$NODE" "$SCRIPT" "$DIR"', folder, { env: { LD_PRELOAD: library } });
  check(reported);
  assert.match(reported.storeFailed, /^the file cannot be written: EIO: i\/o error$/);
  assert.deepEqual(filesOf(folder), { placed: [], aside: [] });
  record("I/O error at flush", reported, "nothing");
});

test("a process that is killed while it writes", async () => {
  const folder = newFolder();
  let aside = 0;
  let round = 0;
  // One that writes in the moment between two looks ends by itself, and the next writes something else.
  for (; round < 5 || (aside === 0 && round < 50); round++) {
    const { child, ended } = start("archived.mjs", [folder, String(20_000_000 + round * 100)]);
    while (child.exitCode === null && filesOf(folder).aside.length === aside) await sleep(1);
    child.kill("SIGKILL");
    await ended;
    aside = filesOf(folder).aside.length;
    for (const name of contentsOf(folder)) assert.equal(keyOf(readFileSync(join(folder, name))), name);
  }
  assert.ok(aside > 0, "no process was killed while it wrote");
  const after = inShell('exec "$NODE" "$SCRIPT" "$DIR"', folder);
  check(after);
  const placed = contentsOf(folder).length;
  table.push([
    `${round} processes killed while writing`,
    "nothing: their process is gone",
    `no half file under a name; ${aside} aside, swept in an hour`,
  ]);
  record("the next process, on the same folder", after, `${placed} whole`);
});

for (const [what, plant] of [
  ["a symbolic link", symlinkSync],
  ["a hard link", linkSync],
]) {
  test(`${what} planted under the name`, async () => {
    const [folder, victim] = [newFolder(), newPath()];
    writeFileSync(victim, "precious", { mode: 0o600 });
    const store = new FileStore(folder);
    plant(victim, join(folder, KEY));
    assert.equal(await store.get(KEY), null);
    const reported = seen(await new Archive(new Shaper({ maxTokens: 1000 }), store).shape(ROWS, { tool: "list" }));
    check(reported);
    assert.ok(reported.uri);
    assert.equal(readFileSync(victim, "utf8"), "precious");
    assert.equal(keyOf(await store.get(KEY)), KEY);
    record(`${what} planted under the name`, reported, "the whole result in its place; the link's target untouched");
  });
}

test("a link planted in place of the folder", async () => {
  const [folder, elsewhere] = [newPath(), newFolder()];
  const archive = new Archive(new Shaper({ maxTokens: 1000 }), new FileStore(folder));
  execFileSync("rm", ["-r", folder]);
  symlinkSync(elsewhere, folder);
  const reported = seen(await archive.shape(ROWS, { tool: "list" }));
  check(reported);
  assert.match(reported.storeFailed, /is a link$/);
  assert.deepEqual(filesOf(elsewhere), { placed: [], aside: [] });
  record("a link planted as the folder", reported, "nothing where the link leads");
});

test("a value larger than the store", async () => {
  const folder = newFolder();
  const archive = new Archive(new Shaper({ maxTokens: 1000 }), new FileStore(folder, { maxBytes: 1_000_000 }));
  const reported = seen(await archive.shape(ROWS, { tool: "list" }));
  check(reported);
  assert.match(reported.storeFailed, /more than the 1000000 of the whole store$/);
  assert.deepEqual(filesOf(folder), { placed: [], aside: [] });
  record("value larger than the store", reported, "nothing");
});

/** An archive over a Redis of its own, through each adapter. */
const ADAPTERS = {
  unstorage(url) {
    const client = redisDriver({ url, base: "toolshape", lazyConnect: true });
    client.getInstance().on("error", () => {});
    return {
      store: new UnstorageStore(createStorage({ driver: client })),
      name: `toolshape:${KEY}`,
      close: () => client.getInstance().disconnect(),
    };
  },
  keyv(url) {
    const keyv = createKeyv(url, { namespace: "toolshape", connectionTimeout: 500 });
    keyv.on("error", () => {});
    return { store: new KeyvStore(keyv), name: `toolshape::${KEY}`, close: () => keyv.store.client.destroy() };
  },
};

for (const [adapter, connect] of Object.entries(ADAPTERS)) {
  const shape = async (store) => {
    const archive = new Archive(new Shaper({ maxTokens: 1000 }), store, { timeoutSeconds: 1 });
    return seen(await archive.shape(ROWS, { tool: "list" }));
  };

  test(`Redis stopped, behind ${adapter}`, async () => {
    const redis = await startRedis();
    const { store, close } = connect(redis.url);
    await store.set(keyOf("x"), "x", 60);
    await redis.stop();
    const started = Date.now();
    const reported = await shape(store);
    check(reported);
    assert.ok(reported.storeFailed, "the result has a handle of a store that is gone");
    assert.ok(Date.now() - started < 3000, "the tool waits for a store that is gone");
    close();
    record(`Redis stopped (${adapter})`, reported, "no Redis");
  });

  test(`Redis that hangs, behind ${adapter}`, async () => {
    const redis = await startRedis();
    const { store, close } = connect(redis.url);
    await store.set(keyOf("x"), "x", 60);
    redis.pause();
    const reported = await shape(store);
    check(reported);
    assert.equal(reported.storeFailed, "the store did not answer within 1 seconds");
    redis.resume();
    close();
    await redis.stop();
    record(`Redis hangs (${adapter})`, reported, "perhaps the whole result, later; no result names it");
  });

  for (const [fault, options] of [
    ["Redis full (maxmemory)", ["--maxmemory", "2mb", "--maxmemory-policy", "noeviction"]],
    ["value too large for Redis", ["--proto-max-bulk-len", "1mb"]],
  ]) {
    test(`${fault}, behind ${adapter}`, async () => {
      const redis = await startRedis(...options);
      const { store, name, close } = connect(redis.url);
      const reported = await shape(store);
      check(reported);
      assert.ok(reported.storeFailed, "the result has a handle of a value that is not there");
      const look = new Redis(redis.url);
      assert.equal(await look.exists(name), 0);
      look.disconnect();
      close();
      await redis.stop();
      record(`${fault} (${adapter})`, reported, "nothing");
    });
  }
}
