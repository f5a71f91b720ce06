/**
 * Writes to a store of files in a process of its own.
 *
 * Usage: writer.mjs same <folder> <times>: one content, this many times at once.
 *        writer.mjs many <folder> <bytes>: contents of about this many bytes, one after the other, until it is killed;
 *        prints the key of each once it is kept.
 */
import { FileStore } from "toolshape/file-store";
import { keyOf } from "./keys.mjs";

const [mode, folder, number] = process.argv.slice(2);
const store = new FileStore(folder);
if (mode === "same") {
  const text = "the same ".repeat(100_000);
  await Promise.all(Array.from({ length: Number(number) }, () => store.set(keyOf(text), text, 60)));
} else {
  for (let count = 0; ; count++) {
    const text = `${process.pid} ${count} `.repeat(Number(number) / 10);
    await store.set(keyOf(text), text, 60);
    process.stdout.write(`${keyOf(text)}\n`);
  }
}
