// Both SDKs' clients in front of the gateway, and both SDKs' servers behind it: nothing else changes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ToolListChangedNotificationSchema, CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { newerClient, olderClient, readToolOf, textOf } from "./clients.mjs";
import { freePort, startReplica, startServer, stop, until } from "./processes.mjs";

let server, replica, starting;
before(async () => {
  server = await startServer();
  const at = (path) => ({ url: `http://127.0.0.1:${server.port}/${path}` });
  const options = { maxTokens: 500, upstreams: { sessions: at("sessions"), modern: at("modern") } };
  replica = await startReplica(options, await freePort());
  const started = (era) => ({ command: [process.execPath, join(import.meta.dirname, "server.mjs"), era] });
  const upstreams = { sessions: started("older"), modern: started("newer") };
  starting = await startReplica({ ...options, upstreams }, await freePort());
});
after(() => stop(server, replica, starting));

for (const [era, isCommand, open] of [
  ["2025-11-25", false, olderClient],
  ["2026-07-28", false, newerClient],
  ["2025-11-25, a command", true, olderClient],
  ["2026-07-28, a command", true, newerClient],
]) {
  const connect = () => open((isCommand ? starting : replica).url);

  test(`${era}: results are shaped, and read back`, async () => {
    const client = await connect();
    const tool = await readToolOf(client);
    assert.equal(textOf(await client.callTool({ name: "small", arguments: {} })), "few words");
    const shaped = textOf(await client.callTool({ name: "list_rows", arguments: { topic: "a" } }));
    assert.ok(shaped.length < 4000);
    const { uri, nextCursor } = JSON.parse(shaped);
    const read = await client.callTool({ name: tool, arguments: { handle: uri, pointer: "/399/note" } });
    assert.match(textOf(read), /note 399 of a/);
    const count = await client.callTool({
      name: tool,
      arguments: { sql: `SELECT count(*) FROM ${uri.slice(-16)}` },
    });
    assert.match(textOf(count), /400/);
    const page = await client.callTool({ name: "list_rows", arguments: { topic: "a", cursor: nextCursor } });
    assert.equal(JSON.parse(textOf(page)).source, "snapshot");
    await client.close();
  });

  test(`${era}: progress comes before the result`, async () => {
    const client = await connect();
    const seen = [];
    const onprogress = ({ progress }) => void seen.push(progress);
    const call = { name: "slow", arguments: { topic: "a" } };
    const shaped = await (era.startsWith("2025")
      ? client.callTool(call, undefined, { onprogress })
      : client.callTool(call, { onprogress }));
    assert.deepEqual(seen, [1, 2, 3]);
    assert.ok(textOf(shaped).length < 4000);
    await client.close();
  });

  test(`${era}: a call is cancelled`, async () => {
    const client = await connect();
    const cancelled = async () => Number(textOf(await client.callTool({ name: "cancelled", arguments: {} })));
    const before = await cancelled();
    const controller = new AbortController();
    const call = { name: "wait", arguments: {} };
    const options = { signal: controller.signal };
    const waiting = era.startsWith("2025") ? client.callTool(call, undefined, options) : client.callTool(call, options);
    setTimeout(() => controller.abort(), 100);
    await assert.rejects(waiting);
    // The process of a cancelled request ends with it, unless it is the session's.
    if (!isCommand || era.startsWith("2025")) await until(async () => (await cancelled()) > before, "the cancellation");
    await client.close();
  });

  test(`${era}: twenty calls at once get their own answers`, async () => {
    const client = await connect();
    const topics = Array.from({ length: 20 }, (_, at) => `topic ${at}`);
    const answers = await Promise.all(
      topics.map((topic) => client.callTool({ name: "list_rows", arguments: { topic, count: 100 } })),
    );
    for (const [at, answer] of answers.entries()) {
      assert.ok(textOf(answer).includes(JSON.stringify(topics[at])), textOf(answer));
    }
    await client.close();
  });
}

for (const kind of ["server", "command"]) {
  test(`a ${kind} asks its client, and says that its tools have changed`, async () => {
    const { url, logged } = kind === "command" ? starting : replica;
    let changed = 0;
    const client = await olderClient(url, {}, (client) => {
      client.setRequestHandler(CreateMessageRequestSchema, () => ({
        model: "m",
        role: "assistant",
        content: { type: "text", text: "seven" },
      }));
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changed++);
    });
    const { tools } = await client.listTools();
    // What the server sends on its own is lost until the client has opened the stream for it.
    let changes = 0;
    const isHeard = async () => {
      await client.callTool({ name: "change", arguments: {} });
      changes++;
      return changed > 0;
    };
    await until(isHeard, "the notification");
    assert.equal((await client.listTools()).tools.length, tools.length + changes);
    assert.equal(textOf(await client.callTool({ name: "ask", arguments: {} })), "the model says seven");
    await client.transport.terminateSession();
    await client.close();
    await until(
      () => logged().some(({ method, status }) => method === "DELETE" && status === 200),
      "the end of the session",
    );
  });
}

test("each request has a line with its trace", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const client = await newerClient(replica.url, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  await client.callTool({ name: "list_rows", arguments: { topic: "traced" } });
  await client.close();
  const isIt = (line) => line.trace === trace && line.tool === "list_rows";
  await until(() => replica.logged().some(isIt), "the line");
  const { upstream, method, rpc, status, shaped, tokensBefore, tokensAfter, ms } = replica.logged().find(isIt);
  assert.deepEqual(
    { upstream, method, rpc, status, shaped },
    {
      upstream: "modern",
      method: "POST",
      rpc: "tools/call",
      status: 200,
      shaped: true,
    },
  );
  assert.ok(tokensBefore > tokensAfter && tokensAfter <= 500 && ms > 0);
});

test("it drains when asked to end, and ends at once when asked twice", async () => {
  const options = { upstreams: { sessions: { url: `http://127.0.0.1:${server.port}/sessions` } }, store: true };
  for (const signals of [1, 2]) {
    const draining = await startReplica(options, await freePort());
    const client = await olderClient(draining.url);
    // A stream of the server's own messages is open, and a call that outlasts the other one.
    const call = { name: signals === 1 ? "slow" : "wait", arguments: { topic: "a" } };
    let progress = 0;
    const waiting = client.callTool(call, undefined, { timeout: 4000, onprogress: () => void progress++ });
    const outcome = waiting.then(
      () => "answered",
      () => "failed",
    );
    const open = async () =>
      /^toolshape_open_requests (\d+)/m.exec(await (await fetch(`${draining.url}/metrics`)).text());
    await until(async () => (signals === 1 ? progress > 0 : Number((await open())[1]) >= 2), "the call");
    draining.child.kill("SIGTERM");
    if (signals === 2) {
      await until(() => draining.errors().includes("draining"), "the first signal");
      draining.child.kill("SIGTERM");
    }
    assert.equal(await draining.ended, signals === 1 ? 0 : 128 + 15);
    assert.equal(await outcome, signals === 1 ? "answered" : "failed");
    await client.close();
  }
});
