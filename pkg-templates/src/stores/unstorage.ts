import { besideKey, expiryText, isLongOver, isOver, keyBeside } from "./expiry.js";
import { Ledger, STORE_BYTES, VALUE_BYTES, type StoreLimits } from "./ledger.js";
import { byteLength, checkKey, checkPositive, storeFailed, type Store } from "./store.js";

/** The part of `Storage` from npm `unstorage` that is used here. */
export interface UnstorageLike {
  getItemRaw(key: string): Promise<unknown>;
  hasItem(key: string): Promise<boolean>;
  setItem(key: string, value: string, options: { ttl: number }): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array, options: { ttl: number }): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
  getKeys(): Promise<string[]>;
  getMounts?(): readonly { readonly driver: { readonly name?: string | undefined } }[];
}

/** The prefix that marks binary data in unstorage. */
const MARK = "base64:";
/** Drivers whose backend deletes a value when its time is over. */
const KEEP_TIME = [
  "redis",
  "upstash",
  "vercel-kv",
  "vercel-runtime-cache",
  "cloudflare-kv-binding",
  "cloudflare-kv-http",
  "deno-kv",
  "deno-kv-node",
];

/**
 * Keeps results in any backend with a driver for npm `unstorage`: Redis, Cloudflare KV, Deno KV and so on.
 *
 * Values are stored unchanged; values that programs compressed are read. The time to live is passed to the driver in whole seconds. Unless each driver of the
 * storage is known to have one, it is also kept in a second item, `<key>.expires`. What this store wrote has at most
 * `maxBytes`, 1 GiB by default.
 */
export class UnstorageStore implements Store {
  readonly #storage: UnstorageLike;
  readonly #ledger: Ledger;
  readonly #keepsTime: boolean;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(storage: UnstorageLike, limits: StoreLimits = {}) {
    this.#storage = storage;
    this.#ledger = new Ledger(limits, STORE_BYTES);
    // Not the mount of a key: a storage with a prefix does not say it.
    this.#keepsTime = storage.getMounts?.().every(({ driver }) => KEEP_TIME.includes(driver.name ?? "")) ?? false;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if the driver returns no text; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    if (this.#keepsTime) return this.#text(key);
    const [value, expiry] = await Promise.all([this.#text(key), this.#text(besideKey(key))]);
    return isOver(expiry) ? null : value;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if nothing is kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number, owner?: string): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const incoming = { key, bytes: byteLength(value), owner, ttlSeconds };
    await this.#ledger.keep(
      incoming,
      (old) => this.#remove(old),
      () => this.#write(key, value, ttlSeconds),
    );
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#remove(key);
    this.#ledger.forget(key);
  }

  /**
   * Deletes what expired more than an hour ago, whoever wrote it, where `<key>.expires` says so. What this store wrote
   * itself is deleted by later writes.
   */
  async sweep(): Promise<void> {
    for (const name of await this.#storage.getKeys()) {
      const key = keyBeside(name);
      if (key !== undefined && isLongOver(await this.#text(name))) await this.delete(key);
    }
  }

  async #write(key: string, value: string, ttlSeconds: number): Promise<void> {
    const options = { ttl: Math.ceil(ttlSeconds) };
    if (!this.#keepsTime) await this.#storage.setItem(besideKey(key), expiryText(ttlSeconds), options);
    if (value.startsWith(MARK)) await this.#storage.setItemRaw(key, new TextEncoder().encode(value), options);
    else await this.#storage.setItem(key, value, options);
    // A driver that cannot write reports no error.
    if (!(await this.#storage.hasItem(key))) throw storeFailed("the driver kept nothing");
  }

  async #remove(key: string): Promise<void> {
    await this.#storage.removeItem(key);
    if (!this.#keepsTime) await this.#storage.removeItem(besideKey(key));
  }

  async #text(key: string): Promise<string | null> {
    // Not `getItem`, which parses JSON and so loses the spelling of numbers.
    const value = await this.#storage.getItemRaw(key);
    if (value === null || value === undefined || typeof value === "string") return value ?? null;
    if (value instanceof Uint8Array || value instanceof ArrayBuffer) return textOf(new Uint8Array(value));
    throw storeFailed(`the driver gave back ${typeof value} instead of text; turn off what parses values in it`);
  }
}

/** The text of binary data, which is gzip (RFC 1952) where a program wrote it. */
async function textOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let [text, size] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > VALUE_BYTES) throw storeFailed("the stored value is too large");
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
