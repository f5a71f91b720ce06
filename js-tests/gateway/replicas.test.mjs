// nginx as in the example, two replicas, Redis: tenants, and processes that are killed. Nothing is lost, nothing crosses.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newerClient, olderClient, readToolOf, textOf } from "./clients.mjs";
import {
  exampleOptions,
  freePort,
  startNginx,
  startRedis,
  startReplica,
  startServer,
  stop,
  until,
} from "./processes.mjs";

const TENANTS = Array.from({ length: 16 }, (_, at) => `tenant-${at}`);
const CLIENTS = 64;
const ROUNDS = 4;
/** How long a client waits for an answer whose stream broke off without an id to resume it. */
const PATIENCE = { timeout: 5000 };
const keyOf = (tenant) => `key-of-${tenant}`;

let server, redis, nginx, options;
const ports = [];
const replicas = [];

before(async () => {
  server = await startServer();
  const redisPort = await freePort();
  redis = await startRedis(redisPort);
  options = exampleOptions({ server: server.port, redis: redisPort, maxTokens: 500 });
  for (let at = 0; at < 2; at++) ports.push(await freePort());
  for (const port of ports) replicas.push(await startReplica(options, port));
  nginx = await startNginx(
    ports,
    Object.fromEntries(TENANTS.map((tenant) => [keyOf(tenant), tenant])),
    await freePort(),
  );
});
after(() => stop(server, redis, nginx, ...replicas));

/** Calls until it succeeds, and counts why it did not. */
async function persistently(task, failures) {
  for (let tries = 0; ; tries++) {
    try {
      return await task();
    } catch (error) {
      const why = String(error?.message ?? error).slice(0, 80);
      failures.set(why, (failures.get(why) ?? 0) + 1);
      if (tries === 20) throw error;
      await sleep(50);
    }
  }
}

/** Calls a tool; the SDKs differ in the place of the options. */
const patiently = (client, call) => client.callTool(call, ...(client.patience ?? []));

async function connected(at, failures) {
  const tenant = TENANTS[at % TENANTS.length];
  const connect = at % 2 === 0 ? olderClient : newerClient;
  const client = await persistently(() => connect(nginx.url, { "x-api-key": keyOf(tenant) }), failures);
  client.patience = at % 2 === 0 ? [undefined, PATIENCE] : [PATIENCE];
  const tool = await persistently(() => readToolOf(client), failures);
  return { client, tenant, tool, name: `client ${at}`, kept: [] };
}

/** A large result of its own, which is read back at once. */
async function keep(one, round, failures) {
  const topic = `${one.tenant} ${one.name} round ${round}`;
  const call = { name: "list_rows", arguments: { topic } };
  const shaped = JSON.parse(textOf(await persistently(() => patiently(one.client, call), failures)));
  assert.equal(shaped.items[0].topic, topic);
  assert.ok(!("storeFailed" in shaped), JSON.stringify(shaped.storeFailed));
  one.kept.push({ topic, handle: shaped.uri });
}

const read = ({ client, tool }, handle, failures) =>
  persistently(async () => {
    const answer = textOf(await patiently(client, { name: tool, arguments: { handle, pointer: "/399" } }));
    return answer.replaceAll(handle.slice(-16), "HANDLE");
  }, failures);

test("a replica is killed and started again: nothing is lost, and nothing crosses tenants", async (t) => {
  const failures = new Map();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => connected(at, failures)));
  assert.equal(failures.size, 0);
  const work = Promise.all(
    clients.map(async (one) => {
      for (let round = 0; round < ROUNDS; round++) await keep(one, round, failures);
    }),
  );
  await sleep(150);
  for (const at of [0, 1]) {
    await stop(replicas[at]);
    await sleep(100);
    replicas[at] = await startReplica(options, ports[at]);
    await sleep(300);
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
  assert.deepEqual({ lost, crossed, reads }, { lost: 0, crossed: 0, reads: CLIENTS * ROUNDS });
  // Both replicas worked.
  for (const { lines } of replicas) assert.ok(lines.length > CLIENTS / 2);
  await Promise.all(clients.map(({ client }) => client.close()));
});

for (const [what, fail, mend] of [
  ["without Redis", () => stop(redis), async () => (redis = await startRedis(redis.port))],
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
    // Each replica tries the store again on its own.
    await until(async () => (await read(one, kept.uri, failures)).includes("up again"), "the result");
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
  const status = async (path, headers = {}) => (await fetch(`${nginx.url}${path}`, { headers })).status;
  assert.equal(await status("/modern"), 401);
  assert.equal(await status("/modern", { "x-tenant": "tenant-1" }), 401);
  assert.equal(await status("/metrics"), 404);
  assert.equal(await status("/healthz"), 404);
});
