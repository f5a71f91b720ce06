/**
 * Texts that cost the most for their bytes: each is a start, a part that repeats, and an end. `#` in a part that `isCounted`
 * becomes the number of its repetition.
 */
export const TEXTS = {
  "line breaks": { part: "\n" },
  "lines of one letter": { part: "a\n" },
  spaces: { part: " " },
  tabs: { part: "\t" },
  "NUL bytes": { part: "\0" },
  "one letter": { part: "a" },
  "combining marks": { part: "e\u0301\u0302" },
  emoji: { part: "👩‍👩‍👧‍👦" },
  Chinese: { part: "漢字" },
  "colour codes": { part: "\x1b[31mE\x1b[0m\n" },
  entities: { start: "<html>", part: "&amp;&#x41;&nosuch;" },
  "nested HTML": { start: "<html>", part: "<div>" },
  "attributes of HTML": { start: "<p", part: " a='&lt;'" },
  "short rows of CSV": { start: "a,b\n", part: "x,1\n" },
  "quotes in CSV": { start: "a,b\n", part: '"a""b",1\n' },
  "one row of CSV": { start: "a,b\n", part: "a," },
  "open brackets": { part: "[" },
  "list of zeros": { start: "[0", part: ",0", end: "]" },
  "map of numbered keys": { start: '{"k":0', part: ',"k#":1', end: "}", isCounted: true },
  "list of objects": { start: '[{"a":0}', part: ',{"a":1}', end: "]" },
  "escapes of JSON": { start: '["', part: "\\u0041", end: '"]' },
  "JSON lines": { part: '{"a":1}\n' },
  "log of errors": { part: "2026-01-01T00:00:00Z ERROR x #\n", isCounted: true },
  "headings of Markdown": { part: "# a\n" },
  "table of Markdown": { start: "|a|b|\n|-|-|\n", part: "|1|2|\n" },
  "hunks of a diff": { start: "--- a/f\n+++ b/f\n", part: "@@ -1 +1 @@\n-a\n+b\n" },
  "hits of grep": { part: "src/f#.rs:1:x\n", isCounted: true },
  "lines of a tree": { start: ".\n", part: "├── a\n" },
  "error lines": { part: "error: x\n" },
  base64: { part: "QUJD" },
  "secrets in tags": { part: "sk-<b>4</b> " },
  "secrets in a line": { part: "a=sk-1 " },
  "secret columns": { start: `a${",a".repeat(5000)}\n`, part: "1,2\n" },
};

/** A text of about this many bytes. */
export function textOf({ start = "", part, end = "", isCounted = false }, bytes) {
  if (!isCounted) return start + part.repeat(Math.ceil(bytes / Buffer.byteLength(part))) + end;
  const parts = [start];
  for (let nth = 0, length = 0; length < bytes; length += parts[nth].length) parts.push(part.replace("#", nth++));
  return parts.join("") + end;
}
