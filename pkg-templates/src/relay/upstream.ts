// The other side of the relay: a process, or a server behind HTTP.

import type { Readable, Writable } from "node:stream";

/** The signals that ask a process to end. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A server, whose input and output are lines. */
export interface Upstream {
  /** What messages call it. */
  readonly name: string;
  readonly input: Writable;
  readonly output: Readable;
  /** The last signal that this program was sent since. */
  readonly signalled: NodeJS.Signals | undefined;
  /** How it ended, once it has; its output may have more to read then. */
  readonly ended: Promise<Ending>;
  /** Nobody needs it any more. */
  dismiss(): void;
  /** Ends whatever is left of it. */
  end(): Promise<void>;
}

/** How a server ended. */
export interface Ending {
  /** The exit code to hand on: of a signal 128 and its number, as shells have it. */
  readonly code: number;
  /** In words, for the one who waits for its answer. */
  readonly reason: string;
}
