/**
 * From import to the first answer, in a process that has done nothing yet; prints processor milliseconds.
 *
 * Usage: node startup.mjs <"shape" | "count" by toolshape, or a tokenizer>
 */
import { TOKENIZERS } from "./tokenizers.mjs";

const [what] = process.argv.slice(2);
const text = JSON.stringify({
  id: 1,
  title: "The first result",
  tags: ["one", "two"],
  body: "It was a bright cold day. ".repeat(40),
});
const value = JSON.parse(text);

const start = process.cpuUsage();
if (what === "shape") {
  const { Shaper } = await import("toolshape");
  new Shaper({ maxTokens: 2000 }).shape(value);
} else if (what === "count") {
  (await import("toolshape")).countTokens(text);
} else {
  (await TOKENIZERS[what]()).count(text);
}
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1000);
