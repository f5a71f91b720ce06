/**
 * What a server does with a store while something is wrong with it: calls of tools, each with an answer that is checked.
 *
 * Usage: calls.mjs <kind of store> <where it is> <how many> <a number of the first>: prints one line of JSON for each.
 */
import { fileURLToPath } from "node:url";
import { createKeyv } from "@keyv/redis";
import { Archive, MemoryStore, Shaper } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import redisDriver from "unstorage/drivers/redis";

/** The stores, by what they are made from. */
export const STORES = {
  memory: (_, limits) => new MemoryStore(limits),
  files: (where, limits) => new FileStore(where, limits),
  "unstorage fs": (where, limits) => new UnstorageStore(createStorage({ driver: fsDriver({ base: where }) }), limits),
  "unstorage Redis": (where, limits) => {
    const driver = redisDriver({ url: where, base: "toolshape" });
    driver.getInstance().on("error", () => {});
    return new UnstorageStore(createStorage({ driver }), limits);
  },
  "keyv Redis": (where, limits) => {
    const keyv = createKeyv(where, { namespace: "toolshape", connectionTimeout: 500 });
    keyv.on("error", () => {});
    return new KeyvStore(keyv, limits);
  },
};

/** The rows of the result of one call. */
export function rowsOf(number) {
  return Array.from({ length: 400 }, (_, id) => ({ id, text: `row ${id} of result ${number} `.repeat(4) }));
}

/** A server's archive over a store. */
export function archiveOver(store) {
  return new Archive(new Shaper({ maxTokens: 1000 }), store, { timeoutSeconds: 0.5 });
}

/**
 * Calls a tool, then asks for its second page, as a model does. Whether both answers have the right rows, the handle that
 * was given, and whether the store failed.
 */
export async function ask(archive, number) {
  const rows = rowsOf(number);
  const call = { tool: "list", arguments: { number } };
  const first = await archive.shape(rows, call);
  const next = { ...call, cursor: first.value.nextCursor };
  const second = (await archive.snapshot(next)) ?? (await archive.shape(rows, next));
  const isRight =
    [first, second].every(({ isError, tokens }) => !isError && tokens <= 1000) &&
    holds(rows, [...first.value.items, ...second.value.items]);
  return { number, isRight, handle: first.value.uri ?? null, failed: first.value.storeFailed ?? null };
}

/** Whether what a result shows are the first rows. */
export function holds(rows, shown) {
  return shown.length > 0 && shown.every((row, at) => JSON.stringify(row) === JSON.stringify(rows[at]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kind, where, count, from] = process.argv.slice(2);
  const archive = archiveOver(STORES[kind](where));
  for (let at = 0; at < Number(count); at++)
    process.stdout.write(`${JSON.stringify(await ask(archive, Number(from) + at))}\n`);
  // Clients of Redis would keep the process alive.
  process.exit();
}
