// The plain module as a plug-in of Extism, from the package that users install: its answers are those of the module.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import createPlugin from "@extism/extism";
import { Toolshape } from "./host.mjs";

const FOLDER = process.env.TOOLSHAPE_PLAIN_PACKAGE;
let files, plugin, host;

before(async () => {
  files = await import(pathToFileURL(join(FOLDER, "index.js")));
  plugin = await createPlugin(files.extismPlugin);
  host = new Toolshape(files.plainModule);
});
after(() => plugin.close());

/** A message: the number of its parts, their lengths, the parts. */
function message(...texts) {
  const parts = texts.map((text) => (typeof text === "string" ? new TextEncoder().encode(text) : text));
  const head = Uint32Array.of(parts.length, ...parts.map((part) => part.length));
  // Extism takes the whole buffer of an array.
  return { parts, bytes: Uint8Array.from(Buffer.concat([new Uint8Array(head.buffer), ...parts])) };
}

/** What the plug-in and the module answer. */
async function both(...texts) {
  const { parts, bytes } = message(...texts);
  const answer = await plugin.call("call", bytes);
  return [new Uint8Array(answer.buffer, answer.byteOffset, answer.byteLength), message(...host.send(parts)).bytes];
}

test("the package has the module that is tested", () => {
  assert.deepEqual(readFileSync(files.plainModule), readFileSync(process.env.TOOLSHAPE_PLAIN));
  const { name } = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  assert.equal(name, "toolshape-plain-wasm");
  for (const file of ["README.md", "LICENSE", "NOTICE"]) assert.ok(readFileSync(join(FOLDER, file)).length > 0);
});

test("answers are those of the module, in one instance", async () => {
  const rows = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, name: `näme ${id}` })));
  const other = new Toolshape(files.plainModule);
  const shaper = other.call("shaper", { policy: { maxTokens: 300 } }).result;
  const list = { shaper, text: 1, call: { tool: "list", store: true } };
  const { key, ticket } = other.call("shapeJson", list, rows).result.keep;
  const [handle] = ticket.split(".");
  const sql = { tables: [{ handle, key, content: 1 }], call: { arguments: { sql: `SELECT max(id) FROM ${handle}` } } };
  const calls = [
    [JSON.stringify({ method: "shaper", policy: { maxTokens: 300 } })],
    [JSON.stringify({ method: "shapeJson", shaper: 1, text: 1, call: { tool: "list" } }), rows],
    [JSON.stringify({ method: "shapeJson", shaper: 1, text: 1 }), Uint8Array.of(34, 0xff, 34)],
    [JSON.stringify({ method: "shapeJson", shaper: 9, text: 1 }), "[]"],
    [JSON.stringify({ method: "readSql", shaper: 1, ...sql }), rows],
    [JSON.stringify({ method: "none" })],
    ["not JSON"],
    [],
  ];
  for (const call of calls) {
    const [ours, theirs] = await both(...call);
    assert.deepEqual(ours, theirs, String(call[0]).slice(0, 80));
    if (String(call[0]).includes("readSql")) assert.ok(Buffer.from(ours).includes('"rows":[[49999]]'));
  }
});

test("messages of any length are copied whole", async () => {
  for (let length = 0; length < 40; length++) {
    const [ours, theirs] = await both(JSON.stringify({ method: "x".repeat(length) }));
    assert.deepEqual(ours, theirs, `${length}`);
  }
});
