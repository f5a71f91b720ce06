// One contender of `cargo xtask bench tokens`, in Node: see native/src/main.rs for the orders.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const start = process.hrtime.bigint();
const [name, ...rest] = process.argv.slice(2);
const { count, within } = await contender(name);

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

async function contender(name) {
  let count;
  switch (name) {
    case "toolshape": {
      const { countTokens, fitsTokens } = await import("toolshape");
      return { count: countTokens, within: fitsTokens };
    }
    case "gpt-tokenizer": {
      const { countTokens, isWithinTokenLimit } = await import("gpt-tokenizer/encoding/o200k_base");
      return { count: countTokens, within: isWithinTokenLimit };
    }
    case "tiktoken": {
      const { get_encoding } = await import("tiktoken");
      const encoding = get_encoding("o200k_base");
      count = (text) => encoding.encode_ordinary(text).length;
      break;
    }
    case "js-tiktoken": {
      const { Tiktoken } = await import("js-tiktoken/lite");
      const { default: ranks } = await import("js-tiktoken/ranks/o200k_base");
      const encoding = new Tiktoken(ranks);
      count = (text) => encoding.encode(text, [], []).length;
      break;
    }
    case "ai-tokenizer": {
      const { Tokenizer } = await import("ai-tokenizer");
      const tokenizer = new Tokenizer(await import("ai-tokenizer/encoding/o200k_base"));
      count = (text) => tokenizer.count(text);
      break;
    }
    default:
      throw new Error(`no contender is named ${name}`);
  }
  return { count, within: (text, limit) => count(text) <= limit };
}
