// The program `toolshape` with its results in a Redis: what one process keeps, another reads, and so does a server's own store.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { Redis } from "ioredis";
import { Archive, expand, Shaper } from "toolshape";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { startRedis, url } from "./redis.mjs";

const PROGRAM = process.env.TOOLSHAPE_PROGRAM;
const ROWS = JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id, name: `row ${id}` })));
/** A server that answers every call with these rows. */
const SERVER = `
  const rows = ${JSON.stringify(ROWS)};
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id } = JSON.parse(line);
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: rows }] } }));
  });`;

const redis = new Redis(url);
const storage = createStorage({ driver: redisDriver({ url, base: "toolshape" }) });
after(async () => {
  await storage.dispose();
  redis.disconnect();
});

/** What a call gives behind the program: the text of its result, and what is on standard error. */
async function called(place, name, args) {
  const program = spawn(PROGRAM, ["--store", place, "--", process.execPath, "-e", SERVER]);
  let [output, errors] = ["", ""];
  program.stdout.setEncoding("utf8").on("data", (piece) => (output += piece));
  program.stderr.setEncoding("utf8").on("data", (piece) => (errors += piece));
  program.stdin.end(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })}\n`,
  );
  const [code] = await once(program, "close");
  assert.equal(code, 0, errors);
  const { isError, content } = JSON.parse(output).result;
  return { isError, page: JSON.parse(expand(content[0].text)), errors };
}

test("another process reads what one has kept, and so does a server's own archive", async () => {
  const { page } = await called(url, "list", {});
  assert.equal(page.totalItems, 300);
  const handle = page.uri.split("/").at(-1);
  const again = await called(url, "read_result", { handle, sql: "SELECT count(*), max(id) FROM result" });
  assert.deepEqual(again.page.rows, [[300, 299]]);
  const archive = new Archive(new Shaper(), new UnstorageStore(storage));
  const read = await archive.readResult({ handle, sql: "SELECT count(*) FROM result" });
  assert.deepEqual(read.value.rows, [[300]]);
});

test("it reads what a server's own archive has kept", async () => {
  const archive = new Archive(new Shaper(), new UnstorageStore(storage));
  const kept = await archive.shape(
    Array.from({ length: 700 }, (_, at) => ({ of: "the archive", at })),
    { tool: "other" },
  );
  const { page } = await called(url, "read_result", {
    handle: kept.value.uri.split("/").at(-1),
    sql: "SELECT count(*), max(at) FROM result",
  });
  assert.deepEqual(page.rows, [[700, 699]]);
});

test("what it keeps expires, and has names that no other program has", async () => {
  const { page } = await called(url, "list", {});
  const ticket = `toolshape:${page.uri.split("/").at(-1)}.handle`;
  const left = await redis.pttl(ticket);
  assert.ok(left > 86_000_000 && left <= 86_400_000, `${left} ms`);
});

test("without its Redis a result is shaped, and says that nothing is kept", async () => {
  const own = await startRedis();
  await own.stop();
  const { page, isError } = await called(own.url, "list", {});
  assert.equal(isError ?? false, false);
  assert.ok(page.items.length > 0 && page.storeFailed !== undefined, JSON.stringify(page).slice(0, 300));
});
