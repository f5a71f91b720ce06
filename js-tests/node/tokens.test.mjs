// Counting as a user of the package sees it; exactness is the vectors' matter.

import assert from "node:assert/strict";
import { test } from "node:test";
import "toolshape/cl100k_base";
import { Shaper, ToolshapeError, countTokens, fitsTokens } from "toolshape";

test("text is counted", () => {
  assert.equal(countTokens(""), 0);
  assert.equal(countTokens("Hello, world!"), 4);
  assert.equal(countTokens("Hello, world!", "cl100k_base"), 4);
  assert.equal(countTokens("<|endoftext|>") > 1, true, "special tokens are ordinary text");
});

test("the two encodings differ where they should", () => {
  const text = "大規模言語モデル";
  assert.notEqual(countTokens(text, "o200k_base"), countTokens(text, "cl100k_base"));
});

test("a lone surrogate counts as U+FFFD", () => {
  assert.equal(countTokens("\ud800"), countTokens("\ufffd"));
});

test("a limit is told from the count", () => {
  assert.equal(fitsTokens("Hello, world!", 4), 4);
  assert.equal(fitsTokens("Hello, world!", 3), null);
  assert.equal(fitsTokens("", 0), 0);
  assert.equal(fitsTokens("Hello", Infinity), 1);
  assert.equal(fitsTokens("a b".repeat(1e6), 2 ** 40), countTokens("a b".repeat(1e6)));
});

test("a long text beyond the limit is not read to its end", () => {
  const text = "word ".repeat(1_000_000);
  const time = (work) => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  const within = Array.from({ length: 9 }, () => time(() => assert.equal(fitsTokens(text, 2000), null)));
  const whole = time(() => assert.equal(countTokens(text), 1_000_001));
  assert.ok(Math.min(...within) < whole / 20);
});

for (const [name, run] of [
  ["what is no text", () => countTokens(7)],
  ["no text at all", () => countTokens()],
  ["an unknown encoding", () => countTokens("a", "p50k_base")],
  ["an encoding that is no text", () => fitsTokens("a", 1, 7)],
  ["a limit below 0", () => fitsTokens("a", -1)],
  ["a limit that is no number", () => fitsTokens("a", NaN)],
]) {
  test(`${name} throws INVALID_CALL`, () => {
    assert.throws(run, (error) => error instanceof ToolshapeError && error.code === "INVALID_CALL");
  });
}

test("a policy counts in its encoding", () => {
  for (const encoding of ["o200k_base", "cl100k_base", "estimate"]) {
    const { receipt, text } = new Shaper({ encoding }).shape(["大規模言語モデル"]);
    assert.equal(receipt.encoding, encoding);
    assert.equal(receipt.tokensAfter, countTokens(text, encoding));
  }
});
