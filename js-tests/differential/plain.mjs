// The plain module: calls on standard input, an outcome a line on standard output.

import { createInterface } from "node:readline";
import { Toolshape } from "../plain/host.mjs";

const host = new Toolshape(process.argv[2]);
const now = Math.floor(Date.now() / 1000);
// A byte order mark is a part of a text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

let calls = 0;
for await (const line of createInterface({ input: process.stdin })) {
  // An instance keeps its shapers and its memory.
  if (++calls % 500 === 0) host.start();
  process.stdout.write(`${JSON.stringify(outcomeOf(JSON.parse(line)))}\n`);
}

/** What a call gives, in the form that all faces share. */
function outcomeOf({ kind, input, policy = {}, call }) {
  try {
    const shaper = host.call("shaper", { policy }).result;
    if (kind === "result") {
      // Other faces get a value.
      const returned = JSON.stringify(JSON.parse(input));
      const { result: of, parts } = host.call("shapeResult", { shaper, returned: 1, call, now }, returned);
      const { result, unchanged, isError, receipt } = of;
      const text = result === null ? returned : decoder.decode(parts[result]);
      return { result: JSON.parse(text), unchanged, isError, steps: receipt?.steps ?? null };
    }
    const method = kind === "json" ? "shapeJson" : "shapeText";
    const { result: of, parts } = host.call(method, { shaper, text: 1, call, now }, input);
    const { unchanged, isError, receipt, keep } = of;
    const { steps, budget, encoding } = receipt;
    const text = of.text === null ? input : decoder.decode(parts[of.text]);
    // The module returns texts: a host makes values of them.
    return { text, unchanged, isError, steps, budget, encoding, kept: keep?.key ?? null, value: true };
  } catch (error) {
    if (error.code === undefined) throw error;
    return { error: error.code, path: error.path };
  }
}
