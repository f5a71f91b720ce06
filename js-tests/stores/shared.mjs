/**
 * Executes orders on a store, one line of JSON each: {"get": key} or {"set": key, "value": text}. Answers with
 * what it got, as a line of JSON. For the tests of other languages, which share the store.
 *
 * Usage: shared.mjs files <folder> | unstorage <url of Redis> | keyv <url of Redis>
 */
import { createInterface } from "node:readline";
import { createKeyv } from "@keyv/redis";
import { FileStore } from "toolshape/file-store";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";

const [kind, where] = process.argv.slice(2);
const store = {
  files: () => new FileStore(where),
  unstorage: () => new UnstorageStore(createStorage({ driver: redisDriver({ url: where, base: "toolshape" }) })),
  keyv: () => new KeyvStore(createKeyv(where, { namespace: "toolshape", throwOnErrors: true })),
}[kind]();

for await (const line of createInterface({ input: process.stdin })) {
  const { get, set, value } = JSON.parse(line);
  const answer = set === undefined ? await store.get(get) : await store.set(set, value, 60);
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
}
// Clients of Redis would keep the process alive.
process.exit();
