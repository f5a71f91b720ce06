/**
 * A server's work on one result, in a process that something is wrong with: shapes it with a store of files, and
 * prints what the caller sees and what is on the disk.
 *
 * Usage: archived.mjs <folder> [<bytes of the result>]
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Archive, Shaper } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { keyOf } from "./keys.mjs";

const [folder, bytes = "2000000"] = process.argv.slice(2);
const rows = Array.from({ length: Number(bytes) / 100 }, (_, id) => ({ id, text: "x".repeat(80) }));
const faults = [];
const store = new FileStore(folder);
const archive = new Archive(new Shaper({ maxTokens: 1000 }), store, {
  onStoreError: (error) => faults.push(error.cause?.code ?? error.code),
});
const shaped = await archive.shape(rows, { tool: "list" });
const disk = [];
const isResult = (name) => /^[0-9a-f]{64}\.(?:json|txt)$/.test(name);
for (const name of readdirSync(folder).filter(isResult)) {
  const stats = lstatSync(join(folder, name));
  disk.push({ name, size: stats.size, whole: keyOf(await store.get(name).catch(() => ""), "json") === name });
}
const { totalItems, items, uri, storeFailed } = shaped.value;
console.log(
  JSON.stringify({
    isError: shaped.isError,
    tokens: shaped.tokens,
    totalItems,
    rows: items?.length,
    uri,
    storeFailed,
    faults,
    disk,
  }),
);
