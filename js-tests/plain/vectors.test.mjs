// The shared cases through the plain module in Node's own WebAssembly, by the host that the page shows. All that the host and
// the module say to each other is written down, so that other runtimes can be asked the same.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { conversesWith } from "../conversation.mjs";
import { runnersOf } from "../vector_runners.mjs";
import { vectorFiles } from "../vectors.mjs";
import { beginWith, faceOf } from "./face.mjs";
import { Toolshape } from "./host.mjs";

const printedText = [];

class Recorded extends Toolshape {
  send(parts) {
    const came = super.send(parts);
    printedText.push(written(parts), written(came));
    return came;
  }
}

/** A message as the module reads it. */
function written(parts) {
  const head = Uint32Array.of(parts.length, ...parts.map(({ length }) => length));
  return Buffer.concat([new Uint8Array(head.buffer), ...parts]);
}

const host = new Recorded(process.env.TOOLSHAPE_PLAIN);
const cl100k = readFileSync(join(process.env.TOOLSHAPE_ROOT, "crates/tokens/src/data/cl100k_base.bin"));
host.call("installVocabulary", { encoding: "cl100k_base", packed: 1 }, cl100k);
const runners = runnersOf(faceOf(host), {
  runners: { conversation: conversesWith(beginWith(host)) },
  isSame: isDeepStrictEqual,
});

const files = vectorFiles(runners);
for (const { name, run, cases } of files) {
  test(name, async (t) => {
    for (const one of cases) await t.test(one.name, () => run(one));
  });
}

after(() => {
  writeFileSync(process.env.TOOLSHAPE_TRANSCRIPT, Buffer.concat(printedText));
  console.log(`vectors in Node, plain: ${files.map(({ name, cases }) => `${cases.length} of ${name}`).join(", ")}`);
});
