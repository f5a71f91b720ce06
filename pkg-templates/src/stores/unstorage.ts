import { checkKey, checkPositive, storeFailed, type Store } from "./store.js";

/** The part of `Storage` from npm `unstorage` that is used here. */
export interface UnstorageLike {
  getItemRaw(key: string): Promise<unknown>;
  hasItem(key: string): Promise<boolean>;
  setItem(key: string, value: string, options: { ttl: number }): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array, options: { ttl: number }): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
}

/** The prefix that marks binary data in unstorage. */
const MARK = "base64:";

/**
 * Keeps results in any backend with a driver for npm `unstorage`: Redis, Cloudflare KV, Deno KV and so on.
 *
 * Values are stored unchanged. The time to live is passed to the driver in whole seconds; a driver without expiry, such
 * as `fs` and `memory`, keeps them for ever.
 */
export class UnstorageStore implements Store {
  readonly #storage: UnstorageLike;

  constructor(storage: UnstorageLike) {
    this.#storage = storage;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if the driver returns no text; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    // Not `getItem`, which parses JSON and so loses the spelling of numbers.
    const value = await this.#storage.getItemRaw(key);
    if (value === null || value === undefined || typeof value === "string") return value ?? null;
    if (value instanceof Uint8Array || value instanceof ArrayBuffer) return new TextDecoder().decode(value);
    throw storeFailed(`the driver gave back ${typeof value} instead of text; turn off what parses values in it`);
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if nothing is kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const options = { ttl: Math.ceil(ttlSeconds) };
    if (value.startsWith(MARK)) await this.#storage.setItemRaw(key, new TextEncoder().encode(value), options);
    else await this.#storage.setItem(key, value, options);
    // A driver that cannot write reports no error.
    if (!(await this.#storage.hasItem(key))) throw storeFailed("the driver kept nothing");
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#storage.removeItem(key);
  }
}
