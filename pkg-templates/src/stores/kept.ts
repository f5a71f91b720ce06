// What the relay asks of a store. The memory of this process answers at once, so that the order of answers is that of
// the lines; every other store answers later, and lines do not wait for it.

import { call, type ArchiveTerms, type RelayStep as Step } from "../core.js";
import { Breaker } from "./breaker.js";
import { MemoryStore } from "./memory.js";
import { reason, type Store } from "./store.js";
import { askSql } from "../sql.js";

/** What a store answers. */
export type Heard = { readonly value: string | null } | { readonly isWritten: true } | { readonly failure: string };

/** The step that asks for something. */
export type Wanted = Extract<Step, { read: unknown } | { write: unknown } | { ask: unknown }>;

/** The number under which the relay hears of it. */
export function numberOf(wanted: Wanted): number {
  const { number } = "read" in wanted ? wanted.read : "ask" in wanted ? wanted.ask : wanted.write;
  return number;
}

/** A store as the relay asks it. */
export class Kept {
  readonly #store: Store;
  readonly #ttlSeconds: number;
  /** For a store that may take its time. */
  readonly #breaker: Breaker | undefined;

  constructor(store?: Store) {
    this.#store = store ?? new MemoryStore();
    const terms = call<ArchiveTerms>("archiveOptions");
    this.#ttlSeconds = terms.ttlSeconds;
    this.#breaker = this.#store.constructor === MemoryStore ? undefined : new Breaker(terms);
  }

  /** Does what is wanted. */
  ask(wanted: Wanted): Heard | Promise<Heard> {
    if ("ask" in wanted) return askSql(wanted.ask.question, wanted.ask.sources).then((value) => ({ value }), failed);
    try {
      const heard = this.#breaker ? this.#breaker.ask(async () => this.#do(wanted)) : this.#do(wanted);
      return heard instanceof Promise ? heard.catch(failed) : heard;
    } catch (error) {
      return failed(error);
    }
  }

  #do(wanted: Exclude<Wanted, { ask: unknown }>): Heard | Promise<Heard> {
    if ("read" in wanted) return then(this.#store.get(wanted.read.key), (value) => ({ value: value ?? null }));
    const { key, value, owner } = wanted.write;
    return then(this.#store.set(key, value, this.#ttlSeconds, owner ?? undefined), () => ({ isWritten: true }));
  }
}

function then<T>(answer: T | Promise<T>, heard: (answer: T) => Heard): Heard | Promise<Heard> {
  return answer instanceof Promise ? answer.then(heard) : heard(answer);
}

function failed(error: unknown): Heard {
  return { failure: reason(error) };
}
