// What an author's own test expects of a tool's result.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Shaper, assertFits } from "toolshape";

const rows = Array.from({ length: 400 }, (_, id) => ({
  id,
  author: { name: `name ${id}` },
  body: "word ".repeat(200),
}));
const result = (value, more) => ({ content: [{ type: "text", text: JSON.stringify(value) }], ...more });

test("a shaped result fits, and shows its fields", () => {
  const shaped = new Shaper({ maxTokens: 2000 }).shapeResult(result(rows), { tool: "list" });
  assertFits(shaped.result, { maxTokens: 2000, fields: ["id", "author.name", "/author/name"] });
});

test("all that is not as expected is named", () => {
  for (const [given, expected, said] of [
    [result(rows), {}, /content has \d+ tokens, more than 2000/],
    [result({}, { structuredContent: { rows } }), {}, /structuredContent has/],
    [result([{ id: 1 }]), { fields: ["id", "titel"] }, /^Error: the result does not show titel$/],
    [result("no", { isError: true }), { fields: ["id"] }, /is an error: "no"; the result does not show id/],
    [result("yes"), { isError: true }, /is not an error/],
  ])
    assert.throws(() => assertFits(given, expected), said);
  assert.throws(() => assertFits(result([]), { maxTokens: 1 }), { code: "INVALID_CALL" });
});
