// Gives back the memory of a very large line, which no collection would free for as long as lines are small.

import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** When such a line has been written to all but the slowest readers. */
const REST_MS = 500;

/** Collects once what is garbage in a moment. The line and the core's earlier instance are garbage outside V8's own heap. */
export async function collectSoon(): Promise<void> {
  // What is done with the line now may take longer than the rest after it.
  await delay(0, undefined, { ref: false });
  await delay(REST_MS, undefined, { ref: false });
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
