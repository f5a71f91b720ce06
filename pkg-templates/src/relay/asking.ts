// The pump of a survey: reads the lines of a server, and does what the survey says.

import { constants } from "node:os";
import { finished } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { call } from "../core.js";
import { Lines, type Block, type LongPart } from "./block.js";
import type { Progress } from "./progress.js";
import { GRACE_MS } from "./server.js";
import type { Upstream } from "./upstream.js";

/** What a survey says. */
type Effect =
  | { readonly toServer: string }
  | { readonly log: string }
  | { readonly progress: { readonly done: number; readonly total: number; readonly what: string } }
  | { readonly ended: true };

/** The longest that Node waits. */
const MOST_MS = 2 ** 31 - 1;

/** Sends a server the requests of the survey with this handle, with this many seconds for each answer. */
export async function ask(survey: number, server: Upstream, seconds: number, progress: Progress): Promise<void> {
  const asking = new Asking(survey, server, seconds, progress);
  await asking.whole;
  server.input.end();
  server.dismiss();
  await server.ended;
  await server.end();
  // Whoever interrupts one server wants no other either.
  if (server.signalled !== undefined) {
    progress.clear();
    process.exit(128 + constants.signals[server.signalled]);
  }
}

class Asking {
  /** Settles when everything was asked. */
  readonly whole: Promise<void>;
  readonly #survey: number;
  readonly #server: Upstream;
  readonly #seconds: number;
  readonly #progress: Progress;
  /** The bytes of the longest line of a server, as the relay has it by default. */
  readonly #maxLineBytes = call<{ maxLineBytes: number }>("relayOptions", { options: {} }).maxLineBytes;
  #end: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(survey: number, server: Upstream, seconds: number, progress: Progress) {
    [this.#survey, this.#server, this.#seconds, this.#progress] = [survey, server, seconds, progress];
    this.whole = new Promise((resolve, reject) => ([this.#end, this.#fail] = [resolve, reject]));
    server.input.on("error", () => {});
    const lines = new Lines(this.#maxLineBytes);
    const hear = (input: Iterable<Block | LongPart>): void => {
      for (const one of input) this.#hear(one);
    };
    server.output.on("data", (chunk: Uint8Array) => hear(lines.take(chunk)));
    finished(server.output, { writable: false }, () => {
      hear(lines.rest());
      void this.#heardLast();
    });
    this.#follow(() => call("surveyStart", { server: survey }));
  }

  #hear(block: Block | LongPart): void {
    if ("part" in block) {
      if (block.isEnd) this.#giveUp(`its answer has over ${this.#maxLineBytes} bytes`);
      return;
    }
    const bytes = Buffer.concat(block.pieces);
    for (let at = 0; at < bytes.length && !this.#isOver; ) {
      const end = bytes.indexOf(0x0a, at) + 1 || bytes.length;
      const line = bytes.subarray(at, end);
      const lineEnd = /\r?\n?$/.exec(line.subarray(-2).toString("latin1"))?.[0].length ?? 0;
      const message = line.subarray(0, line.length - lineEnd);
      this.#follow(() => call("surveyLine", { server: this.#survey }, { line: message }));
      at = end;
    }
  }

  /** Nothing more comes from the server. */
  async #heardLast(): Promise<void> {
    if (this.#isOver) return;
    this.#server.input.end();
    const silent = delay(GRACE_MS, { reason: "the server's output has ended" });
    const { reason } = await Promise.race([this.#server.ended, silent]);
    this.#follow(() => call("surveyServerEnded", { server: this.#survey, reason }));
  }

  #follow(work: () => Effect[]): void {
    if (this.#isOver) return;
    try {
      for (const effect of work()) this.#do(effect);
    } catch (error) {
      this.#finish();
      this.#fail(error);
    }
  }

  #do(effect: Effect): void {
    if ("toServer" in effect) {
      this.#server.input.write(`${effect.toServer}\n`);
      this.#wait();
    } else if ("log" in effect) {
      process.stderr.write(`${effect.log}\n`);
    } else if ("progress" in effect) {
      const { done, total, what } = effect.progress;
      this.#progress.show(done, total, what);
    } else {
      this.#finish();
      this.#end();
    }
  }

  #giveUp(reason: string): void {
    this.#follow(() => call("surveyGaveUp", { server: this.#survey, reason }));
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const giveUp = (): void => this.#giveUp(`no answer in ${this.#seconds} seconds`);
    this.#timer = setTimeout(giveUp, Math.min(this.#seconds * 1000, MOST_MS));
  }
}
