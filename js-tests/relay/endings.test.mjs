// How the client ends: it closes its side, goes away, is killed, or sends signals; no process is left.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { heldServer, talk } from "./conversation.mjs";
import { isGone, lives } from "./processes.mjs";
import { overEach } from "./pumps.mjs";
import { Received } from "./received.mjs";

const CLIENT = join(import.meta.dirname, "client.mjs");
const request = (id) => `{"jsonrpc":"2.0","id":${id},"method":"x/wait"}`;
const answer = (id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

overEach("how the client ends", (pump) => {
  test("it closes its side: the server reads the end, and ends by itself", () =>
    talk(pump, {}, async (talk) => {
      talk.relay.stdin.end();
      await talk.server.received.toEnd();
      talk.server.order("exit", { code: 0 });
      assert.deepEqual(await talk.exit(), { code: 0, signal: null });
    }));

  test("it closes its side and waits: what was asked is answered before the server ends", () =>
    talk(pump, {}, async (talk) => {
      await talk.write(`${request(1)}\n${request(2)}\n`);
      talk.relay.stdin.end();
      await talk.server.received.toEnd();
      await talk.server.write(`${answer(2)}\n`);
      await talk.received.linesCount(1);
      await talk.server.write(`${answer(1)}\n`);
      await talk.received.linesCount(2);
      assert.deepEqual(talk.received.lines(), [answer(2), answer(1)]);
    }));

  test("a line without an end is the last that the server reads", () =>
    talk(pump, {}, async (talk) => {
      await talk.write(request(1));
      talk.relay.stdin.end();
      await talk.server.received.toEnd();
      assert.equal(talk.server.received.bytes().toString(), request(1));
    }));

  test("it closes its side, and the server does not care", () =>
    talk(pump, {}, async (talk) => {
      talk.relay.stdin.end();
      await talk.exit();
      await isGone(talk.server.pid);
    }));

  test("it closes its side, and the server and what it started ignore signals", () =>
    talk(pump, {}, async (talk) => {
      await talk.server.obey("ignore", { signals: ["SIGTERM", "SIGINT", "SIGHUP"] });
      talk.server.order("bear");
      const born = await talk.server.heard("born");
      talk.relay.stdin.end();
      await talk.exit();
      await isGone(talk.server.pid);
      await isGone(born);
    }));

  test("it reads no more: the server does not write for ever", () =>
    talk(pump, {}, async (talk) => {
      talk.relay.stdout.destroy();
      const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
      talk.server.write(`${note}\n`.repeat(10_000));
      await talk.exit();
      await isGone(talk.server.pid);
    }));

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    test(`${signal} is the server's`, () =>
      talk(pump, {}, async (talk) => {
        talk.relay.kill(signal);
        assert.deepEqual(await talk.exit(), { code: 128 + constants.signals[signal], signal: null });
        await isGone(talk.server.pid);
      }));

    test(`${signal}, which the server takes for something else`, () =>
      talk(pump, {}, async (talk) => {
        await talk.server.obey("ignore", { signals: [signal] });
        talk.relay.kill(signal);
        await talk.server.heard("signal", signal);
        assert.ok(lives(talk.relay.pid));
        await talk.asks(request(1));
        assert.equal(await talk.answered(answer(1)), answer(1));
        talk.server.order("exit", { code: 8 });
        assert.deepEqual(await talk.exit(), { code: 8, signal: null });
      }));
  }

  test("the relay is killed: the server reads the end", () =>
    talk(pump, {}, async (talk) => {
      talk.relay.kill("SIGKILL");
      await talk.server.received.toEnd();
    }));

  for (const [what, stubborn] of [
    ["which waits for an answer", false],
    ["and the server hangs in a call and ignores signals", true],
  ]) {
    test(`the client is killed, ${what}: no process is left`, async () => {
      const held = await heldServer();
      const client = spawn(process.execPath, [CLIENT, ...pump, "--", ...held.command], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        const printedText = new Received(client.stdout, "the client of the relay");
        const server = await held.started;
        await printedText.linesCount(1);
        const relay = Number(printedText.lines()[0]);
        await server.received.linesCount(1);
        if (stubborn) await server.obey("ignore", { signals: ["SIGTERM"] });
        client.kill("SIGKILL");
        await isGone(relay);
        await isGone(server.pid);
      } finally {
        client.kill("SIGKILL");
        await (await held.started).end();
        held.close();
      }
    });
  }
});
