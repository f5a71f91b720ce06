// A store as archives and the relay ask it: within a time limit. The memory of this process answers at once, so that the
// order of answers of the relay is that of the lines; every other store answers later, and lines do not wait for it.

import { call, type ArchiveTerms } from "../core.js";
import { Breaker } from "./breaker.js";
import { MemoryStore } from "./memory.js";
import { reason, type Store } from "./store.js";

/** Reads and writes of one store. */
export class Kept {
  readonly #store: Store;
  readonly #terms: ArchiveTerms;
  readonly #onError: ((error: unknown) => void) | undefined;
  /** For a store that may take its time. */
  readonly #breaker: Breaker | undefined;

  constructor(store: Store, terms = call<ArchiveTerms>("archiveOptions"), onError?: (error: unknown) => void) {
    [this.#store, this.#terms, this.#onError] = [store, terms, onError];
    this.#breaker = store.constructor === MemoryStore ? undefined : new Breaker(terms);
  }

  /** Whether calls are made one after the other: they answer at once, or the first finds out if the store answers. */
  get takesOne(): boolean {
    return this.#breaker?.isTrying ?? true;
  }

  /** The value of a key; null if there is none. */
  get(key: string): string | null | Promise<string | null> {
    return then(
      this.#ask(() => this.#store.get(key)),
      (value) => (typeof value === "string" ? value : noValue(value)),
    );
  }

  /** Keeps a value. */
  set(key: string, value: string, owner: string | null): unknown {
    return this.#ask(() => this.#store.set(key, value, this.#terms.ttlSeconds, owner ?? undefined));
  }

  /** Why something failed, in words for the model. The author receives the error itself. */
  reason(error: unknown): string {
    try {
      this.#onError?.(error);
    } catch {
      // Neither a failing store nor a failing callback may break the tool.
    }
    return reason(error);
  }

  #ask<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#breaker ? this.#breaker.ask(work) : work();
  }
}

function noValue(value: unknown): null {
  return value === null || value === undefined ? null : call("noText", { what: "the store", type: typeof value });
}

/** What follows from an answer, at once if that is there. */
export function then<T, R>(answer: T | Promise<T>, follow: (answer: T) => R): R | Promise<R> {
  return answer instanceof Promise ? answer.then(follow) : follow(answer);
}
