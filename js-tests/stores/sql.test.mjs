// Questions in SQL: about several stored results, for who may read them, by a module that is loaded at the first one.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper } from "toolshape";

const KEY = "a secret of many bytes";
const PEOPLE = Array.from({ length: 300 }, (_, id) => ({ id, name: `person ${id}`, team: id % 7 }));
const LOG = Array.from(
  { length: 900 },
  (_, at) => `2026-11-20 10:00:00 INFO request of user ${at % 300} took ${at} ms`,
);

const installed = dirname(createRequire(import.meta.url).resolve("toolshape/package.json"));
const program = join(installed, "dist/cjs/relay/bin.js");
/** A server whose every answer is a list. */
const SERVER = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const text = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, team: id % 7 })));
  console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: { content: [{ type: "text", text }] } }));
});`;

const loaded = () => globalThis[Symbol.for("toolshape.data")].sql;

/** An archive, and the handles of a list and of a text in it. */
async function filled(policy = {}, call = {}) {
  const archive = new Archive(new Shaper({ maxTokens: 1000, ...policy }), new MemoryStore());
  const handle = (shaped) => /toolshape:\/\/result\/([a-z]{16})/.exec(shaped.text)[1];
  const people = handle(await archive.shape(PEOPLE, { tool: "people", ...call }));
  return { archive, people, log: handle(await archive.shape(LOG.join("\n"), { tool: "log", ...call })) };
}

test("a question joins a list with the lines of a log, and the module is loaded for it", async () => {
  const { archive, people, log } = await filled();
  await archive.readResult({ handle: people });
  assert.equal(loaded(), undefined);
  const asked = `SELECT team, count(*), avg(cast(capture(text, 'took (\\d+)') AS int)) FROM ${log} l
    JOIN ${people} p ON p.id = cast(capture(l.text, 'user (\\d+)') AS int) GROUP BY 1 ORDER BY 1 LIMIT 2`;
  const { value, isError } = await archive.readResult({ sql: asked });
  assert.equal(isError, false, JSON.stringify(value));
  const mean = (team) => {
    const took = LOG.map((_, at) => at).filter((at) => (at % 300) % 7 === team);
    return [team, took.length, took.reduce((sum, at) => sum + at) / took.length];
  };
  assert.deepEqual(value.rows, [mean(0), mean(1)]);
  assert.ok(loaded().length > 100_000);
  // What was opened answers again, and so do statements without a table.
  assert.deepEqual((await archive.readResult({ handle: people, sql: "SELECT max(id) FROM result" })).value.rows, [
    [299],
  ]);
  assert.deepEqual((await archive.readResult({ sql: "SELECT 7, 'é'" })).value.rows, [[7, "é"]]);
});

test("what a caller may not read is not read", async () => {
  const { archive, people } = await filled({ cursorKey: KEY }, { scope: "a" });
  const asked = (call) => archive.readResult({ sql: `SELECT count(*) FROM ${people}` }, call);
  assert.deepEqual((await asked({ scope: "a" })).value.rows, [[300]]);
  assert.equal((await asked({ scope: "b" })).value.error, "NOT_FOUND");
  const tools = [];
  const authorize = (answer) => (tool) => (tools.push(tool), answer);
  assert.equal((await asked({ scope: "a", authorize: authorize(false) })).value.error, "FORBIDDEN");
  assert.deepEqual((await asked({ scope: "a", authorize: authorize(true) })).value.rows, [[300]]);
  assert.deepEqual(tools, ["people", "people"]);
});

test("mistakes are explained, and long questions end", async () => {
  const { archive, people } = await filled();
  for (const [sql, code, text] of [
    [`SELECT nam FROM ${people}`, "UNKNOWN_FIELD", /name/],
    ["SELECT 1 FROM abcdefghijklmnop", "NOT_FOUND", /abcdefghijklmnop/],
    [`DELETE FROM ${people}`, "INVALID_CALL", /only read/],
    [7, "INVALID_CALL", /sql is 7/],
    [
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT max(n) FROM r",
      "INVALID_CALL",
      /limit of work/,
    ],
  ]) {
    const answer = await archive.readResult({ sql });
    assert.equal(answer.value.error, code, answer.text);
    assert.match(answer.text, text);
  }
  assert.deepEqual((await archive.readResult({ sql: `SELECT count(*) FROM ${people}` })).value.rows, [[300]]);
});

test("the program answers in SQL about a file", () => {
  const file = join(mkdtempSync(join(tmpdir(), "sql-")), "people.json");
  writeFileSync(file, JSON.stringify(PEOPLE));
  const program = join(
    dirname(createRequire(import.meta.url).resolve("toolshape/package.json")),
    "dist/cjs/relay/bin.js",
  );
  const said = execFileSync(
    process.execPath,
    [program, "shape", "--sql", "SELECT count(*) n FROM result WHERE team = 3", file],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  assert.deepEqual(JSON.parse(said).rows, [[43]]);
});

test("the relay answers in SQL about several results", async () => {
  const relay = spawn(process.execPath, [program, process.execPath, "-e", SERVER], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: relay.stdout })[Symbol.asyncIterator]();
  const call = async (name, args) => {
    const params = { name, arguments: args };
    relay.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
    return JSON.parse((await lines.next()).value).result.content[0].text;
  };
  const [, handle] = /toolshape:\/\/result\/([a-z]{16})/.exec(await call("list", {}));
  const joined = `SELECT count(*), max(a.id) FROM ${handle} a JOIN ${handle} b ON a.id = b.id + 1`;
  assert.deepEqual(JSON.parse(await call("read_result", { sql: joined })).rows, [[399, 399]]);
  assert.deepEqual(JSON.parse(await call("read_result", { sql: "SELECT 7" })).rows, [[7]]);
  const missing = JSON.parse(await call("read_result", { sql: `SELECT 1 FROM ${handle}, abcdefghijklmnop` }));
  assert.equal(missing.error, "NOT_FOUND");
  relay.stdin.end();
});
