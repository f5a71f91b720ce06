// A relay before servers that misbehave: the client gets at most one answer, and lines that are JSON; the terminal gets no
// escape sequence; the relay's memory is bounded, and it ends with its client.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Conversation } from "../relay/conversation.mjs";
import { resident } from "../relay/processes.mjs";
import { overEach } from "../relay/pumps.mjs";
import { listen } from "../relay/remote.mjs";
import { OVER_HTTP, OVER_STDIO } from "./upstreams.mjs";

const OPTIONS = ["--set", "maxLineBytes=1000000", "--no-store"];
const SERVER = join(import.meta.dirname, "server.mjs");
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"go","arguments":{}}}\n';
/** How long an answer is waited for, in milliseconds, where none may come. */
const SILENCE = 5_000;
/** What a relay may take of memory: its program, and several times its longest line. */
const MOST_MEMORY = 300_000_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;

/** Makes the call, leaves, and checks how it went. */
async function asks(talk, gets, { complains = false } = {}) {
  try {
    const own = () => talk.received.lines().filter((line) => answers(line).length > 0);
    await talk.write(CALL);
    if (gets === "nothing") await pause(SILENCE);
    else await talk.received.until(() => own().length > 0, "answer");
    const peak = process.platform === "linux" && talk.relay.exitCode === null ? resident(talk.relay.pid, "VmHWM") : 0;
    talk.relay.stdin.end();
    await talk.exit();
    await Promise.all([talk.received.toEnd(), talk.errors.toEnd()]);
    const found = talk.received.lines().flatMap(answers);
    if (gets === "nothing")
      assert.ok(
        found.every(({ error }) => error),
        "something that is not an answer reached the client",
      );
    else assert.equal(found.length, 1);
    if (gets !== "nothing" && gets !== "any") assert.equal(found[0].error ? "error" : "answer", gets);
    assert.ok(peak < MOST_MEMORY, `${peak} bytes of memory`);
    const errors = talk.errors.bytes().toString();
    assert.ok(complains || !CONTROL.test(errors), JSON.stringify(errors.slice(0, 300)));
  } finally {
    await talk.end();
  }
}

/** The answers to the call in a line, which is JSON. */
function answers(line) {
  return [JSON.parse(line.replace(/^\ufeff/, ""))]
    .flat()
    .filter(({ id, method }) => String(id) === "1" && method === undefined);
}

overEach("servers that misbehave", (pump) => {
  for (const [what, { gets, complains }] of Object.entries(OVER_STDIO))
    test(`stdio: ${what}`, () =>
      asks(new Conversation([...pump, ...OPTIONS, "--", process.execPath, SERVER, what]), gets, { complains }));

  for (const [what, { gets, respond }] of Object.entries(OVER_HTTP))
    test(`HTTP: ${what}`, async () => {
      const server = await listen(({ message, response, empty }) =>
        message?.id === undefined ? empty(405) : respond(message.id, response),
      );
      try {
        await asks(new Conversation([...pump, ...OPTIONS, "--url", server.url]), gets);
      } finally {
        await server.close();
      }
    });
});
