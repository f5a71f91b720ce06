// Counting as a user of the package sees it; exactness is the vectors' matter.

import assert from "node:assert/strict";
import { test } from "node:test";
import "toolshape/cl100k_base";
import {
  Shaper,
  ToolshapeError,
  countTokens,
  decode,
  decodeBytes,
  encode,
  encodeWithSpecial,
  fitsTokens,
  loadEncoding,
  truncateToTokens,
} from "toolshape";

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

test("a text is counted alike however long it is and whatever its characters", () => {
  for (const unit of ["a ", "\u00e9", "\u8a9e", "\ud83d\ude42", "\ud800 ", "a\udc00"]) {
    for (const units of [46, 48, 50, 4094, 4096, 4098]) {
      const text = unit.repeat(units / unit.length);
      assert.equal(countTokens(text), encode(text).length, `${JSON.stringify(unit)}, ${units} units`);
      assert.equal(countTokens("a"), 1, "nothing of it is left");
    }
  }
});

test("a limit agrees with the count", () => {
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

test("special tokens are those only where that is asked for", () => {
  assert.deepEqual([...encodeWithSpecial("a<|endoftext|>")], [64, 199_999]);
  assert.ok(encode("a<|endoftext|>").length > 2);
  assert.equal(decode([64, 199_999]), "a<|endoftext|>");
});

test("tokens may end inside a character", () => {
  const tokens = encode("🜁");
  assert.ok(tokens.length > 1);
  assert.equal(decode(tokens.subarray(0, 1)), "\ufffd");
  const bytes = [...tokens].flatMap((token) => [...decodeBytes([token])]);
  assert.deepEqual(bytes, [...Buffer.from("🜁")]);
  assert.equal(decode(encode("\ufeffa")), "\ufeffa", "a byte order mark is text");
  assert.equal(decode(new Set(encode("one"))), "one");
});

test("a text is truncated at a grapheme, and keeps what it has of surrogates", () => {
  assert.equal(truncateToTokens("one two three", 2), "one two");
  assert.equal(truncateToTokens("one two three", 2, "o200k_base", "tail"), " two three");
  assert.equal(truncateToTokens("\ud800 one two", 1), "\ud800");
  assert.equal(truncateToTokens("👩‍👩‍👧‍👦", 3), "");
  assert.equal(truncateToTokens("one", Infinity), "one");
  const long = "word ".repeat(4_000_000);
  for (const side of ["head", "tail"])
    assert.equal(countTokens(truncateToTokens(long, 2000, "o200k_base", side)), 2000);
});

test("a rank file makes an encoding, also for an instance that comes later", () => {
  const ranks = Array.from(
    { length: 100_256 },
    (_, rank) => `${Buffer.from(decodeBytes([rank], "cl100k_base")).toString("base64")} ${rank}\n`,
  );
  const file = new Uint8Array(Buffer.from(ranks.join("")));
  assert.equal(loadEncoding("mine", file, "cl100k_base"), "mine");
  file.fill(0);
  const text = "大規模言語モデル, and 12345 more don'ts\n\n";
  const same = () => assert.deepEqual([...encode(text, "mine")], [...encode(text, "cl100k_base")]);
  same();
  const { receipt } = new Shaper({ encoding: "mine" }).shape([text]);
  assert.equal(receipt.encoding, "mine");
  assert.equal(receipt.tokensAfter, countTokens(JSON.stringify([text]), "cl100k_base"));
  // Enough that the instance is thrown away.
  countTokens("a b".repeat(5e7));
  same();
  loadEncoding("mine", new Uint8Array(), "o200k_base");
  same();
});

for (const [name, run] of [
  ["an unknown side", () => truncateToTokens("a", 1, "o200k_base", "middle")],
  ["the tokens of an estimate", () => encode("a", "estimate")],
  ["an unknown token", () => decode([199_998])],
  ["a number that is not a token", () => decode([1.5])],
  ["a list of others", () => decode(["7"])],
  ["no list", () => decode(7)],
  ["a taken name", () => loadEncoding("o200k_base", new Uint8Array(), "o200k_base")],
  ["invalid ranks", () => loadEncoding("junk", new Uint8Array(3), "o200k_base")],
  ["ranks that are text", () => loadEncoding("junk", "YQ== 0", "o200k_base")],
  ["an unknown pattern", () => loadEncoding("junk", new Uint8Array(), "p50k_base")],
  ["a value that is not text", () => countTokens(7)],
  ["no text at all", () => countTokens()],
  ["an unknown encoding", () => countTokens("a", "p50k_base")],
  ["an encoding that is not text", () => fitsTokens("a", 1, 7)],
  ["a limit below 0", () => fitsTokens("a", -1)],
  ["a limit that is not a number", () => fitsTokens("a", NaN)],
  ["a limit that is null", () => truncateToTokens("a", null)],
  ["a limit that is text", () => truncateToTokens("a", "5")],
  ["a limit that is a BigInt", () => fitsTokens("a", 5n)],
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
