import { Ledger, MEMORY_BYTES, type StoreLimits } from "./ledger.js";
import { checkKey, checkPositive, type Store } from "./store.js";

/**
 * Keeps results in this process's memory, bounded by size and age. They are lost when the process ends.
 *
 * A value has two bytes for each UTF-16 unit; all together have at most `maxBytes`, 128 MiB by default.
 */
export class MemoryStore implements Store {
  readonly #ledger: Ledger;
  readonly #values = new Map<string, string>();

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(limits: StoreLimits = {}) {
    this.#ledger = new Ledger(limits, MEMORY_BYTES);
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  get(key: string): string | null {
    checkKey(key);
    if (this.#ledger.has(key)) return this.#values.get(key) ?? null;
    this.delete(key);
    return null;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` for a value that has no room; `INVALID_HANDLE`, `INVALID_CALL`. */
  set(key: string, value: string, ttlSeconds: number, owner?: string): void {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const incoming = { key, bytes: value.length * 2, owner, ttlSeconds };
    this.#ledger.check(incoming.bytes);
    for (const { key: old } of this.#ledger.takeExpired()) this.#values.delete(old);
    for (const { key: old } of this.#ledger.takeWay(incoming)) this.#values.delete(old);
    this.#ledger.enter(incoming);
    this.#values.set(key, value);
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  delete(key: string): void {
    checkKey(key);
    this.#ledger.forget(key);
    this.#values.delete(key);
  }
}

let memory: MemoryStore | undefined;

/**
 * @internal The default store of adapters. All of a process share it, because many hosts create a server for each session or request, and
 * a handle must outlive the server that returned it.
 */
export function sharedMemory(): MemoryStore {
  return (memory ??= new MemoryStore());
}
