import { Ledger, STORE_BYTES, type StoreLimits } from "./ledger.js";
import { byteLength, checkKey, checkPositive, storeFailed, type Store } from "./store.js";

/** The part of `Keyv` from npm `keyv` that is used here. */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  has(key: string): Promise<boolean>;
  set(key: string, value: { content: string }, ttlMilliseconds: number): Promise<boolean>;
  delete(key: string): Promise<boolean>;
}

/**
 * Keeps results in any backend with an adapter for npm `keyv`: Redis, Valkey, SQLite, PostgreSQL and so on.
 *
 * The value of a key is `{"content": …}`, which Python's `KeyValueStore` reads and writes too: on Redis they share
 * results if Keyv's namespace is the same as the other's collection. What this store wrote has at most `maxBytes`, 1 GiB
 * by default.
 */
export class KeyvStore implements Store {
  readonly #keyv: KeyvLike;
  readonly #ledger: Ledger;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(keyv: KeyvLike, limits: StoreLimits = {}) {
    this.#keyv = keyv;
    this.#ledger = new Ledger(limits, STORE_BYTES);
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if Keyv returns no text; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    const value = await this.#keyv.get(key);
    if (value === null || value === undefined) return null;
    const { content } = value as { content?: unknown };
    if (typeof content === "string") return content;
    throw storeFailed("what Keyv gave back has no content that is text");
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if nothing is kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number, owner?: string): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const incoming = { key, bytes: byteLength(value), owner, ttlSeconds };
    await this.#ledger.keep(
      incoming,
      (old) => this.#keyv.delete(old),
      () => this.#write(key, value, ttlSeconds),
    );
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#keyv.delete(key);
    this.#ledger.forget(key);
  }

  async #write(key: string, value: string, ttlSeconds: number): Promise<void> {
    const isKept = await this.#keyv.set(key, { content: value }, Math.ceil(ttlSeconds * 1000));
    // By default, Keyv's adapters turn errors into events, and report a failed write as success.
    if (!isKept || !(await this.#keyv.has(key))) throw storeFailed("Keyv kept nothing");
  }
}
