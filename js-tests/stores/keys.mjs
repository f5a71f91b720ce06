// Keys and texts that stores are tried with.

import { createHash } from "node:crypto";

/** The key under which a content is stored, where there is no secret. */
export function keyOf(text, kind = "json") {
  return `${createHash("sha256").update(text).digest("hex")}.${kind}`;
}

/** What has tripped stores of others, and must come back as it went in. */
export const TEXTS = {
  "JSON with every spelling of a number": '{"a":9007199254740993,"b":1.0,"c":-0,"d":1E2,"__proto__":{"x":1},"a":2}',
  "a JSON string": '"just a string"',
  "a JSON number": "12345678901234567890",
  true: "true",
  "text of many scripts": "日本語 ñ 👩‍👩‍👧‍👦 \u0000\u001b[31m \r\n\u2028 end",
  "text that begins with a colon": ":base64:aGVsbG8=",
  "text that begins with two": "::x",
  "text that looks like a mark": "base64:aGVsbG8=",
  "an empty text": "",
  "5 MB": JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, text: `row ${id} `.repeat(8) }))),
};

/** Keys that reach for something else. */
export const HOSTILE_KEYS = [
  "",
  "../x",
  "/etc/passwd",
  "%2e%2e%2fx",
  "a".repeat(64),
  `${"A".repeat(64)}.json`,
  `${"a".repeat(63)}.json`,
  `${"a".repeat(64)}.json\n`,
  `${"a".repeat(64)}.json/../x`,
  `../${"a".repeat(64)}.json`,
  `${"a".repeat(64)}.json\0`,
  `${"a".repeat(64)}.exe`,
  `${"a".repeat(64)}.handle`,
  `${"a".repeat(16)}.json`,
  `${"a".repeat(15)}.handle`,
  `${"A".repeat(16)}.handle`,
  `${"a".repeat(16)}.handle\n`,
  `${"a".repeat(64)}.json.expires`,
  ".toolshape-store",
  "__proto__",
  "x".repeat(1_000_000),
  null,
  undefined,
  7,
  [`${"a".repeat(64)}.json`],
  { toString: () => `${"a".repeat(64)}.json` },
];
