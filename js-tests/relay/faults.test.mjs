// What a server does wrong, and how it ends: every open request gets the reason, nothing of it is left, and its exit code is the relay's.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Conversation, talk } from "./conversation.mjs";
import { isGone, lives } from "./processes.mjs";
import { overEach } from "./pumps.mjs";

/** Ids of one request each, as they are spelled; the first two are two requests. */
const IDS = ["0", '"0"', '"\\u0061b"', "1e2", "12345678901234567890123"];
const request = (id, method = "x/wait") => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`;

/** The errors that answer exactly these requests, each once, and nothing else: what they say. */
function reported(lines, ids = IDS) {
  const found = lines.map(
    (line) => /^\{"jsonrpc":"2\.0","id":(.+),"error":(\{.*\})\}$/.exec(line) ?? assert.fail(line),
  );
  assert.deepEqual(found.map(([, id]) => id).sort(), [...ids].sort());
  return found.map(([, , error]) => JSON.parse(error).message);
}

/** A relay before a command that says nothing of itself: how it ended, and what it wrote. */
async function run(pump, command, { input } = {}) {
  const conversation = new Conversation([...pump, "--", ...command]);
  try {
    if (input !== undefined) await conversation.write(input);
    const ended = await conversation.exit();
    await Promise.all([conversation.received.toEnd(), conversation.errors.toEnd()]);
    return { ...ended, lines: conversation.received.lines(), errors: conversation.errors.bytes().toString() };
  } finally {
    await conversation.end();
  }
}

/** After these requests are with the server, it does this. How the relay ended, and what the client received since. */
async function afterRequests(talk, what, options, ids = IDS) {
  for (const id of ids) await talk.asks(request(id));
  talk.server.order(what, options);
  const ended = await talk.exit();
  await Promise.all([talk.received.toEnd(), talk.errors.toEnd()]);
  await isGone(talk.server.pid);
  return ended;
}

overEach("faults of the server", (pump) => {
  test("a command that is not there", async () => {
    const { code, errors, lines } = await run(pump, ["no-such-command-of-ours", "x"]);
    assert.deepEqual({ code, lines }, { code: 127, lines: [] });
    assert.match(errors, /no-such-command-of-ours/);
  });

  test("a file that cannot be run", async () => {
    const folder = mkdtempSync(join(tmpdir(), "relay-"));
    const file = join(folder, "no-program");
    writeFileSync(file, "x");
    chmodSync(file, 0o644);
    const { code, errors } = await run(pump, [file]);
    assert.equal(code, 126);
    assert.ok(errors.includes(file), errors);
    rmSync(folder, { recursive: true });
  });

  test("it ends at its start, and says why", async () => {
    const { code, errors, lines } = await run(pump, ["sh", "-c", "echo 'no such database' >&2; exit 3"]);
    assert.deepEqual({ code, lines }, { code: 3, lines: [] });
    assert.match(errors, /no such database/);
    assert.match(errors, /exit code 3/);
  });

  test("it ends when it has read the first request", async () => {
    const { code, lines } = await run(pump, ["sh", "-c", "read line; exit 5"], {
      input: `${request("1", "initialize")}\n`,
    });
    assert.equal(code, 5);
    assert.match(reported(lines, ["1"])[0], /exit code 5/);
  });

  test("it ends in a call: open requests get an error", () =>
    talk(pump, {}, async (talk) => {
      assert.deepEqual(await afterRequests(talk, "exit", { code: 4 }), { code: 4, signal: null });
      for (const message of reported(talk.received.lines())) assert.match(message, /exit code 4/);
    }));

  test("it ends between calls: nothing is sent", () =>
    talk(pump, {}, async (talk) => {
      await talk.asks(request("1"));
      const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';
      assert.equal(await talk.answered(answer), answer);
      assert.deepEqual(await afterRequests(talk, "exit", { code: 6 }, []), { code: 6, signal: null });
      assert.deepEqual(talk.received.lines(), [answer]);
    }));

  for (const signal of ["SIGKILL", "SIGTERM", "SIGABRT"]) {
    test(`it ends by ${signal}`, () =>
      talk(pump, {}, async (talk) => {
        const number = constants.signals[signal];
        assert.deepEqual(await afterRequests(talk, "die", { signal }), { code: 128 + number, signal: null });
        for (const message of reported(talk.received.lines()))
          assert.match(message, new RegExp(`signal ${number}|${signal}`));
      }));
  }

  test("its last message has no end, and others wait", () =>
    talk(pump, {}, async (talk) => {
      for (const id of IDS) await talk.asks(request(id));
      const last = '{"jsonrpc":"2.0", "id":0,"result":{}}';
      await talk.server.write(last);
      talk.server.socket.end();
      await talk.server.heard("written");
      await afterRequests(talk, "exit", { code: 0 }, []);
      const [first, ...rest] = talk.received.lines();
      assert.equal(first, last);
      reported(rest, IDS.slice(1));
    }));

  test("its last message has no end, and nobody waits", () =>
    talk(pump, {}, async (talk) => {
      const last = '{"jsonrpc":"2.0","method":"notifications/message" }';
      await talk.server.write(last);
      talk.server.socket.end();
      await talk.server.heard("written");
      await afterRequests(talk, "exit", { code: 0 }, []);
      assert.equal(talk.received.bytes().toString(), last);
    }));

  test("half a message, then its end", () =>
    talk(pump, {}, async (talk) => {
      const half = '{"jsonrpc":"2.0","id":0,"res';
      await talk.asks(request("0"));
      await talk.server.write(half);
      talk.server.socket.end();
      await talk.server.heard("written");
      await afterRequests(talk, "exit", { code: 9 }, []);
      reported(talk.received.lines(), ["0"]);
      assert.ok(talk.errors.bytes().toString().includes(half));
    }));

  test("an answer without an end is not waited for, and one that is too long is an error", () =>
    talk([...pump, "--max-line-bytes", "70000"], {}, async (talk) => {
      await talk.asks(request("1"));
      const long = Buffer.alloc(300_000, "x");
      await talk.server.write(Buffer.concat([Buffer.from('{"result":"'), long, Buffer.from('","id":1}\n{"a":1}\n')]));
      await talk.received.linesCount(2);
      const [refused, next] = talk.received.lines();
      assert.match(
        refused,
        /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32603,"message":"a message of the server has 300021 bytes/,
      );
      assert.equal(next, '{"a":1}');
      await talk.asks(request("2"));
      await talk.server.write(Buffer.concat([Buffer.from('{"id":2,"result":"'), long]));
      talk.relay.stdin.end();
      await talk.received.linesCount(3);
      await talk.ended;
    }));

  test("garbage between its messages is not answered", () =>
    talk(pump, {}, async (talk) => {
      const garbage = Array.from({ length: 5000 }, (_, at) => `[info] line ${at} {"not": json}\n`);
      const messages = Array.from({ length: 50 }, (_, at) => `{"jsonrpc":"2.0","method":"notifications/${at}"}\n`);
      await talk.server.write(
        messages.flatMap((message, at) => [...garbage.slice(at * 100, at * 100 + 100), message]).join(""),
      );
      await talk.received.linesCount(messages.length);
      await talk.errors.linesCount(garbage.length);
      assert.equal(talk.received.bytes().toString(), messages.join(""));
      assert.equal(talk.errors.bytes().toString(), garbage.join(""));
      await talk.asks(request("1"));
      assert.equal(talk.server.received.lines().length, 1);
    }));

  test("it closes its output and lives on", () =>
    talk(pump, {}, async (talk) => {
      const ended = await afterRequests(talk, "closeOutput", {});
      assert.notEqual(ended.code, 0);
      reported(talk.received.lines());
    }));

  test("a process that it started holds its output, and ignores signals", () =>
    talk(pump, {}, async (talk) => {
      talk.server.order("bear");
      const born = await talk.server.heard("born");
      assert.ok(lives(born));
      assert.deepEqual(await afterRequests(talk, "exit", { code: 7 }), { code: 7, signal: null });
      reported(talk.received.lines());
      await isGone(born);
    }));

  test("it writes without reading, while the client writes more than a pipe holds", () =>
    talk(pump, {}, async (talk) => {
      await talk.server.obey("stopReading");
      const much = Buffer.from(`{"jsonrpc":"2.0","method":"x","params":"${"x".repeat(1e6)}"}\n`);
      const written = talk.write(much);
      const notes = `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1.0}}\n`.repeat(20_000);
      await talk.server.write(notes);
      await talk.received.bytesCount(notes.length);
      assert.equal(talk.received.bytes().toString(), notes);
      await talk.server.obey("startReading");
      await written;
      await talk.server.received.bytesCount(much.length);
      assert.ok(talk.server.received.bytes().equals(much));
    }));

  // A server in Node sets what it writes to, and so whoever shares it, to return at once when it is full.
  test("both outputs of the relay are one pipe, which the server makes one that does not block", () =>
    talk(["sh", "-c", 'exec "$@" 2>&1', "sh", ...pump], {}, async (talk) => {
      await talk.server.obey("complain", { text: "a warning\n" });
      await talk.received.linesCount(1);
      const all = Buffer.from(
        `{"jsonrpc":"2.0","method":"notifications/message","params":"${"x".repeat(100_000)}"}\n`.repeat(100),
      );
      await talk.server.write(all);
      await talk.received.bytesCount("a warning\n".length + all.length);
      assert.ok(talk.received.bytes().subarray("a warning\n".length).equals(all));
    }));

  test("what it says on standard error arrives", () =>
    talk(pump, {}, async (talk) => {
      await talk.server.obey("complain", { text: "a warning\n" });
      await talk.errors.linesCount(1);
      assert.equal(talk.errors.bytes().toString(), "a warning\n");
    }));
});
