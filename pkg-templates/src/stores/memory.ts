import { checkKey, checkPositive, tooLarge, type Store } from "./store.js";

/** How large a memory store may grow. */
export interface MemoryStoreOptions {
  /** The most bytes of all values together, two for each UTF-16 unit. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

interface Entry {
  readonly value: string;
  readonly bytes: number;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Keeps results in this process's memory, bounded by size and age. They are lost when the process ends. */
export class MemoryStore implements Store {
  readonly #maxBytes: number;
  /** In order of insertion, the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor({ maxBytes = 64 * 1024 * 1024 }: MemoryStoreOptions = {}) {
    checkPositive("maxBytes", maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  get(key: string): string | null {
    checkKey(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    if (entry.expiresAt > Date.now()) return entry.value;
    this.#remove(key, entry);
    return null;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` for a value that is too large; `INVALID_HANDLE`, `INVALID_CALL`. */
  set(key: string, value: string, ttlSeconds: number): void {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const bytes = value.length * 2;
    if (bytes > this.#maxBytes) throw tooLarge(bytes, this.#maxBytes);
    this.delete(key);
    if (this.#bytes + bytes > this.#maxBytes) this.#makeRoom(bytes);
    this.#entries.set(key, { value, bytes, expiresAt: Date.now() + ttlSeconds * 1000 });
    this.#bytes += bytes;
  }

  /** @throws {ToolshapeError} `INVALID_HANDLE` for an invalid key. */
  delete(key: string): void {
    checkKey(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(key, entry);
  }

  /** Deletes expired entries, then the oldest, until so many more bytes fit. */
  #makeRoom(bytes: number): void {
    const now = Date.now();
    for (const [key, entry] of this.#entries) if (entry.expiresAt <= now) this.#remove(key, entry);
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + bytes <= this.#maxBytes) return;
      this.#remove(key, entry);
    }
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
