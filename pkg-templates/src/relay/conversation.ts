// The relay of the core: what to do with the lines of both sides. A process has one conversation.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { run, settle, type Instance, type RelayStep as Step } from "../core.js";
import type { Block } from "./block.js";
import { collectSoon } from "./collect.js";

/** Who wrote a line. */
export type Side = "client" | "server";

/** What a store answers. */
export type Heard = { readonly value: string | null } | { readonly isWritten: true } | { readonly failure: string };

/** Before a block of more bytes its state is saved, in case that the core has no room for it. */
const LARGE_BLOCK = 16 * 1024 * 1024;

/** How long after a large line its memory is given back: the next lines come first. */
const COLLECT_MS = 100;

/** One conversation between a client and a server. */
export class Conversation {
  readonly #options: string;
  /** The instance of the core that it is in. */
  #home: Instance | undefined;
  #state = "{}";

  /** @throws {ToolshapeError} `INVALID_POLICY`. */
  constructor(options: string) {
    this.#options = options;
    run((core) => core.exports.relay(options, this.#state));
    settle((from) => this.#leave(from));
  }

  /** What to do with lines of one side, `now` in seconds since 1970; nothing if all of them pass. */
  lines(side: Side, block: Block, now = Date.now() / 1000): readonly Step[] | undefined {
    if (block.length > LARGE_BLOCK) {
      this.run((core) => this.#save(core));
      void collectSoon();
    }
    return this.run((core) => core.relayLines(side === "client", block.pieces, block.length, now));
  }

  /** What to do after an answer of the store. */
  heard(number: number, heard: Heard): readonly Step[] {
    const value = "value" in heard ? (heard.value ?? undefined) : undefined;
    const failure = "failure" in heard ? heard.failure : undefined;
    return this.run((core) => core.exports.relayHeard(number, "isWritten" in heard, value, failure));
  }

  /** What to do when the server has ended: open requests get the reason. */
  ended(reason: string): readonly Step[] {
    return this.run((core) => core.exports.relayEnded(reason));
  }

  /** Whether nobody waits for an answer. */
  get isIdle(): boolean {
    return this.run((core) => core.exports.relayIsIdle());
  }

  /** Runs a call of the core, in an instance that knows this conversation. */
  run<T>(work: (core: Instance) => T): Exclude<T, { code: unknown }> {
    return run((core) => {
      if (this.#home !== core) core.exports.relay(this.#options, this.#state);
      this.#home = core;
      return work(core);
    }) as Exclude<T, { code: unknown }>;
  }

  /** Leaves an instance that is given up. Its memory is outside JavaScript's heap, so nothing else makes the collector hurry. */
  #leave(from: Instance): boolean {
    if (!this.#save(from)) return false;
    this.#home = undefined;
    setTimeout(collect, COLLECT_MS).unref();
    return true;
  }

  /** Saves its state, so that another instance goes on from it; false while it waits for the store. */
  #save(from: Instance): boolean {
    if (this.#home !== from) return true;
    const state = from.exports.relayState();
    if (typeof state === "string") this.#state = state;
    return typeof state === "string";
  }
}

/** Has V8 collect its garbage. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** A receipt as one line for operators, or null if it says nothing that they look for. */
export function receiptLine(receipt: string): string | null {
  const { steps } = JSON.parse(receipt) as { steps: readonly unknown[] };
  return steps.length === 0 ? null : run((core) => core.exports.receiptLine(receipt));
}
