// nginx, two replicas and Redis of the example: tenants, and processes that are killed. Nothing is lost, nothing crosses.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newerClient, olderClient, readToolOf, textOf } from "./clients.mjs";
import { Example, startServer, stop, until } from "./processes.mjs";

const TENANTS = Array.from({ length: 16 }, (_, at) => `tenant-${at}`);
const CLIENTS = 200;
const ROUNDS = 4;
const keyOf = (tenant) => `key-of-${tenant}`;

let example, server, redis, nginx;
const REPLICAS = ["replica-1", "replica-2"];
const replicas = [];

/** The example's options, for a server of each era in place of its own. */
function forServers(text) {
  const options = JSON.parse(text);
  const [upstream] = Object.values(options.upstreams);
  const at = (path) => ({ ...upstream, url: upstream.url.replace("/mcp", path) });
  return JSON.stringify({
    ...options,
    maxTokens: 500,
    upstreams: { sessions: at("/sessions"), modern: at("/modern") },
  });
}

before(async () => {
  const tenants = TENANTS.map((tenant) => `${keyOf(tenant)} ${tenant};\n`).join("");
  example = await Example.open({ "toolshape.json": forServers, "tenants.conf": () => tenants });
  server = await startServer(example.ports.upstream);
  redis = await example.start("redis");
  for (const name of REPLICAS) replicas.push(await example.start(name));
  nginx = await example.start("nginx");
});
after(() => stop(server, redis, nginx, ...replicas));

/** Calls until it succeeds, and counts why it did not. */
async function persistently(task, failures) {
  for (let tries = 0; ; tries++) {
    try {
      return await task();
    } catch (error) {
      // An answer of HTTP has an error of JSON-RPC as its text.
      const why = String(error?.message ?? error)
        .replace(/\{.*"message":"([^"]*)".*/s, "$1")
        .slice(0, 160);
      failures.set(why, (failures.get(why) ?? 0) + 1);
      if (tries === 200) throw error;
      await sleep(100);
    }
  }
}

/** Calls a tool, in a session of its own if the server does not know the client's any more. */
async function called(one, call) {
  try {
    return await one.client.callTool(call);
  } catch (error) {
    if (error.code === 404) {
      const { client } = one;
      one.client = await one.connect();
      await client.close();
    }
    throw error;
  }
}

async function connected(at, failures) {
  const tenant = TENANTS[at % TENANTS.length];
  const open = at % 2 === 0 ? olderClient : newerClient;
  const connect = () => open(example.url, { "x-api-key": keyOf(tenant) });
  const client = await persistently(connect, failures);
  const tool = await persistently(() => readToolOf(client), failures);
  return { client, connect, tenant, tool, name: `client ${at}`, kept: [] };
}

/** A large result of its own, which is read back at once. */
async function keep(one, round, failures) {
  const topic = `${one.tenant} ${one.name} round ${round}`;
  const call = { name: "list_rows", arguments: { topic } };
  const shaped = await persistently(async () => {
    const shaped = JSON.parse(textOf(await called(one, call)));
    if ("storeFailed" in shaped) throw new Error("the store failed");
    return shaped;
  }, failures);
  assert.ok(JSON.stringify(shaped).includes(JSON.stringify(topic)));
  one.kept.push({ topic, handle: shaped.uri });
}

const read = (one, handle, failures) =>
  persistently(async () => {
    const answer = textOf(await called(one, { name: one.tool, arguments: { handle, pointer: "/399" } }));
    // Each replica tries the store again on its own.
    if (answer.includes("STORE_FAILED")) throw new Error("the store failed");
    return answer.replaceAll(handle.slice(-16), "HANDLE");
  }, failures);

test("replicas, Redis and the server are killed and started again: nothing is lost, and nothing crosses tenants", async (t) => {
  const failures = new Map();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => connected(at, failures)));
  assert.equal(failures.size, 0);
  let isOver = false;
  const work = Promise.all(
    clients.map(async (one) => {
      for (let round = 0; round < ROUNDS || !isOver; round++) await keep(one, round, failures);
    }),
  );
  const killed = [
    ...REPLICAS.map((name, at) => [replicas[at], async () => (replicas[at] = await example.start(name))]),
    [redis, async () => (redis = await example.start("redis"))],
    [server, async () => (server = await startServer(server.port))],
  ];
  try {
    for (const [process, start] of killed) {
      await sleep(300);
      await stop(process);
      await sleep(300);
      await start();
    }
  } finally {
    isOver = true;
  }
  await work;
  let [lost, crossed, reads] = [0, 0, 0];
  await Promise.all(
    clients.map(async (one, at) => {
      for (const { topic, handle } of one.kept) {
        reads++;
        lost += Number(!(await read(one, handle, failures)).includes(topic));
      }
      const other = clients[(at + 1) % CLIENTS];
      const [theirs, unknown] = [
        await read(other, one.kept[0].handle, failures),
        await read(other, "a".repeat(16), failures),
      ];
      crossed += Number(theirs !== unknown || theirs.includes("round"));
    }),
  );
  t.diagnostic(
    `${CLIENTS} clients of ${TENANTS.length} tenants: ${reads} results kept, ${lost} lost, ${crossed} crossed`,
  );
  t.diagnostic(`requests that failed and were repeated: ${JSON.stringify(Object.fromEntries(failures))}`);
  assert.deepEqual({ lost, crossed }, { lost: 0, crossed: 0 });
  assert.ok(reads >= CLIENTS * ROUNDS);
  // No client waits in vain for an answer.
  assert.ok(![...failures.keys()].some((why) => /timed out/i.test(why)));
  // Both replicas worked.
  for (const { lines } of replicas) assert.ok(lines.length > CLIENTS / 2);
  await Promise.all(clients.map(({ client }) => client.close()));
});

for (const [what, fail, mend] of [
  ["without Redis", () => stop(redis), async () => (redis = await example.start("redis"))],
  ["with a Redis that hangs", () => redis.child.kill("SIGSTOP"), () => redis.child.kill("SIGCONT")],
]) {
  test(`${what} results are shaped, and say so; afterwards they are kept again`, async (t) => {
    const failures = new Map();
    const one = await connected(0, failures);
    const list = async (topic) =>
      JSON.parse(textOf(await one.client.callTool({ name: "list_rows", arguments: { topic } })));
    await fail();
    const took = [];
    for (let round = 0; round < 6; round++) {
      const began = Date.now();
      const shaped = await list(`down ${round}`);
      took.push(Date.now() - began);
      assert.ok("storeFailed" in shaped, JSON.stringify(shaped));
      assert.ok(!JSON.stringify(shaped).includes("127.0.0.1"));
    }
    t.diagnostic(`calls ${what} took ${took.join(", ")} ms`);
    await mend();
    let kept;
    await until(async () => !("storeFailed" in (kept = await list("up again"))), "the store");
    assert.match(await read(one, kept.uri, failures), /up again/);
    await one.client.close();
  });
}

test("a server that is started again answers as before, without sessions", async () => {
  const failures = new Map();
  const one = await connected(1, failures);
  await keep(one, 0, failures);
  const { port } = server;
  await stop(server);
  await assert.rejects(one.client.callTool({ name: "small", arguments: {} }), /cannot connect|502/);
  server = await startServer(port);
  await keep(one, 1, failures);
  for (const { topic, handle } of one.kept) assert.match(await read(one, handle, failures), new RegExp(topic));
  await one.client.close();
});

test("nginx asks for a key, and hides the counters", async () => {
  const status = async (path, headers = {}) => (await fetch(`${example.url}${path}`, { headers })).status;
  assert.equal(await status("/modern"), 401);
  assert.equal(await status("/modern", { "x-tenant": "tenant-1" }), 401);
  assert.equal(await status("/metrics"), 404);
  assert.equal(await status("/healthz"), 404);
});
