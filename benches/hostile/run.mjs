/**
 * Hostile texts of 20 MB through every call: the seconds of the slowest, and the most memory above the text's own. A table of the kinds
 * of calls comes last.
 *
 *   node run.mjs [--bytes N] [--program TOOLSHAPE] [NAME]
 *
 * Each text has a process of its own for each kind in Node, and with --program one of the native program for each call that its command
 * line has. The exit code is 1 if a call takes longer than a second in Node or half of one natively, or three with redaction, of
 * processor time.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TEXTS, textOf } from "./texts.mjs";

const MOST = { node: 1, native: 0.5, redaction: 3 };
/** What is secret where a call is redacted, and statements that compare much. */
const SECRET = { redactFields: ["a", "user.b"], redactTexts: ["sk-*", "er*:*x"] };
const STATEMENTS = [
  "SELECT * FROM result a, result b WHERE a.doc < b.doc",
  "SELECT count(DISTINCT doc), median(length(doc)) FROM result",
  "SELECT doc FROM result ORDER BY doc COLLATE NOCASE DESC",
  "SELECT count(*) FROM result a, result b, result c",
  "WITH RECURSIVE n(i, s) AS (SELECT 1, 'ab' UNION ALL SELECT i + 1, s || s FROM n) SELECT max(length(s)) FROM n",
  "SELECT replace(doc, 'a', doc), group_concat(doc || doc) FROM result",
  "SELECT doc LIKE '%a%a%a%a%b%', doc GLOB '*a*a*a*b*', doc REGEXP '(a|a)*b' FROM result",
  "SELECT trim(doc, doc), instr(doc, doc || 'x'), hex(doc), upper(doc) FROM result",
  "SELECT doc FROM result UNION SELECT doc || ' ' FROM result",
];
const KINDS = ["texts", "redaction", "SQL"];

const { values, positionals } = parseArgs({
  options: {
    bytes: { type: "string", default: "20000000" },
    program: { type: "string" },
    child: { type: "string" },
    kind: { type: "string" },
  },
  allowPositionals: true,
});
if (values.child) await inThisProcess(values.child, values.kind);
else measure(positionals.length > 0 ? positionals : Object.keys(TEXTS));

function measure(names) {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  let slow = 0;
  const table = {};
  for (const name of names) {
    const file = join(folder, "text");
    const text = textOf(TEXTS[name], Number(values.bytes));
    writeFileSync(file, text);
    const found = { node: KINDS.flatMap((kind) => inNode(file, kind)), native: values.program ? natively(file) : [] };
    for (const [face, calls] of Object.entries(found)) {
      if (calls.length === 0) continue;
      const most = ({ kind }) => (kind === "redaction" ? MOST.redaction : MOST[face]);
      for (const { kind, call, seconds, memory } of calls) {
        const row = (table[`${kind}, ${face}`] ??= { seconds: 0, memory: 0 });
        if (seconds > row.seconds) Object.assign(row, { seconds, call: `${call} of ${name}` });
        const times = memory / Buffer.byteLength(text);
        if (times > row.memory) Object.assign(row, { memory: times, largest: `${call} of ${name}` });
      }
      const [slowest] = calls.toSorted((a, b) => b.seconds / most(b) - a.seconds / most(a));
      const memory = Math.max(...calls.map(({ memory }) => memory)) / Buffer.byteLength(text);
      const isSlow = slowest.seconds > most(slowest);
      if (isSlow) slow++;
      const mark = isSlow ? " SLOW" : "";
      console.log(
        `${face.padEnd(7)}${name.padEnd(24)}${slowest.seconds.toFixed(2)} s (${slowest.call}), memory ${memory.toFixed(1)} × the text${mark}`,
      );
    }
  }
  console.log("\n| calls | slowest | of | most memory, × the text | of |\n|---|---|---|---|---|");
  for (const [kind, { seconds, call, memory, largest }] of Object.entries(table))
    console.log(`| ${kind} | ${seconds.toFixed(2)} s | ${call} | ${memory.toFixed(1)} | ${largest} |`);
  rmSync(folder, { recursive: true });
  process.exitCode = slow > 0 ? 1 : 0;
}

function inNode(file, kind) {
  const child = spawnSync(process.execPath, [import.meta.filename, "--child", file, "--kind", kind], {
    encoding: "utf8",
    timeout: 600_000,
  });
  if (child.status !== 0) throw new Error(`${child.signal ?? child.status}: ${child.stderr}`);
  return child.stdout
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ kind, ...JSON.parse(line) }));
}

/** The processor time and the memory of the program, less those of a short text, as bash and Linux count them. */
function natively(file) {
  const none = ran("");
  const shaped = ["", "--max-tokens 500", "--page 3000", "--fields a", "--format columns", "--set text=log"];
  const read = ["--search a", "--search zq", "--lines a", "--lines 1-20", "--lines -5", "--pointer /0"];
  const secret = Object.entries(SECRET).map(([name, list]) => `--set ${name}=${JSON.stringify(list)}`);
  // A space divides options.
  const asked = STATEMENTS.map((sql) => `--sql ${sql.replaceAll(" ", "\t")}`);
  const kinds = { texts: [...shaped, ...read], redaction: [secret.join(" ")], SQL: asked };
  return Object.entries(kinds).flatMap(([kind, calls]) =>
    calls.map((call) => {
      const { seconds, memory } = ran(file, call.split(" ").filter(Boolean));
      const shown = `shape ${call.replaceAll("\t", " ")}`.trim();
      return { kind, call: shown, seconds: seconds - none.seconds, memory: memory - none.memory };
    }),
  );
}

function ran(file, options = []) {
  const script = `exec "$@" < "${file || "/dev/null"}" > /dev/null`;
  const timed = spawnSync(
    "/usr/bin/time",
    ["-f", "%U %S %M", "bash", "-c", script, "-", values.program, "shape", ...options],
    {
      encoding: "utf8",
    },
  );
  const [user, system, kilobytes] = timed.stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { seconds: user + system, memory: kilobytes * 1024 };
}

/** Makes every call with a text in this process, and prints a line for each. */
async function inThisProcess(file, kind) {
  const { Archive, Shaper } = await import("toolshape");
  const text = readFileSync(file, "utf8");
  new Shaper().shape("warm");
  const most = () => process.resourceUsage().maxRSS * 1024;
  const before = most();
  const time = async (call, work) => {
    const began = process.cpuUsage();
    const done = await work();
    const { user, system } = process.cpuUsage(began);
    console.log(JSON.stringify({ call, seconds: (user + system) / 1e6, memory: most() - before }));
    return done;
  };
  const isJson = (() => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  })();
  const shaper = new Shaper({ maxTokens: 2000 });
  const archive = new Archive(shaper, new Map());
  const stores = () => (isJson ? archive.shapeJson(text, { tool: "t" }) : archive.shape(text, { tool: "t" }));
  if (kind === "redaction") {
    const redacting = new Archive(shaper, new Map(), SECRET);
    await time("redact", () => redacting.shape(text, { tool: "t" }));
    return;
  }
  if (kind === "SQL") {
    const { keep } = await stores();
    if (!keep) return;
    const handle = keep.ticket.slice(0, 16);
    for (const sql of STATEMENTS) await time(`SQL ${sql}`, () => archive.readResult({ handle, sql }));
    return;
  }
  for (const args of [{}, { page: 3000 }, { fields: ["a"] }, { fields: ["/0/none"] }, { format: "columns" }])
    await time(`shape ${JSON.stringify(args)}`, () => shaper.shape(text, { tool: "t", arguments: args }));
  for (const policy of [{ text: "log" }, { maxTokens: 200, overflow: "offload" }])
    await time(`policy ${JSON.stringify(policy)}`, () => new Shaper(policy).shape(text, { tool: "t" }));
  await time("summarizeText", () => shaper.summarizeText(text, { uri: "x:y" }, { tool: "t" }));
  const stored = await time("shape, stored", stores);
  if (!stored.keep) return;
  const handle = stored.keep.ticket.slice(0, 16);
  const reads = [
    {},
    { page: 3000 },
    { search: "a" },
    { search: "zq" },
    { lines: "a" },
    { lines: "1-20" },
    { lines: "-5" },
  ];
  for (const asked of [...reads, { pointer: "/0" }, { pointer: "/zq" }, { fields: ["a"] }])
    await time(`read ${JSON.stringify(asked)}`, () => archive.readResult({ handle, ...asked }));
}
