// The plain module: calls on standard input, an outcome a line on standard output.

import { createInterface } from "node:readline";
import { faceOf } from "../plain/face.mjs";
import { Toolshape } from "../plain/host.mjs";
import { outcomeOf } from "./outcome.mjs";

const host = new Toolshape(process.argv[2]);
const face = faceOf(host);
let calls = 0;
for await (const line of createInterface({ input: process.stdin })) {
  // An instance keeps its shapers and its memory.
  if (++calls % 500 === 0) host.start();
  const outcome = outcomeOf(face, JSON.parse(line));
  // The module returns texts: a host makes values of them.
  if ("value" in outcome) outcome.value = true;
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
