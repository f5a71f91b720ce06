// The relay of the core: what to do with the lines of both sides. A process has one conversation.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { call, whenLeft, type RelayStep as Step } from "../core.js";
import { Lasting } from "../lasting.js";
import type { Members, Parts } from "../request.js";
import type { Heard } from "../stores/kept.js";
import type { Receipt } from "../types.js";
import type { Block, LongPart } from "./block.js";
import { collectSoon } from "./collect.js";

/** Who wrote a line. */
export type Side = "client" | "server";

/** Before a block of more bytes its state is saved, in case that the core has no room for it. */
const LARGE_BLOCK = 16 * 1024 * 1024;

/** How long after a large line its memory is given back: the next lines come first. */
const COLLECT_MS = 100;

/** One conversation between a client and a server, which may be behind HTTP. */
export class Conversation {
  readonly #relay: Lasting;
  readonly #http: Lasting;

  /** @throws {ToolshapeError} `INVALID_POLICY`. */
  constructor(options: string, isRemote: boolean) {
    const read = JSON.parse(options) as { maxLineBytes?: number };
    this.#relay = new Lasting("relay", { options: read, isRemote });
    this.#http = new Lasting("http", { maxLineBytes: read.maxLineBytes });
    // An instance's memory is outside JavaScript's heap, so nothing else makes the collector hurry.
    whenLeft(() => setTimeout(collect, COLLECT_MS).unref());
  }

  /** What to do with lines of one side, `now` in seconds since 1970; nothing if all of them pass. */
  lines(side: Side, block: Block, now = Date.now() / 1000): readonly Step[] | undefined {
    if (block.length > LARGE_BLOCK) {
      this.#relay.save();
      this.#http.save();
      void collectSoon();
    }
    const { pieces, length } = block;
    return this.#relay.run((core, relay) => core.relayLines(relay, side === "client", pieces, length, now));
  }

  /** What to do with a part of a line that is longer than what is held. */
  longLine(side: Side, { part, isEnd }: LongPart): readonly Step[] {
    return this.#relay.call("relayLongLine", { isClient: side === "client", isEnd }, { part });
  }

  /** What to do after an answer of the store. */
  heard(number: number, heard: Heard): readonly Step[] {
    const value = "value" in heard ? heard.value : undefined;
    const failure = "failure" in heard ? heard.failure : undefined;
    return this.#relay.call("relayHeard", { number, failure, wasWritten: "isWritten" in heard }, { value });
  }

  /** What to do when the server has ended: open requests get the reason. */
  ended(reason: string): readonly Step[] {
    return this.#relay.call("relayEnded", { reason });
  }

  /** Whether nobody waits for an answer. */
  get isIdle(): boolean {
    return this.#relay.call("relayIsIdle");
  }

  /** Calls a method about the server behind HTTP. */
  http<T>(method: string, members?: Members, parts?: Parts): T {
    return this.#http.call(method, members, parts);
  }
}

/** Has V8 collect its garbage. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** A receipt as one line for operators, or null if it says nothing that they look for. */
export function receiptLine(receipt: Receipt): string | null {
  return receipt.steps.length === 0 ? null : call("receiptLine", { receipt });
}
