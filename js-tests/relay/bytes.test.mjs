// Every message that is not of a tool arrives as the bytes that it was, in order, in both directions at once; what is not
// JSON on the server's side goes to standard error without control characters, and nobody answers it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { talk } from "./conversation.mjs";
import { conversation, isJson, printed } from "./messages.mjs";
import { overEach } from "./pumps.mjs";

const { TOOLSHAPE_RUNS } = process.env;
/** Conversations for each pump: the same in every run, or as many others as TOOLSHAPE_RUNS says. */
const CASES = TOOLSHAPE_RUNS ? { numRuns: Number(TOOLSHAPE_RUNS) } : { numRuns: 15, seed: 2 };
/** The time has an end, in milliseconds, for machines that are busy. */
const RUNS = { ...CASES, interruptAfterTimeLimit: 20_000 };

async function inPieces(bytes, size, write) {
  for (let at = 0; at < bytes.length; at += size) await write(bytes.subarray(at, at + size));
}

/** The client closes its side, and the server ends. */
async function over({ relay, server, ended }) {
  relay.stdin.end();
  await server.received.toEnd();
  server.order("exit", { code: 0 });
  assert.deepEqual(await ended, { code: 0, signal: null });
}

/** Writes on both sides at once, and compares what each has received in the end. */
async function passes(pump, { client, server, clientPiece = 1 << 20, serverPiece = 1 << 20 }) {
  await talk(pump, { piece: serverPiece }, async (talk) => {
    const isMessage = (line) => isJson(line.toString());
    const wanted = {
      server: Buffer.concat(client),
      client: Buffer.concat(server.filter(isMessage)),
      errors: Buffer.concat(server.filter((line) => !isMessage(line)).map(printed)),
    };
    await Promise.all([
      inPieces(wanted.server, clientPiece, (bytes) => talk.write(bytes)),
      talk.server.write(Buffer.concat(server)),
    ]);
    await talk.server.received.bytesCount(wanted.server.length);
    await talk.received.bytesCount(wanted.client.length);
    await talk.errors.bytesCount(wanted.errors.length);
    await over(talk);
    await Promise.all([talk.received.toEnd(), talk.errors.toEnd()]);
    const received = talk.received.bytes();
    // Nobody answered the client's requests: the last that it hears is that nobody will.
    const [passed, after] = [received.subarray(0, wanted.client.length), received.subarray(wanted.client.length)];
    for (const line of after.toString().split("\n").slice(0, -1))
      assert.match(line, /^\{"jsonrpc":"2.0","id":.*,"error":\{"code":-32603,"message":"the server ended/s);
    const found = { server: talk.server.received.bytes(), client: passed, errors: talk.errors.bytes() };
    for (const [side, bytes] of Object.entries(wanted)) same(found[side], bytes, side);
  });
}

function same(found, wanted, side) {
  if (found.equals(wanted)) return;
  let at = 0;
  while (found[at] === wanted[at]) at++;
  const near = (bytes) => bytes.subarray(Math.max(0, at - 40), at + 80).toString();
  assert.fail(
    `${side}: byte ${at} of ${wanted.length} is another, ${found.length} arrived: ${JSON.stringify(near(found))}, wanted ${JSON.stringify(near(wanted))}`,
  );
}

const nested = (depth) => `{"jsonrpc":"2.0","method":"x","params":${"[".repeat(depth)}${"]".repeat(depth)}}\n`;
const withBytes = (...bytes) =>
  Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"x","params":["'), Buffer.from(bytes), Buffer.from('"]}\n')]);

/** Lines that generators seldom write, from either side. */
const LINES = {
  "a message 5,000 levels deep": Buffer.from(nested(5000)),
  "a message 100,000 levels deep": Buffer.from(nested(100_000)),
  "a number of a million digits": Buffer.from(`{"method":"x","params":${"7".repeat(1e6)}}\n`),
  "an id of 100 KB": Buffer.from(`{"id":"${"i".repeat(1e5)}","method":"ping"}\n`),
  "100,000 members of one name": Buffer.from(`{"method":"x",${'"params":1,'.repeat(1e5)}"params":2}\n`),
  "a batch of 1,000": Buffer.from(
    `[${Array.from({ length: 1000 }, (_, id) => `{"id":${id},"method":"ping"}`).join()}]\n`,
  ),
};

overEach("bytes", (pump) => {
  test("generated conversations pass", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, (printedText) => passes(pump, printedText)),
      RUNS,
    );
  });

  for (const [name, line] of Object.entries(LINES)) {
    test(`${name} passes both ways`, () => passes(pump, { client: [line], server: [line] }));
  }

  // A reader replaces such a byte, and has a message; what waits for an answer must have it.
  test("a message with invalid UTF-8 passes both ways", async () => {
    const lines = [withBytes(0xe9), withBytes(0xc0, 0x80), withBytes(0xed, 0xa0, 0x80)];
    await passes(pump, { client: lines, server: lines });
  });

  test("a character is split between writes", async () => {
    const lines = [Buffer.from('{"method":"é漢😀"}\n')];
    await passes(pump, { client: lines, server: lines, clientPiece: 1, serverPiece: 1 });
  });
});
