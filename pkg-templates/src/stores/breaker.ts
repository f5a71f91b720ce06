// Leaves a store that does not answer alone for a while, so that not every result waits for it.

import type { ArchiveTerms } from "../core.js";
import { storeFailed } from "./store.js";

/** Asks a store within the limits of an archive. */
export class Breaker {
  readonly #limits: ArchiveTerms;
  /** When the store may be asked again, in milliseconds; undefined while it answers. */
  #again: number | undefined;

  constructor(limits: ArchiveTerms) {
    this.#limits = limits;
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
      this.#again = undefined;
      return answer;
    } catch (error) {
      const isSlow = isLate || performance.now() - start > slowSeconds * 1000;
      this.#again =
        isSlow && this.#limits.pauseSeconds > 0 ? performance.now() + this.#limits.pauseSeconds * 1000 : undefined;
      throw error;
    }
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
