// The relay of the core: what to do with the lines of both sides. A process has one conversation.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { call, run, settle, unwrap, type Fault, type Instance, type RelayStep as Step } from "../core.js";
import { requestOf, requestOn, type Members, type Parts } from "../request.js";
import type { Receipt } from "../types.js";
import type { Block, LongPart } from "./block.js";
import { collectSoon } from "./collect.js";

/** Who wrote a line. */
export type Side = "client" | "server";

/** What a store answers. */
export type Heard = { readonly value: string | null } | { readonly isWritten: true } | { readonly failure: string };

/** Before a block of more bytes its state is saved, in case that the core has no room for it. */
const LARGE_BLOCK = 16 * 1024 * 1024;

/** How long after a large line its memory is given back: the next lines come first. */
const COLLECT_MS = 100;

/** What another instance continues from. */
interface State {
  readonly relay?: string;
  readonly http?: string;
}

/** One conversation between a client and a server, which may be behind HTTP. */
export class Conversation {
  readonly #options: { readonly maxLineBytes?: number };
  /** The instance of the core that it is in, and its numbers there. */
  #home: Instance | undefined;
  #relay = 0;
  #http = 0;
  #state: State = {};

  /** @throws {ToolshapeError} `INVALID_POLICY`. */
  constructor(options: string) {
    this.#options = JSON.parse(options) as { maxLineBytes?: number };
    this.#run(() => null);
    settle((from) => this.#leave(from));
  }

  /** What to do with lines of one side, `now` in seconds since 1970; nothing if all of them pass. */
  lines(side: Side, block: Block, now = Date.now() / 1000): readonly Step[] | undefined {
    if (block.length > LARGE_BLOCK) {
      this.#run((core) => this.#save(core));
      void collectSoon();
    }
    return this.#run((core) => core.relayLines(this.#relay, side === "client", block.pieces, block.length, now));
  }

  /** What to do with a part of a line that is longer than what is held. */
  longLine(side: Side, { part, isEnd }: LongPart): readonly Step[] {
    return this.#call("relayLongLine", { isClient: side === "client", isEnd }, { part });
  }

  /** What to do after an answer of the store. */
  heard(number: number, heard: Heard): readonly Step[] {
    const value = "value" in heard ? heard.value : undefined;
    const failure = "failure" in heard ? heard.failure : undefined;
    return this.#call("relayHeard", { number, failure, wasWritten: "isWritten" in heard }, { value });
  }

  /** What to do when the server has ended: open requests get the reason. */
  ended(reason: string): readonly Step[] {
    return this.#call("relayEnded", { reason });
  }

  /** Whether nobody waits for an answer. */
  get isIdle(): boolean {
    return this.#call("relayIsIdle");
  }

  /** Calls a method about the server behind HTTP. */
  http<T>(method: string, members?: Members, parts?: Parts): T {
    const request = requestOf(members, parts);
    return this.#run((core) => core.call<T>(method, requestOn("http", this.#http, request)));
  }

  #call<T>(method: string, members?: Members, parts?: Parts): T {
    const request = requestOf(members, parts);
    return this.#run((core) => core.call<T>(method, requestOn("relay", this.#relay, request)));
  }

  /** Runs a call of the core, in an instance that knows this conversation. */
  #run<T>(work: (core: Instance) => T | Fault): T {
    return run((core) => {
      if (this.#home !== core) {
        const { relay: state, http } = this.#state;
        this.#relay = unwrap(core.call<number>("relay", requestOf({ options: this.#options, state })));
        this.#http = unwrap(
          core.call<number>("http", requestOf({ state: http, maxLineBytes: this.#options.maxLineBytes })),
        );
        this.#home = core;
      }
      return work(core);
    });
  }

  /** Leaves an instance that is given up. Its memory is outside JavaScript's heap, so nothing else makes the collector hurry. */
  #leave(from: Instance): boolean {
    if (!this.#save(from)) return false;
    this.#home = undefined;
    setTimeout(collect, COLLECT_MS).unref();
    return true;
  }

  /** Saves its state, so that another instance continues from it; false while it waits for the store. */
  #save(from: Instance): boolean {
    if (this.#home !== from) return true;
    const stateOf = (owner: "relay" | "http", number: number): string | null =>
      unwrap(from.call<string | null>(`${owner}State`, requestOf({ [owner]: number })));
    const [relay, http] = [stateOf("relay", this.#relay), stateOf("http", this.#http)];
    if (relay === null || http === null) return false;
    this.#state = { relay, http };
    return true;
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
