// Lines of 100 MB: bytes that pass, a result that is shaped, and what is left of them in memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { talk } from "./conversation.mjs";
import { overEach } from "./pumps.mjs";
import { resident } from "./processes.mjs";
import { PATIENCE } from "./received.mjs";

const SIZE = 100 * 1024 * 1024;
/** A line goes through pieces of memory that allocators keep. */
const MOST_LEFT = 1.5 * SIZE;

/** A line of that size: these bytes before and after a text. */
function line(before, after) {
  return Buffer.concat([Buffer.from(before), Buffer.alloc(SIZE, "text of é and 漢 and \\ud800, "), Buffer.from(after)]);
}

overEach("lines of 100 MB", (pump) => {
  test("one from each side passes, and then a small one", () =>
    talk(pump, {}, async (talk) => {
      const large = line('{"jsonrpc":"2.0","method":"x","params":{"x":1.0,"text":"', '"} }\r\n');
      await Promise.all([talk.write(large), talk.server.write(large)]);
      await Promise.all([talk.received.bytesCount(large.length), talk.server.received.bytesCount(large.length)]);
      assert.ok(talk.received.bytes().equals(large) && talk.server.received.bytes().equals(large));
      const small = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
      await Promise.all([talk.write(small), talk.server.write(small)]);
      for (const { received } of [talk, talk.server]) {
        await received.bytesCount(large.length + small.length);
        assert.equal(received.bytes().subarray(large.length).toString(), small);
      }
    }));

  test("a result is shaped, and its memory is given back", () =>
    talk(pump, { options: ["--no-store"] }, async (talk) => {
      const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}';
      await talk.asks(call);
      const before = resident(talk.relay.pid);
      await talk.server.write(line('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"', '"}]}}\n'));
      await talk.received.linesCount(1);
      assert.ok(talk.received.length < 40_000, `${talk.received.length} bytes`);
      // What follows is as quick and as small as before.
      await talk.asks(call);
      const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"small"}]}}';
      assert.equal(await talk.answered(answer), answer);
      // A collector takes its time.
      const left = () => resident(talk.relay.pid) - before;
      for (const until = Date.now() + PATIENCE; left() > MOST_LEFT && Date.now() < until; ) await pause(100);
      assert.ok(left() < MOST_LEFT, `${left()} bytes are left of ${SIZE}`);
    }));
});
