// Long strings with characters of two UTF-16 units: what is shown of them, and how often a unit is looked at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Shaper } from "toolshape";

/** Prose with characters of two units alone, in runs, at both ends of long parts without any, and broken ones. */
function mixed() {
  const plain = "The quick brown fox jumps over the lazy dog. ";
  const parts = [
    "🙂",
    plain.repeat(300),
    "🙂🙃",
    plain.repeat(7),
    "🙂".repeat(5000),
    plain.repeat(200),
    "\ud83d",
    plain.repeat(40),
    "\ude42 ",
    "a🙂".repeat(3000),
  ];
  return parts.join("").repeat(2) + plain.repeat(500);
}

test("pages of a string with characters of two units are the string", () => {
  const shaper = new Shaper({ maxTokens: 10_000 });
  const text = mixed().toWellFormed();
  let read = "";
  for (let cursor; cursor !== null; ) {
    const { value } = shaper.shape(text, cursor === undefined ? {} : { cursor });
    read += value.preview;
    cursor = value.nextCursor;
  }
  assert.equal(read, text);
});

test("a part of a long string is found without counting from its start", () => {
  const text = `${"Words that a tool returns, one after the other. ".repeat(8)}🙂\n`.repeat(5000);
  const { charCodeAt } = String.prototype;
  let looks = 0;
  String.prototype.charCodeAt = function (at) {
    looks++;
    return charCodeAt.call(this, at);
  };
  try {
    assert.equal(new Shaper().shape(text).value.truncated, true);
  } finally {
    String.prototype.charCodeAt = charCodeAt;
  }
  assert.ok(looks < text.length / 4, `${looks} looks at ${text.length} units`);
});
