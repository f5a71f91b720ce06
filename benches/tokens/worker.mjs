// One contender of `cargo xtask bench tokens`, in Node: see native/src/main.rs for the orders.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { TOKENIZERS } from "./tokenizers.mjs";

const start = process.hrtime.bigint();
const [name, ...rest] = process.argv.slice(2);
const toolshape = async () => {
  const { countTokens, fitsTokens } = await import("toolshape");
  return { count: countTokens, within: fitsTokens };
};
const { count, within = (text, limit) => count(text) <= limit } = await { toolshape, ...TOKENIZERS }[name]();

if (rest.includes("cold")) {
  count("Hello, world!");
  console.log(String(process.hrtime.bigint() - start));
  process.exit();
}

for await (const line of createInterface({ input: process.stdin })) {
  const [order, file, number] = line.split("\t");
  // Through a Buffer once more: a string as a host makes it, in one piece.
  const text = readFileSync(file, "utf8");
  let [each, tokens, begin] = [1, 0, 0n];
  if (order === "count") {
    begin = process.hrtime.bigint();
    tokens = count(text);
  } else if (order === "short") {
    const chars = Array.from(text);
    const texts = [];
    for (let at = 0; at < chars.length; at += Number(number)) {
      texts.push(Buffer.from(chars.slice(at, at + Number(number)).join("")).toString());
    }
    each = texts.length;
    begin = process.hrtime.bigint();
    for (const text of texts) tokens += count(text);
  } else {
    begin = process.hrtime.bigint();
    within(text, Number(number));
  }
  console.log(`${(process.hrtime.bigint() - begin) / BigInt(each)} ${tokens}`);
}
