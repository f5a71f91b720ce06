// Reads the lines of both sides, and does what the relay says.

import { setTimeout as delay } from "node:timers/promises";
import { finished, type Readable, type Writable } from "node:stream";
import type { RelayStep as Step } from "../core.js";
import type { Receipt } from "../types.js";
import { Block, LINE_END, Lines, type LongPart } from "./block.js";
import { receiptLine, type Conversation, type Side } from "./conversation.js";
import { numberOf, type Kept, type Wanted } from "../stores/kept.js";
import type { Recording } from "./recording.js";

/** How long the client is read after its server ended: one that has sent something, and one that has not. */
const [LAST_WORDS_MS, FIRST_WORDS_MS] = [50, 1000];
const LOOK_MS = 10;
const PART_BYTES = 1 << 20;

/** Where lines go, which may be gone. */
interface Ends {
  readonly client: Writable;
  /** Undefined for a server that could not be started. */
  readonly server: Writable | undefined;
  readonly errors: Writable;
}

/** Carries lines between a client and a server. */
export class Pump {
  readonly #conversation: Conversation;
  readonly #kept: Kept | undefined;
  readonly #ends: Ends;
  readonly #onSettled: () => void;
  #recording: Recording | undefined;
  /** The sides that have sent something. */
  readonly hasSpoken = { client: false, server: false };
  /** Why the server answers no more. */
  #over: string | undefined;
  /** Whether the client received the begin of a line. */
  #isInLine = false;
  /** The bytes of the longest line. */
  readonly #most: number;
  /** Whether the server is in a line that is longer. */
  isInLongLine = false;
  /** What waits for the store. */
  readonly #errands = new Set<Promise<void>>();

  /** `onSettled` is called whenever something was answered. */
  constructor(
    conversation: Conversation,
    kept: Kept | undefined,
    recording: Recording | undefined,
    ends: Ends,
    most: number,
    onSettled: () => void,
  ) {
    [this.#conversation, this.#kept, this.#recording, this.#ends, this.#most, this.#onSettled] = [
      conversation,
      kept,
      recording,
      ends,
      most,
      onSettled,
    ];
  }

  /** Reads one side to its end. */
  read(side: Side, input: Readable): Promise<void> {
    const lines = new Lines(this.#most);
    const handle = (blocks: Iterable<Block | LongPart>): void => {
      for (const block of blocks) {
        if ("part" in block) this.#handleLong(side, block);
        else this.#handle(side, block);
        this.#wait(input, this.#ends[other(side)]);
      }
    };
    return new Promise((resolve) => {
      input.on("data", (chunk: Uint8Array) => handle(lines.take(chunk)));
      finished(input, { writable: false }, () => {
        handle(lines.rest());
        resolve();
      });
    });
  }

  /**
   * Answers open requests once the server has ended, and those sent meanwhile: a client that has not sent anything yet is
   * about to. Then what was written has gone, or nobody reads it.
   */
  async end(reason: string, hasLeft: () => boolean): Promise<void> {
    const isFirst = !this.hasSpoken.client;
    while (this.#errands.size > 0) await Promise.all(this.#errands);
    this.#over = reason;
    this.#carryOut(this.#conversation.ended(reason));
    const patience = isFirst ? FIRST_WORDS_MS : LAST_WORDS_MS;
    for (let waited = 0; waited < patience && !hasLeft() && !(isFirst && this.hasSpoken.client); waited += LOOK_MS)
      await delay(LOOK_MS);
    const { client } = this.#ends;
    // A client that never reads is left by a signal.
    while (client.writable && client.writableLength > 0 && !hasLeft()) await delay(LOOK_MS);
  }

  get awaitsStore(): boolean {
    return this.#errands.size > 0;
  }

  get isIdle(): boolean {
    return this.#errands.size === 0 && this.#conversation.isIdle;
  }

  #handle(side: Side, block: Block): void {
    this.hasSpoken[side] = true;
    this.#record(side, block);
    const steps = this.#lines(side, block);
    if (steps === undefined) this.#send(other(side), block.pieces);
    else this.#carryOut(steps, side, block);
    this.#settle();
  }

  #handleLong(side: Side, part: LongPart): void {
    this.hasSpoken[side] = true;
    if (side === "server") this.isInLongLine = !part.isEnd;
    this.#carryOut(this.#conversation.longLine(side, part));
    this.#settle();
  }

  #settle(): void {
    if (this.#over !== undefined) this.#carryOut(this.#conversation.ended(this.#over));
    this.#onSettled();
  }

  #record(side: Side, block: Block): void {
    try {
      this.#recording?.add(side, block);
    } catch (error) {
      this.#recording = undefined;
      this.#ends.errors.write(`toolshape: the recording ends here: ${(error as Error).message}\n`);
    }
  }

  /** What to do with lines. Those for which the core has no room are answered as lines that are too long. */
  #lines(side: Side, block: Block): readonly Step[] | undefined {
    try {
      return this.#conversation.lines(side, block);
    } catch (error) {
      const about = `${block.length} bytes of the ${side} cannot be read: ${(error as Error).message}`;
      this.#ends.errors.write(`toolshape: ${about}\n`);
      for (const line of linesOf(block)) this.#line(side, line);
      return [];
    }
  }

  /** Handles one of several lines, on which the core failed together. */
  #line(side: Side, line: Block): void {
    let steps: readonly Step[] | undefined;
    try {
      steps = this.#conversation.lines(side, line);
    } catch {
      for (const part of partsOf(line)) this.#carryOut(this.#conversation.longLine(side, { part, isEnd: false }));
      return this.#carryOut(this.#conversation.longLine(side, { part: new Uint8Array(), isEnd: true }));
    }
    if (steps === undefined) this.#send(other(side), line.pieces);
    else this.#carryOut(steps, side, line);
  }

  /** Carries out steps in their order. Log lines are written together: each write of its own takes memory until it is done. */
  #carryOut(steps: readonly Step[], side: Side = "server", block = new Block([])): void {
    const logged: string[] = [];
    for (const step of steps) {
      if ("pass" in step) this.#send(other(side), block.cut(...step.pass));
      else if ("log" in step) logged.push(`${step.log}\n`);
      else if ("toClient" in step) this.#send("client", [...this.#lineEnd(), Buffer.from(`${step.toClient}\n`)]);
      else if ("toServer" in step) this.#send("server", [Buffer.from(`${step.toServer}\n`)]);
      else if ("shaped" in step) this.#report(step.shaped);
      else this.#ask(step);
    }
    if (logged.length > 0) this.#ends.errors.write(logged.join(""));
  }

  #ask(wanted: Wanted): void {
    const number = numberOf(wanted);
    const reply = this.#kept?.ask(wanted) ?? { failure: "there is no store" };
    if (!(reply instanceof Promise)) return this.#carryOut(this.#conversation.heard(number, reply));
    const errand = reply.then((settled) => {
      this.#errands.delete(errand);
      this.#carryOut(this.#conversation.heard(number, settled));
      this.#onSettled();
    });
    this.#errands.add(errand);
  }

  #report(receipt: Receipt): void {
    const line = receiptLine(receipt);
    if (line !== null) this.#ends.errors.write(`${line}\n`);
  }

  /** A side that is gone gets nothing more; its other stream reports its end. */
  #send(to: Side, pieces: readonly Uint8Array[]): void {
    const end = this.#ends[to];
    if (!end?.writable) return;
    if (to === "client") this.#isInLine = pieces.at(-1)?.at(-1) !== LINE_END;
    end.cork();
    for (const piece of pieces) end.write(piece);
    end.uncork();
  }

  /** What ends a last line of the server that has no end, before a line of ours. */
  #lineEnd(): readonly Uint8Array[] {
    return this.#isInLine ? [Uint8Array.of(LINE_END)] : [];
  }

  /** Reads on when what was written has gone, so that a slow reader slows the writer, and does not fill this program's memory. */
  #wait(input: Readable, end: Writable | undefined): void {
    if (!end?.writableNeedDrain || !end.writable || input.isPaused()) return;
    input.pause();
    const resume = (): void => {
      for (const event of ["drain", "close"]) end.off(event, resume);
      input.resume();
    };
    for (const event of ["drain", "close"]) end.once(event, resume);
  }
}

/** A line in parts of at most a megabyte, for which the core has room. */
function* partsOf({ pieces }: Block): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += PART_BYTES) yield piece.subarray(at, at + PART_BYTES);
}

/** The lines of a block, one by one. */
function* linesOf(block: Block): Generator<Block> {
  let line: Uint8Array[] = [];
  for (const piece of block.pieces) {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(LINE_END, at) + 1 || piece.length;
      line.push(piece.subarray(at, end));
      if (piece[end - 1] === LINE_END) {
        yield new Block(line);
        line = [];
      }
      at = end;
    }
  }
  if (line.length > 0) yield new Block(line);
}

function other(side: Side): Side {
  return side === "client" ? "server" : "client";
}
