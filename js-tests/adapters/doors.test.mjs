// The cases of vectors/shared/redaction.json through every door by which something of a tool leaves an adapter. With
// TOOLSHAPE_DOORS the table goes into a file of that folder, for `cargo xtask doors`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Harness } from "toolshape/agents";
import { inProcess } from "./in_process.mjs";
import { ROOT } from "./table.mjs";

const { cases } = JSON.parse(readFileSync(join(ROOT, "vectors/shared/redaction.json"), "utf8"));
const POLICY = { maxTokens: 600 };
const block = (text) => ({ type: "text", text });

/** Rows that are too long for one result, after the one of the case. */
const long = (text) =>
  JSON.stringify([{ n: -1, text }, ...Array.from({ length: 400 }, (_, n) => ({ n, text: `row ${n} of many rows` }))]);

/** A text as a reader sees it, so that no escape hides a secret. */
const shown = (value) => JSON.stringify(value).replaceAll('\\"', '"').replaceAll("\\\\", "\\");

function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What leaves through each door; `call` calls a tool that returns or throws what it is given, `read` reads a stored result. */
async function doorsOf({ text, secrets }, call, read, kept) {
  const value = valueOf(text);
  const fail = () => {
    throw new Error(text);
  };
  const left = {
    result: await call(() => ({ content: [block(text)] })),
    structured: await call(() => ({ content: [], structuredContent: { value } })),
    "is error": await call(() => ({ content: [block(text)], isError: true })),
    _meta: await call(() => ({ content: [], _meta: { note: text } })),
    thrown: await call(fail),
    "page, note": await call(() => ({ content: [block(long(text))] })),
  };
  const [, handle] = JSON.stringify(left["page, note"]).match(/toolshape:\/\/result\/([a-z]{16})/) ?? [];
  assert.ok(handle, `no handle: ${shown(left["page, note"])}`);
  Object.assign(left, await read(handle, secrets[0] ?? "row"), kept());
  // A search names what was sought.
  return Object.entries({ ...left, search: { ...left.search } }).map(([door, one]) => [
    door,
    door === "search" ? shown(one).replace(secrets[0] ?? "", "") : shown(one),
  ]);
}

const reads = (ask, name) => async (handle, sought) => ({
  read: await ask(name, { handle, pointer: "/0" }),
  search: await ask(name, { handle, search: sought }),
  SQL: await ask(name, { handle, sql: "SELECT text FROM result LIMIT 1" }),
});

/** By adapter: from what is secret to the doors of a case. */
const ADAPTERS = {
  ...Object.fromEntries(
    Object.entries({ v1: "TypeScript SDK 1", v2: "TypeScript SDK 2", "ts-fastmcp": "fastmcp (TypeScript)" }).map(
      ([sdk, name]) => [
        name,
        async (secret) => {
          let next;
          const [stored, receipts] = [new Map(), []];
          const tools = [{ name: "x", run: () => next() }];
          const options = { ...secret, store: stored, summarize: true, onReceipt: (one) => receipts.push(one) };
          const { client, close } = await inProcess[sdk](POLICY, tools, options);
          const ask = (name, args) => client.callTool({ name, arguments: args }).catch(({ message }) => message);
          const call = (work) => {
            next = work;
            return ask("x", {});
          };
          const read = async (handle, sought) => ({
            ...(await reads(ask, "read_result_server")(handle, sought)),
            resource: await client.readResource({ uri: `toolshape://result/${handle}` }),
            summary: await ask("summarize", { uri: handle }),
          });
          return { doors: (one) => doorsOf(one, call, read, () => ({ store: [...stored], receipts })), close };
        },
      ],
    ),
  ),
  "agents (TypeScript)": async (secret) => {
    const [stored, receipts] = [new Map(), []];
    const harness = new Harness(POLICY, { ...secret, store: stored, onReceipt: (one) => receipts.push(one) });
    const ask = (_, args) => harness.tools[0].call(args).then(({ parts }) => parts);
    // What a framework has of a result is for its user, not for the model.
    const call = async (work) => {
      const { original: _, ...result } = await harness.call("x", {}, work);
      return result;
    };
    const doors = (one) => doorsOf(one, call, reads(ask), () => ({ store: [...stored], receipts }));
    return { doors, close: () => {} };
  },
};

/** The cases by what is secret in them. */
const groups = new Map();
for (const one of cases) {
  const secret = JSON.stringify({ redactFields: one.fields ?? [], redactTexts: one.texts ?? [] });
  groups.set(secret, [...(groups.get(secret) ?? []), one]);
}

for (const [name, adapter] of Object.entries(ADAPTERS)) {
  test(`no door of ${name} lets a secret out`, async () => {
    const table = { name, doors: [], rows: {} };
    for (const [secret, ofGroup] of groups) {
      const { doors, close } = await adapter(JSON.parse(secret));
      for (const one of ofGroup) {
        const left = await doors(one);
        table.doors = left.map(([door]) => door);
        table.rows[one.name] = left.map(([, text]) => one.secrets.some((secret) => text.includes(secret)));
      }
      await close();
    }
    if (process.env.TOOLSHAPE_DOORS)
      writeFileSync(join(process.env.TOOLSHAPE_DOORS, `${name}.json`), JSON.stringify(table));
    const out = Object.entries(table.rows).flatMap(([one, row]) =>
      row.flatMap((isOut, at) => (isOut ? `${one}: ${table.doors[at]}` : [])),
    );
    assert.deepEqual(out, []);
  });
}
