// Runs the first example of the installed package's README that needs nothing but the package; it runs where nothing else is.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

const readme = readFileSync("node_modules/toolshape/README.md", "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
const example = examples.find((code) => code.includes('from "toolshape"') && code.includes("new Shaper("));
writeFileSync("example.mjs", `${example}\nexport { shaped };\n`);
const { shaped } = await import(`${process.cwd()}/example.mjs`);
// What the example says of its result.
assert.ok(example.includes('{"paginated":true,"totalItems":1000,"page":2,'));
assert.ok(shaped.text.startsWith('{"paginated":true,"totalItems":1000,"page":2,'), shaped.text.slice(0, 100));
assert.equal(shaped.value.page, 2);
assert.ok(shaped.tokens > 100 && shaped.tokens <= 2000);
assert.equal(shaped.receipt.tokensAfter, shaped.tokens);
console.log(`${shaped.tokens} tokens in the first example`);
