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
    const isLate = storeFailed(late);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, timeoutSeconds * 1000, isLate);
    });
    try {
      const answer = await Promise.race([work(), over]);
      this.#again = undefined;
      return answer;
    } catch (error) {
      const isSlow = error === isLate || performance.now() - start > slowSeconds * 1000;
      this.#again = isSlow && this.#limits.pauseSeconds > 0 ? performance.now() + this.#limits.pauseSeconds * 1000 : undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
