// A conversation through the relay of the package's program.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// The program's own modules: what users import has no relay.
const require = createRequire(import.meta.url);
const program = join(dirname(require.resolve("toolshape/package.json")), "dist/cjs");
require(join(program, "index.js"));
export const { Conversation } = require(join(program, "relay/conversation.js"));
const { call } = require(join(program, "core.js"));
const { Block } = require(join(program, "relay/block.js"));

/** Begins a conversation; of lines it says all steps, also where they pass whole. */
export function begin(options) {
  const conversation = new Conversation(options);
  return {
    lines: (side, bytes, now) => conversation.lines(side, new Block([bytes]), now) ?? [{ pass: [0, bytes.length] }],
    heard: (number, answer) => conversation.heard(number, answer),
    ended: (reason) => conversation.ended(reason),
    get isIdle() {
      return conversation.isIdle;
    },
  };
}

/** Begins a conversation with a server behind HTTP. */
export function beginHttp() {
  let http = call("http");
  const ask = (method, members, parts) => call(method, { http, ...members }, parts);
  return {
    line: (line) => ask("httpToServer", {}, { line }),
    answered: (number, status, session, content, retryAfter) =>
      ask("httpAnswered", { number, status, session, content, retryAfter }),
    body: (number, bytes) => ask("httpBody", { number }, { bytes }),
    ended: (number, failure) => ask("httpEnded", { number, failure }),
    isDelivered: () => ask("httpIsDelivered"),
    close: () => ask("httpClose"),
    renew: () => {
      const state = ask("httpState");
      if (state === null) return;
      ask("forgetHttp");
      http = call("http", { state });
    },
  };
}
