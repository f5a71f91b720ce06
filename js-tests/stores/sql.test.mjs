// Questions in SQL: about several stored results, for who may read them, by a module that is loaded at the first one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper } from "toolshape";

const KEY = "a secret of many bytes";
const PEOPLE = Array.from({ length: 300 }, (_, id) => ({ id, name: `person ${id}`, team: id % 7 }));
const LOG = Array.from(
  { length: 900 },
  (_, at) => `2026-11-20 10:00:00 INFO request of user ${at % 300} took ${at} ms`,
);
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
