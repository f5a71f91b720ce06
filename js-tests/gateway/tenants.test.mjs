// One tenant tries all handles and cursors of another, in each store and each revision: it gets what it gets for unknown ones.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newerClient, olderClient, readToolOf, textOf } from "./clients.mjs";
import { Example, freePort, startReplica, startServer, stop } from "./processes.mjs";

const SECRET = "secret of one";
const UNKNOWN = "a".repeat(16);
const ERAS = { "2025-11-25": olderClient, "2026-07-28": newerClient };

let server, redis;
const replicas = {};
before(async () => {
  server = await startServer();
  const example = await Example.open();
  redis = await example.start("redis");
  const at = (path) => ({ url: `http://127.0.0.1:${server.port}/${path}` });
  const upstreams = { sessions: at("sessions"), modern: at("modern") };
  for (const [name, store] of [
    ["memory", true],
    ["Redis", `redis://127.0.0.1:${example.ports.redis}`],
  ]) {
    const options = { maxTokens: 500, tenantHeader: "X-Tenant", store, upstreams };
    replicas[name] = await startReplica(options, await freePort());
  }
});
after(() => stop(server, redis, ...Object.values(replicas)));

/** What a call brings, an error too. */
const answer = (client, name, args) =>
  client.callTool({ name, arguments: args }).then(textOf, (error) => `error: ${error.message}`);

/** All handles and cursors that a tenant gets for its results, and when it reads them to their ends. */
async function collect(client) {
  const [handles, cursors] = [new Set(), new Map()];
  const tool = await readToolOf(client);
  const waiting = [];
  const note = (name, args, text) => {
    for (const [, handle] of text.matchAll(/toolshape:\/\/result\/([a-z]{16})/g)) handles.add(handle);
    for (const [, cursor] of text.matchAll(/"nextCursor":"([^"]+)"/g)) {
      if (cursors.size < 60 && !cursors.has(cursor)) waiting.push([name, { ...args, cursor }]);
      cursors.set(cursor, name);
    }
  };
  const ask = async (name, args) => {
    const text = await answer(client, name, args);
    assert.ok(text.includes(SECRET), `${name} ${JSON.stringify(args)}: ${text.slice(0, 300)}`);
    note(name, args, text);
  };
  await ask("list_rows", { topic: SECRET, count: 120 });
  await ask("list_rows", { topic: `${SECRET}, in columns`, count: 120, format: "columns" });
  await ask("slow", { topic: `${SECRET}, slowly` });
  for (const handle of [...handles]) {
    await ask(tool, { handle });
    await ask(tool, { handle, search: SECRET });
    await ask(tool, { sql: `SELECT * FROM ${handle}` });
  }
  while (waiting.length > 0) await ask(...waiting.shift());
  return { handles: [...handles], cursors: [...cursors] };
}

for (const store of ["memory", "Redis"]) {
  for (const [era, open] of Object.entries(ERAS)) {
    test(`${store}, ${era}: nothing of another tenant is read`, async (t) => {
      const { url } = replicas[store];
      const one = await open(url, { "x-tenant": "one" });
      const { handles, cursors } = await collect(one);
      assert.ok(handles.length >= 3 && cursors.length >= 10, `${handles.length} handles, ${cursors.length} cursors`);
      let tried = 0;
      for (const [name, others] of Object.entries(ERAS)) {
        const two = await others(url, { "x-tenant": "two" });
        const tool = await readToolOf(two);
        const resource = (handle) =>
          two.readResource({ uri: `toolshape://result/${handle}` }).then(JSON.stringify, (error) => error.message);
        for (const handle of handles) {
          const ways = (handle) => [
            answer(two, tool, { handle }),
            answer(two, tool, { handle: `toolshape://result/${handle}`, pointer: "/0" }),
            answer(two, tool, { handle, search: "secret" }),
            answer(two, tool, { sql: `SELECT * FROM ${handle}` }),
            resource(handle),
          ];
          const got = await Promise.all(ways(handle));
          const unknown = await Promise.all(ways(UNKNOWN));
          for (const [at, text] of got.entries()) {
            tried++;
            assert.ok(!text.includes(SECRET), `${name}: ${text.slice(0, 300)}`);
            assert.equal(text.replaceAll(handle, "HANDLE"), unknown[at].replaceAll(UNKNOWN, "HANDLE"));
          }
        }
        for (const [cursor, of] of cursors) {
          tried++;
          // Another tool's cursor is for nobody; with its own the tool runs, for the one who calls.
          const args = of === "list_rows" || of === "slow" ? { topic: "own", cursor } : { cursor };
          const text = await answer(two, of.startsWith("read_result") ? tool : of, args);
          assert.ok(!text.includes(SECRET), `${name}, ${of}: ${text.slice(0, 300)}`);
        }
        await two.close();
      }
      await one.close();
      t.diagnostic(`${handles.length} handles and ${cursors.length} cursors, tried in ${tried} ways: nothing is read`);
    });
  }
}
