// Results whole in a store: what a result tells of the store is true, or the result tells that it is not.

import { handleKeys } from "./handle.js";
import type { Shaped } from "./shaped.js";
import type { Shaper } from "./shaper.js";
import { checkPositive, reason, storeFailed, type Store } from "./stores/store.js";
import type { Call } from "./types.js";

/** What an archive does with results. */
export interface ArchiveOptions {
  /**
   * Sees the text of a result before it is stored: JSON, minified, or plain text. Where it changes it, the result
   * is made anew from what it gave back. Where it throws, nothing is stored.
   */
  readonly redact?: ((content: string) => string | Promise<string>) | undefined;
  /** How long results are kept, in seconds. Default a day. */
  readonly ttlSeconds?: number | undefined;
  /** How long the store may take for one thing, in seconds; after that it has failed. Default 5. */
  readonly timeoutSeconds?: number | undefined;
  /** Told of every fault of the store, and of `redact`; the model is told in a few words. */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/** A call, but for what the archive says of the store. */
export type ArchiveCall = Omit<Call, "store" | "storeFailure">;

/**
 * Shapes as a shaper does, with a store: whatever a result leaves out is kept whole before the result is told.
 *
 * Where the store fails, the result says so and is shaped without; the call of the tool succeeds all the same.
 */
export class Archive {
  readonly #shaper: Shaper;
  readonly #store: Store;
  readonly #redact: NonNullable<ArchiveOptions["redact"]>;
  readonly #ttlSeconds: number;
  readonly #timeoutSeconds: number;
  readonly #onStoreError: NonNullable<ArchiveOptions["onStoreError"]>;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(shaper: Shaper, store: Store, options: ArchiveOptions = {}) {
    const { redact = (content) => content, ttlSeconds = 24 * 60 * 60, timeoutSeconds = 5, onStoreError = () => {} } = options;
    checkPositive("ttlSeconds", ttlSeconds);
    checkPositive("timeoutSeconds", timeoutSeconds);
    [this.#shaper, this.#store] = [shaper, store];
    [this.#redact, this.#onStoreError] = [redact, onStoreError];
    [this.#ttlSeconds, this.#timeoutSeconds] = [ttlSeconds, timeoutSeconds];
  }

  /**
   * As `Shaper.shape`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shape(value: unknown, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#kept(this.#shaper.shape(value, { ...call, store: true }), call);
  }

  /**
   * As `Shaper.shapeJson`.
   *
   * @throws {ToolshapeError} As that does; never for the store.
   */
  async shapeJson(text: string, call: ArchiveCall = {}): Promise<Shaped> {
    return this.#kept(this.#shaper.shapeJson(text, { ...call, store: true }), call);
  }

  /**
   * The result of a call that goes on in one that is stored: the tool need not run. Null where the call begins
   * anew, or what its cursor names is no longer there: run the tool, and `shape`.
   *
   * @throws {ToolshapeError} `INVALID_CALL`.
   */
  async snapshot(call: ArchiveCall = {}): Promise<Shaped | null> {
    const handle = this.#shaper.snapshot(call);
    if (handle === null) return null;
    try {
      for (const key of handleKeys(handle)) {
        const content = await this.#get(key);
        const shaped = content === null ? null : this.#shaper.shapeSnapshot(key, content, call);
        if (shaped !== null) return shaped;
      }
    } catch (error) {
      this.#tell(error);
    }
    return null;
  }

  /** The result, once the store has what it tells of; where that fails, one that tells so. */
  async #kept(shaped: Shaped, call: ArchiveCall): Promise<Shaped> {
    if (shaped.keep === null) return shaped;
    const { key, content } = shaped.keep;
    // Not from the value again, which may read otherwise the second time.
    const again = (text: string, extra: Call): Shaped =>
      key.endsWith(".json") ? this.#shaper.shapeJson(text, { ...call, ...extra }) : this.#shaper.shape(text, { ...call, ...extra });
    let told = content;
    try {
      const redacted = await this.#redact(content);
      const clean = redacted === content ? shaped : again(redacted, { store: true });
      told = redacted;
      const { keep } = clean;
      if (keep !== null) await this.#ask(() => this.#store.set(keep.key, keep.content, this.#ttlSeconds));
      return clean;
    } catch (error) {
      this.#tell(error);
      return again(told, { storeFailure: reason(error) });
    }
  }

  async #get(key: string): Promise<string | null> {
    const content = await this.#ask(() => this.#store.get(key));
    if (content === null || content === undefined || typeof content === "string") return content ?? null;
    throw storeFailed(`the store gave back ${typeof content} instead of text`);
  }

  /** What the store answers, if that is in time. */
  async #ask<T>(work: () => T | Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = storeFailed(`the store did not answer within ${this.#timeoutSeconds} seconds`);
      timer = setTimeout(reject, this.#timeoutSeconds * 1000, error);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#onStoreError(error);
    } catch {
      // What is wrong with the store does not break the tool, nor does what is wrong with telling so.
    }
  }
}
