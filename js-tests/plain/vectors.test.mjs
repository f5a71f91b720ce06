// The module in Node's own WebAssembly, by the host that the page shows: to every message that Rust was sent for the shared
// cases it gives the same answer, byte for byte.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Toolshape } from "./host.mjs";

const said = readFileSync(process.env.TOOLSHAPE_TRANSCRIPT);
let at = 0;

/** The parts of the next message. */
function next() {
  const number = () => said.readUInt32LE((at += 4) - 4);
  const sizes = Array.from({ length: number() }, number);
  return sizes.map((size) => said.subarray(at, (at += size)));
}

test("the module answers as Rust does", () => {
  const host = new Toolshape(process.env.TOOLSHAPE_PLAIN);
  let count = 0;
  for (; at < said.length; count++) {
    const [asked, expected] = [next(), next()];
    const came = host.send(asked);
    const isSame = came.length === expected.length && came.every((part, nth) => expected[nth].equals(part));
    assert.ok(
      isSame,
      `${asked[0].subarray(0, 300)}\n  is answered by ${Buffer.from(came[0])}\n  and not ${expected[0]}`,
    );
  }
  assert.ok(count > 0);
  console.log(`vectors in Node, plain: ${count} calls`);
});
