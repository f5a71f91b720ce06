// The rows for agents of docs/behaviours.json: a framework's test gives what its model reads of the calls of each turn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens } from "toolshape";
import { Harness } from "toolshape/agents";

const { rows } = JSON.parse(readFileSync(join(process.env.TOOLSHAPE_ROOT, "docs/behaviours.json"), "utf8")).agents;

/**
 * Runs each row that applies to a framework. `run` takes turns, and gives the text and `hasImage` of each result that the model
 * reads; `tests` are those of the rows with code, by name; `share` is in place of that of a row.
 */
export function testRows(framework, run, tests, share) {
  const applies = ({ except = [] }) =>
    !except.some(({ where }) => {
      const isLanguage = (where.language ?? "typescript") === "typescript";
      return isLanguage && [where.framework ?? framework].flat().includes(framework);
    });
  for (const row of rows.filter(applies)) {
    const asked = row.share && share ? { ...row, share } : row;
    test(row.name, row.code ? tests[row.name] : (t) => check(asked, run, t));
  }
  test("every test is of a row", () => {
    const names = rows.filter((row) => row.code && applies(row)).map(({ name }) => name);
    assert.deepEqual(Object.keys(tests).sort(), names.sort());
  });
}

/** The commands of the servers of MCP whose tools turns call, by name. */
export function serversOf(turns) {
  const names = ["one", "two"].filter((name) => JSON.stringify(turns).includes(`"${name}_rows"`));
  const file = join(import.meta.dirname, "server.mjs");
  return Object.fromEntries(names.map((name) => [name, { command: process.execPath, args: [file, name] }]));
}

async function check({ turns, expect, share }, run, t) {
  const given = [];
  let read = [];
  for (const turn of turns) {
    given.push(turn.map(([name, args = {}]) => [name, filled(args, read)]));
    // Only what names a result has to be read before.
    if (/\{handle/.test(JSON.stringify(turns[given.length] ?? "{handle"))) read = await run(given);
  }
  if (share !== undefined) {
    const [own, without] = [sent(turns, read), sent(turns, await withoutShaping(() => run(naive(turns))))];
    t.diagnostic(`${without} → ${own} tokens`);
    assert.ok(own <= share * without, `${own} of ${without} tokens`);
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

/** The tokens of results in all requests of a run: each has those of all turns before it. */
function sent(turns, read) {
  const costs = read.map(({ text }) => countTokens(text));
  const sumTo = (end) => costs.slice(0, end).reduce((sum, cost) => sum + cost, 0);
  return turns.reduce((sum, _, at) => sum + sumTo(turns.slice(0, at + 1).flat().length), 0);
}

/** Turns of an agent without `read_result`. */
const naive = (turns) => turns.map((turn) => turn.map(([name]) => [name === "read_result" ? "few" : name, {}]));

/** Runs adapters that pass everything. */
async function withoutShaping(run) {
  const { call, fit } = Harness.prototype;
  Harness.prototype.call = async (_, args, work) => {
    const original = await work(args);
    const text = typeof original === "string" ? original : JSON.stringify(original);
    return { isUnchanged: true, original, isText: true, text };
  };
  Harness.prototype.fit = async (turn) => turn.map(({ text }) => text);
  try {
    return await run();
  } finally {
    Object.assign(Harness.prototype, { call, fit });
  }
}

/** Arguments with the handles of results that were read before. */
function filled(args, read) {
  const handle = (_, at) => read[at].text.match(/result.([a-z]{16})\b/)[1];
  return JSON.parse(JSON.stringify(args).replaceAll(/\{handle:(\d+)\}/g, handle));
}
