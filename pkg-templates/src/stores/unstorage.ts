import { checkKey, checkPositive, storeFailed, type Store } from "./store.js";

/** What is used of a `Storage` of npm `unstorage`. */
export interface UnstorageLike {
  getItemRaw(key: string): Promise<unknown>;
  hasItem(key: string): Promise<boolean>;
  setItem(key: string, value: string, options: { ttl: number }): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array, options: { ttl: number }): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
}

/** What unstorage takes for its own mark of binary data. */
const MARK = "base64:";

/**
 * Keeps results in whatever npm `unstorage` has a driver for: Redis, Cloudflare KV, Deno KV and so on.
 *
 * Values stand there as they are. The time to live goes to the driver in whole seconds; one that has no such
 * thing, such as `fs` and `memory`, keeps them for ever.
 */
export class UnstorageStore implements Store {
  readonly #storage: UnstorageLike;

  constructor(storage: UnstorageLike) {
    this.#storage = storage;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` where the driver gives no text; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    // Not `getItem`, which parses what looks like JSON, and with it the spelling of numbers is gone.
    const value = await this.#storage.getItemRaw(key);
    if (value === null || value === undefined || typeof value === "string") return value ?? null;
    if (value instanceof Uint8Array || value instanceof ArrayBuffer) return new TextDecoder().decode(value);
    throw storeFailed(`the driver gave back ${typeof value} instead of text; turn off what parses values in it`);
  }

  /** @throws {ToolshapeError} `STORE_FAILED` where nothing is kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const options = { ttl: Math.ceil(ttlSeconds) };
    if (value.startsWith(MARK)) await this.#storage.setItemRaw(key, new TextEncoder().encode(value), options);
    else await this.#storage.setItem(key, value, options);
    // A driver that cannot write says nothing.
    if (!(await this.#storage.hasItem(key))) throw storeFailed("the driver kept nothing");
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for what is no key. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#storage.removeItem(key);
  }
}
