// A conversation through the relay of the core, as the client's transport holds it.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// The package's own module: what users import has no relay.
const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve("toolshape/package.json")), "dist/cjs");
require(join(folder, "index.js"));
const { call } = require(join(folder, "core.js"));

/** Begins a conversation. */
export function begin(options) {
  const relay = call("relay", { options: JSON.parse(options) });
  const ask = (method, members, parts) => call(method, { relay, ...members }, parts);
  return {
    lines: (side, lines, now) => ask("relayLines", { isClient: side === "client", now }, { lines }),
    heard: (number, { failure, isWritten: wasWritten, value }) =>
      ask("relayHeard", { number, failure, wasWritten }, { value }),
    ended: (reason) => ask("relayEnded", { reason }),
    get isIdle() {
      return ask("relayIsIdle");
    },
  };
}
