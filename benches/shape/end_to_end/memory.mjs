/**
 * Shapes one very large result in a process of its own; prints as JSON what memory that took, and what of it stayed.
 *
 * Usage: node --expose-gc memory.mjs <"no store" or a store> <megabytes>
 */
import { BUDGET } from "../handlers.mjs";
import { memory, settled } from "../resident.mjs";
import { SIZES, rowsOf, versionOf } from "./rows.mjs";

const [place, megabytes] = process.argv.slice(2);
const wasm = watchMemory();
const { Archive, Shaper } = await import("toolshape");
const { newStore } = await import("./stores.mjs");

const shaper = new Shaper({ maxTokens: BUDGET });
const ROOM = { maxBytes: 2 ** 30, maxValueBytes: 2 ** 30 };
const by = place === "no store" ? shaper : new Archive(shaper, await newStore(place, ROOM));
/** A text, not a tree of its parts. */
const resultOf = (text) => ({ content: [{ type: "text", text: Buffer.from(text).toString("latin1") }] });
const rows = JSON.stringify(versionOf(rowsOf(SIZES["350 KB"]), 1)).slice(1, -1);

await by.shapeResult(resultOf(`[${rows}]`));
const result = resultOf(`[${`${rows},`.repeat((Number(megabytes) * 1e6) / rows.length)}${rows}]`);
const textBytes = result.content[0].text.length;
await settled();
const wasmBefore = wasm();
// Whoever looks at what a weak reference holds keeps it until its job ends.
await settled();
const before = memory(true).now;
// In a call of its own, so that nothing here holds what it returned.
await (async () => {
  const { receipt } = await by.shapeResult(result);
  if (receipt.steps.length === 0) throw new Error("it was not shaped");
})();
const { peak } = memory();
await settled();
console.log(
  JSON.stringify({
    place,
    textBytes,
    peakBytes: peak - before,
    leftBytes: memory().now - before,
    wasmBefore,
    wasmAfter: wasm(),
  }),
);
// Until here, what was given is held by its owner.
if (result.content.length === 0) throw new Error("it was changed");
process.exit();

/** Watches every module that is started from now on; returns a function that gives the bytes of those that still live. */
function watchMemory() {
  const memories = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (module, imports) {
    const instance = new Instance(module, imports);
    memories.push(new WeakRef(instance.exports.memory));
    return instance;
  };
  return () => memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
}
