// A conversation through the relay of the package's program.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// The program's own modules: what users import has no relay.
const require = createRequire(import.meta.url);
const program = join(dirname(require.resolve("toolshape/package.json")), "dist/cjs");
require(join(program, "index.js"));
export const { Conversation } = require(join(program, "relay/conversation.js"));
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
  const conversation = new Conversation("{}");
  const run = (work) => conversation.run((core) => work(core.exports));
  run((core) => core.http());
  return {
    line: (line) => run((core) => core.httpToServer(line)),
    answered: (...head) => run((core) => core.httpAnswered(...head)),
    body: (number, bytes) => run((core) => core.httpBody(number, bytes)),
    ended: (number, failure) => run((core) => core.httpEnded(number, failure)),
    isDelivered: () => run((core) => core.httpIsDelivered()),
    close: () => run((core) => core.httpClose()),
    renew: () => {
      const state = run((core) => core.relayState());
      if (state !== null) run((core) => core.relay("{}", state));
    },
  };
}
