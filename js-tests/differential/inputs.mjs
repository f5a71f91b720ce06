// Generated calls: JSON and texts of many kinds, whole CallToolResults, and policies and call controls for them. A seed
// decides all of them.

/** A generator of numbers (mulberry32, T. Ettinger, 2017), and what is chosen with it. */
export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  const one = (list) => list[below(list.length)];
  return { below, one, is: (share) => next() < share, many: (most, make) => Array.from({ length: below(most) }, make) };
}

const WORDS =
  "id name état 日本語 a/b~c __proto__ state updated_at ERROR warning 👩‍👩‍👧 e\u0301 <b>bold</b> sk-123 , ; \t | # - 12:00:01 2026-11-27T10:00:00Z".split(
    " ",
  );
const KEYS = "id name title state updated_at url amount owner body tags data items results error".split(" ");
/** Numbers in spellings that doubles and other languages change. */
const NUMBERS =
  "0 -0 1 7 42 1.0 1.50 1E2 0.1 0.0001 9007199254740993 123456789012345678901234567890 1e400 1733300000.000010".split(
    " ",
  );

const words = (r, most) => Array.from({ length: 1 + r.below(most) }, () => r.one(WORDS)).join(" ");
const quoted = (text) => JSON.stringify(text);

function scalar(r) {
  const kind = r.below(9);
  if (kind === 0) return "null";
  if (kind === 1) return r.one(["true", "false"]);
  if (kind < 4) return r.one(NUMBERS);
  if (kind === 4) return String(r.below(1e9));
  if (kind === 5) return quoted(words(r, r.one([2, 20, 300])));
  if (kind === 6) return r.one(['""', '"\\ud83d"', '"a\\u0000\\/b"', '"\\u001b[31mred"', '"1.10"', '"1e999"']);
  return quoted(r.is(0.02) ? short(r) : words(r, 4));
}

/** A text in a field, without fields that have texts. */
const short = (r) => r.one([r.one(TEXT_KINDS.slice(0, 8))(r), "QUJD".repeat(r.below(900))]).slice(0, 4000);

const list = (items) => `[${items.join(",")}]`;
const object = (entries) => `{${entries.map(([key, value]) => `${quoted(key)}:${value}`).join(",")}}`;

function rows(r) {
  const keys = [...new Set(Array.from({ length: 1 + r.below(8) }, () => r.one(KEYS)))];
  const cells = keys.map(() => (r.is(0.2) ? () => value(r, 1) : () => scalar(r)));
  const row = (_, at) =>
    object(keys.map((key, nth) => [key, key === "id" ? at : cells[nth]()]).filter(() => !r.is(0.05)));
  return list(Array.from({ length: r.one([1, 3, 30, 60, 150]) }, row));
}

const JSON_KINDS = [
  rows,
  rows,
  (r) =>
    object([
      ["total", r.below(500)],
      [r.one(["items", "data", "results"]), rows(r)],
    ]),
  (r) =>
    object([
      [
        "data",
        object([
          ["nodes", rows(r)],
          ["pageInfo", '{"hasNextPage":false}'],
        ]),
      ],
    ]),
  (r) => list([object([["results", rows(r)]])]),
  (r) => list(r.many(400, () => scalar(r))),
  (r) => list(r.many(40, () => list(r.many(12, () => r.one(NUMBERS))))),
  (r) => object(Array.from({ length: r.below(120) }, (_, at) => [`k${at}`, value(r, 1)])),
  (r) =>
    object(
      Array.from({ length: r.below(60) }, (_, at) => [
        `u-${at}`,
        object([
          ["name", scalar(r)],
          ["n", at],
        ]),
      ]),
    ),
  (r) =>
    object([
      ["a", scalar(r)],
      ["a", scalar(r)],
      ["b", rows(r)],
    ]),
  (r) =>
    `${"[".repeat(r.below(60))}${scalar(r)}`.replace(
      /^(\[*)(.*)$/s,
      (_, open, rest) => open + rest + "]".repeat(open.length),
    ),
  (r) =>
    object([
      ["exitCode", r.below(2)],
      ["stdout", quoted(r.one(TEXT_KINDS.slice(0, 8))(r))],
      ["stderr", quoted(words(r, 60))],
    ]),
  (r) => list([rows(r), rows(r)]),
  (r) => scalar(r),
];

function value(r, depth) {
  const kind = depth > 0 ? r.below(4) : 3;
  if (kind === 0) return list(r.many(20, () => value(r, depth - 1)));
  if (kind === 1) return object(r.many(8, () => [r.one(KEYS), value(r, depth - 1)]));
  return scalar(r);
}

/** JSON text. */
export const json = (r) => (r.is(0.2) ? value(r, 4) : r.one(JSON_KINDS)(r));

const lines = (r, most, make) => Array.from({ length: 1 + r.below(most) }, make).join(r.is(0.1) ? "\r\n" : "\n");
const LEVELS = ["INFO", "INFO", "DEBUG", "WARN", "ERROR", "\u001b[31mERROR\u001b[0m"];
const TEXT_KINDS = [
  (r) => words(r, 3000),
  (r) => lines(r, 400, () => words(r, 12)),
  (r) => `id,name,amount\n${lines(r, 300, (_, at) => `${at},${r.one(["a", '"a,b"', "", "x y"])},${r.one(NUMBERS)}`)}`,
  (r) => `id\tname\n${lines(r, 200, (_, at) => `${at}\t${r.one(WORDS)}`)}`,
  (r) => `| id | name |\n|---|---|\n${lines(r, 200, (_, at) => `| ${at} | ${r.one(WORDS)} |`)}`,
  (r) =>
    lines(r, 300, (_, at) => `2026-11-27T10:00:${String(at % 60).padStart(2, "0")}Z ${r.one(LEVELS)} ${words(r, 8)}`),
  (r) => lines(r, 60, () => `${"#".repeat(1 + r.below(4))} ${words(r, 4)}\n\n${words(r, 60)}\n`),
  (r) =>
    `<html><head><style>p{}</style></head><body>${lines(r, 100, () => `<p>${words(r, 30)}&amp;&#x41;</p>`)}</body></html>`,
  (r) =>
    lines(r, 120, () =>
      object([
        ["id", r.below(99)],
        ["v", scalar(r)],
      ]),
    ),
  (r) => `\`\`\`json\n${rows(r)}\n\`\`\``,
  (r) =>
    `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n${lines(r, 200, () => r.one(["+", "-", " "]) + words(r, 6))}`,
  (r) => lines(r, 200, (_, at) => `test suite::case_${at} ... ${r.is(0.05) ? "FAILED" : "ok"}`),
  (r) =>
    `Traceback (most recent call last):\n${lines(r, 120, (_, at) => `  File "a.py", line ${at}, in f`)}\nValueError: ${words(r, 9)}`,
  (r) => "QUJD".repeat(r.below(4000)),
  (r) => r.one(["a", " ", "\n", "👩‍👩‍👧", "é", "&amp;"]).repeat(r.below(9000)),
  (r) => `${words(r, 5)}\n${rows(r)}`,
];

/** A text. */
export const text = (r) => r.one(TEXT_KINDS)(r);

const block = (r) => {
  const kind = r.below(10);
  if (kind < 4)
    return object([
      ["type", '"text"'],
      ["text", quoted(json(r))],
    ]);
  if (kind < 8)
    return object([
      ["type", '"text"'],
      ["text", quoted(text(r))],
    ]);
  if (kind === 8)
    return '{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}';
  const resource = object([
    ["uri", '"file:///a"'],
    ["mimeType", '"application/json"'],
    ["text", quoted(json(r))],
  ]);
  return object([
    ["type", '"resource"'],
    ["resource", resource],
  ]);
};

/** A whole CallToolResult as JSON text. */
export function result(r) {
  const members = [["content", list(Array.from({ length: 1 + (r.is(0.3) ? r.below(4) : 0) }, () => block(r)))]];
  // Hosts parse it before they return it: numbers as JavaScript spells them are the same in all.
  if (r.is(0.3)) members.push(["structuredContent", object([["result", JSON.stringify(JSON.parse(json(r)))]])]);
  if (r.is(0.1)) members.push(["isError", "true"]);
  return object(members);
}

const OPTIONS = {
  maxTokens: (r) => r.one([200, 300, 500, 1000, 2000, 6000]),
  encoding: (r) => r.one(["o200k_base", "estimate"]),
  margin: (r) => r.below(50) / 100,
  paginateAfter: (r) => 1 + r.below(80),
  pageSize: (r) => 1 + r.below(60),
  fields: (r) => r.many(4, () => r.one(KEYS)),
  format: (r) => r.one(["json", "columns", "auto"]),
  overflow: (r) => r.one(["shape", "error", "offload"]),
  offloadOver: (r) => 1 + r.below(3000),
  preview: (r) => r.one(["head", "tail", "headTail"]),
  text: (r) => r.one(["auto", "plain", "csv", "markdown", "html", "log"]),
};
const CONTROLS = {
  page: (r) => 1 + r.below(4),
  pageSize: (r) => 1 + r.below(60),
  fields: (r) => r.many(3, () => r.one([...KEYS, "nothing"])),
  format: (r) => r.one(["json", "columns"]),
  output: (r) => r.one(["summary", "full"]),
  store: () => true,
};

const some = (r, table, most) =>
  Object.fromEntries(r.many(most, () => r.one(Object.keys(table))).map((name) => [name, table[name](r)]));

/** One call: what is shaped, and how. */
export function generate(seed) {
  const r = chance(seed);
  const kind = r.one(["json", "json", "text", "result"]);
  const input = { json, text, result }[kind](r);
  return { kind, input, policy: some(r, OPTIONS, 4), call: { tool: "t", ...some(r, CONTROLS, 3) } };
}
