// Many calls at once, large results between small ones, and readers that are slow: each call has its own answer, once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { talk } from "./conversation.mjs";
import { overEach } from "./pumps.mjs";
import { resident } from "./processes.mjs";

const CALLS = 1000;
/** One of this many calls has a result over the budget. */
const EACH = 20;
const ids = Array.from({ length: CALLS }, (_, at) => at);
const isLarge = (id) => id % EACH === 0;
const call = (id) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t${id % 7}","arguments":{"id":${id}}}}\n`;

function result(id) {
  const text = isLarge(id)
    ? JSON.stringify(Array.from({ length: 500 }, (_, row) => ({ row, of: id, text: "some text of a row" })))
    : `the answer to ${id}`;
  return `${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n`;
}

/** The ids in an irregular order, the same each time. */
const shuffled = ids.toSorted((a, b) => ((a * 7919) % CALLS) - ((b * 7919) % CALLS));

function check(lines) {
  const answers = new Map(lines.map((line) => [JSON.parse(line).id, line]));
  assert.deepEqual([lines.length, answers.size], [CALLS, CALLS]);
  for (const id of ids) {
    if (!isLarge(id)) assert.equal(`${answers.get(id)}\n`, result(id));
    else {
      const page = JSON.parse(JSON.parse(answers.get(id)).result.content[0].text);
      assert.deepEqual([page.totalItems, JSON.stringify(page).includes(`"of":${id}`)], [500, true]);
    }
  }
}

overEach("many calls at once", (pump) => {
  test("1,000 calls, answered in another order", () =>
    // A store on disk answers in its own order.
    talk(pump, { options: ["--no-store"] }, async (talk) => {
      const asked = ids.map(call).join("");
      await talk.write(asked);
      await talk.server.received.bytesCount(asked.length);
      assert.equal(talk.server.received.bytes().toString(), asked);
      await talk.server.write(shuffled.map(result).join(""));
      await talk.received.linesCount(CALLS);
      check(talk.received.lines());
      // In the order in which they were answered.
      assert.deepEqual(
        talk.received.lines().map((line) => JSON.parse(line).id),
        shuffled,
      );
    }));

  test("1,000 calls, and the server ends after half of its answers", () =>
    talk(pump, {}, async (talk) => {
      const asked = ids.map(call).join("");
      await talk.write(asked);
      await talk.server.received.bytesCount(asked.length);
      talk.server.socket.end(
        shuffled
          .slice(0, CALLS / 2)
          .map(result)
          .join(""),
      );
      await talk.server.heard("written");
      talk.server.order("exit", { code: 1 });
      assert.equal((await talk.exit()).code, 1);
      await talk.received.toEnd();
      const answers = talk.received.lines().map((line) => JSON.parse(line));
      assert.deepEqual(
        answers.map(({ id }) => id).toSorted((a, b) => a - b),
        ids,
      );
      assert.equal(answers.filter(({ error }) => error !== undefined).length, CALLS / 2);
    }));

  test("a slow reader has all of it, and the relay keeps little meanwhile", () =>
    talk(pump, {}, async (talk) => {
      talk.relay.stdout.pause();
      const line = `{"jsonrpc":"2.0","method":"notifications/message","params":"${"x".repeat(10_000)}"}\n`;
      const before = resident(talk.relay.pid);
      const all = Buffer.from(line.repeat(10_000));
      const written = talk.server.write(all);
      await pause(2000);
      const more = resident(talk.relay.pid) - before;
      assert.ok(more < all.length / 2, `${more} bytes more, of ${all.length} that nobody has read`);
      talk.relay.stdout.resume();
      await written;
      await talk.received.bytesCount(all.length);
      assert.ok(talk.received.bytes().equals(all));
    }));
});
