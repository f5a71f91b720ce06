/** Reads JSON texts, one a line; writes for each TOON's text and the JSON of what its decoder returns, or nothing, as a line of JSON. */
import { decode, encode } from "@toon-format/toon";
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const text = encode(JSON.parse(line));
  let decoded = "";
  try {
    decoded = JSON.stringify(decode(text));
  } catch {
    // A text that its own decoder rejects is not exact.
  }
  console.log(JSON.stringify({ text, decoded }));
}
