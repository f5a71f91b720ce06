// Leaves a store that does not answer alone for a while, so that not every result waits for it.

import type { ArchiveTerms } from "../core.js";
import { storeFailed } from "./store.js";

/** Asks a store within the limits of an archive. */
export class Breaker {
  readonly #limits: ArchiveTerms;
  /** When the store may be asked again, in milliseconds; undefined while it answers. */
  #again: number | undefined;
  /** When it last failed to answer: what was asked before says nothing of the time after. */
  #failed = -Infinity;

  constructor(limits: ArchiveTerms) {
    this.#limits = limits;
  }

  /** Whether the store has not answered, and the next call finds out if it does. */
  get isTrying(): boolean {
    return this.#again !== undefined;
  }

  /**
   * The store's answer.
   *
   * @throws The store's errors; {ToolshapeError} `STORE_FAILED` if it takes too long, or is left alone.
   */
  async ask<T>(work: () => T | Promise<T>): Promise<T> {
    const { timeoutSeconds, slowSeconds, late, paused } = this.#limits;
    const start = performance.now();
    if (this.#again !== undefined) {
      if (start < this.#again) throw storeFailed(paused);
      // This call tries; until it has its answer, the others do not wait for one.
      this.#again = start + timeoutSeconds * 1000;
    }
    let isLate = false;
    const giveUp = (): Error => {
      isLate = true;
      return storeFailed(late);
    };
    try {
      const asked = work();
      // What answers at once, as this process's memory does, needs no timer.
      const answer = isPromise(asked) ? await within(timeoutSeconds * 1000, asked, giveUp) : asked;
      this.#answered(start);
      return answer;
    } catch (error) {
      if (isLate || performance.now() - start > slowSeconds * 1000) this.#pause();
      else this.#answered(start);
      throw error;
    }
  }

  #answered(start: number): void {
    if (start >= this.#failed) this.#again = undefined;
  }

  #pause(): void {
    const { pauseSeconds } = this.#limits;
    this.#failed = performance.now();
    this.#again = pauseSeconds > 0 ? this.#failed + pauseSeconds * 1000 : undefined;
  }
}

function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as Promise<T> | null | undefined)?.then === "function";
}

/** The answer, or the error that `giveUp` makes if there is none after this many milliseconds. */
async function within<T>(milliseconds: number, answer: Promise<T>, giveUp: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(giveUp()), milliseconds);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
}
