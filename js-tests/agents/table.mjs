// The rows for agents of docs/behaviours.json: a framework's test gives what its model reads of the calls of each turn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens } from "toolshape";

const { rows } = JSON.parse(readFileSync(join(process.env.TOOLSHAPE_ROOT, "docs/behaviours.json"), "utf8")).agents;

/**
 * Runs each row that applies to a framework. `run` takes turns, and gives the text and `hasImage` of each result that the model
 * reads; `tests` are those of the rows with code, by name.
 */
export function testRows(framework, run, tests) {
  const applies = ({ except = [] }) =>
    !except.some(({ where }) => {
      const isLanguage = (where.language ?? "typescript") === "typescript";
      return isLanguage && [where.framework ?? framework].flat().includes(framework);
    });
  for (const row of rows.filter(applies)) test(row.name, row.code ? tests[row.name] : () => check(row, run));
  test("every test is of a row", () => {
    const names = rows.filter((row) => row.code && applies(row)).map(({ name }) => name);
    assert.deepEqual(Object.keys(tests).sort(), names.sort());
  });
}

async function check({ turns, expect }, run) {
  const given = [];
  let read = [];
  for (const turn of turns) {
    given.push(turn.map(([name, args = {}]) => [name, filled(args, read)]));
    read = await run(given);
  }
  for (const { read: at, reads = [at], atMost = Infinity, has = "", image, json } of expect) {
    const found = reads.map((place) => read[place]);
    const [{ text, hasImage }] = found;
    assert.ok(found.reduce((sum, { text }) => sum + countTokens(text), 0) <= atMost, text);
    assert.ok(text.includes(has), text);
    assert.ok(!image || hasImage);
    if (Array.isArray(json)) assert.deepEqual(JSON.parse(text), json);
    else for (const [name, value] of Object.entries(json ?? {})) assert.deepEqual(JSON.parse(text)[name], value, name);
  }
}

/** Arguments with the handles of results that were read before. */
function filled(args, read) {
  const handle = (_, at) => read[at].text.match(/result.([a-z]{16})\b/)[1];
  return JSON.parse(JSON.stringify(args).replaceAll(/\{handle:(\d+)\}/g, handle));
}
