// What a process has put into a store: how much, whose, until when; and what is evicted for a new value.
//
// First goes what has expired; then the writer's own oldest, where it is over its share; then the oldest of those who
// have the most. What an owner has within an equal part of the store (its size, divided by its owners) is never evicted
// for another's value: the value is refused instead.

import { Queue } from "./queue.js";
import { checkNames, checkPart, checkPositive, storeFailed } from "./store.js";

// Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options

/** How much a store keeps. */
export interface StoreLimits {
  /** Maximum bytes of all values together. Default: 128 MiB in memory, 1 GiB elsewhere. */
  readonly maxBytes?: number | undefined;
  /** Maximum bytes of one value; a larger one is not stored. Default: 64 MiB. */
  readonly maxValueBytes?: number | undefined;
  /**
   * Maximum share of `maxBytes` that one owner may have: each `scope` is an owner, and calls without a scope are one.
   * Default: 1.
   */
  readonly maxShare?: number | undefined;
}

// The default limits in bytes: of all values in memory, of all values elsewhere, and of one value.
export const MEMORY_BYTES = 128 * 1024 * 1024;
export const STORE_BYTES = 1024 * 1024 * 1024;
export const VALUE_BYTES = 64 * 1024 * 1024;

// The end of the generated part.

/** A value on its way into a store. */
export interface Incoming {
  readonly key: string;
  readonly bytes: number;
  /** Opaque; undefined is an owner too. */
  readonly owner?: string | undefined;
  readonly ttlSeconds: number;
}

/** A value in the account. */
export interface Entry {
  readonly key: string;
  readonly bytes: number;
  readonly owner: string;
  /** In seconds of `now`. */
  readonly expiresAt: number;
  readonly ttlSeconds: number;
  /** A value that is being written is not evicted: it would be deleted before it is there. */
  isPending: boolean;
}

/** What one owner has, the oldest first. */
interface Owner {
  bytes: number;
  readonly entries: Queue<Entry>;
}

/** The account of one store in one process. */
export class Ledger {
  readonly #maxBytes: number;
  readonly #maxValueBytes: number;
  readonly #share: number;
  #bytes = 0;
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, Owner>();
  /** Entries of one time to live expire in the order in which they were written. */
  readonly #byTtl = new Map<number, Queue<Entry>>();
  /** What is being deleted. */
  readonly #leaving = new Map<string, Promise<unknown>>();

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(limits: StoreLimits, defaultBytes: number) {
    checkNames("the limits of a store", limits, ["maxBytes", "maxValueBytes", "maxShare"]);
    const { maxBytes, maxValueBytes, maxShare = 1 } = limits;
    if (maxBytes !== undefined) checkPositive("maxBytes", maxBytes);
    if (maxValueBytes !== undefined) checkPositive("maxValueBytes", maxValueBytes);
    checkPart("maxShare", maxShare);
    this.#maxBytes = maxBytes ?? defaultBytes;
    this.#maxValueBytes = maxValueBytes ?? VALUE_BYTES;
    this.#share = this.#maxBytes * maxShare;
  }

  /** @throws {ToolshapeError} `STORE_FAILED` for a value that is too large even for an empty store. */
  check(bytes: number): void {
    const over = (most: number, whose: string) =>
      storeFailed(`the value has ${bytes} bytes, more than the ${Math.floor(most)} of ${whose}`);
    if (bytes > this.#maxBytes) throw over(this.#maxBytes, "the whole store");
    if (bytes > this.#maxValueBytes) throw over(this.#maxValueBytes, "one value");
    if (bytes > this.#share) throw over(this.#share, "one owner");
  }

  /** Whether a value was entered and has not expired. */
  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > now();
  }

  /** Takes out everything that has expired. */
  takeExpired(): Entry[] {
    const [gone, time] = [[] as Entry[], now()];
    for (const entries of this.#byTtl.values()) {
      for (const entry of entries) {
        if (entry.expiresAt > time) break;
        if (!entry.isPending) gone.push(this.#take(entry));
      }
    }
    return gone;
  }

  /** Whether a value has room without anything giving way. */
  hasRoom(value: Incoming): boolean {
    const { own, total } = this.#after(value);
    return own <= this.#share && total <= this.#maxBytes;
  }

  /**
   * Evicts entries for a value. If any entry is evicted, enough are that only `left`, a
   * part, of the store is used.
   *
   * @throws {ToolshapeError} `STORE_FAILED` if too little may be evicted; then nothing is.
   */
  takeWay(value: Incoming, left = 1): Entry[] {
    if (this.hasRoom(value)) return [];
    return this.#givingWay(value, left).map((entry) => this.#take(entry));
  }

  /** Takes out what is too much already, for a store that others write to as well; `left` as in `takeWay`. */
  takeOver(left = 1): Entry[] {
    return this.takeWay({ key: "", bytes: 0, ttlSeconds: 1 }, left);
  }

  /** Enters a value, in place of one under the same key. */
  enter({ key, bytes, owner = "", ttlSeconds }: Incoming, isPending = false): Entry {
    this.forget(key);
    return this.#add({ key, bytes, owner, expiresAt: now() + ttlSeconds, ttlSeconds, isPending });
  }

  /** Takes out a value that was deleted. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#take(entry);
  }

  /**
   * Writes a value within the limits: `remove` deletes what is evicted, then `write` writes it.
   *
   * @throws {ToolshapeError} `STORE_FAILED`, and what `remove` and `write` throw.
   */
  async keep(value: Incoming, remove: (key: string) => Promise<unknown>, write: () => Promise<unknown>): Promise<void> {
    this.check(value.bytes);
    // Else it might be deleted after it was written.
    while (this.#leaving.has(value.key)) await this.#leaving.get(value.key);
    const gone = this.takeExpired();
    const before = this.#entries.get(value.key);
    let entry: Entry;
    try {
      gone.push(...this.takeWay(value));
      entry = this.enter(value, true);
    } catch (error) {
      await this.#removeAll(gone, remove);
      throw error;
    }
    try {
      await this.#removeAll(gone, remove);
      await write();
      entry.isPending = false;
      // A second write of the same value may have failed meanwhile.
      if (!this.#entries.has(value.key)) this.#add(entry);
    } catch (error) {
      // The previous entry may still be there.
      if (this.#entries.get(value.key) === entry) {
        this.#take(entry);
        if (before !== undefined && !before.isPending) this.#add(before);
      }
      throw error;
    }
  }

  async #removeAll(gone: readonly Entry[], remove: (key: string) => Promise<unknown>): Promise<void> {
    const removing = gone.map(async (entry) => {
      const removed = remove(entry.key);
      // Those who wait for it have no use for its error.
      this.#leaving.set(
        entry.key,
        removed.catch(() => undefined),
      );
      try {
        await removed;
      } catch (error) {
        if (!this.#entries.has(entry.key)) this.#add(entry);
        throw error;
      } finally {
        this.#leaving.delete(entry.key);
      }
    });
    const failed = (await Promise.allSettled(removing)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  #givingWay(value: Incoming, left: number): Entry[] {
    const { own, total, before } = this.#after(value);
    const gone = new Set<Entry>();
    let freed = 0;
    const yields = (owner: Owner, bytes: number, most: number, isEnough: () => boolean): void => {
      for (const entry of owner.entries) {
        if (bytes <= most || isEnough()) return;
        if (entry.isPending || entry === before || gone.has(entry)) continue;
        gone.add(entry);
        bytes -= entry.bytes;
        freed += entry.bytes;
      }
    };
    const writer = this.#owners.get(value.owner ?? "");
    if (writer !== undefined && own > this.#share) yields(writer, own, this.#share * left, () => false);
    const stays = own - freed;
    const goal = this.#maxBytes * left;
    if (total - freed > this.#maxBytes) {
      const others = [...this.#owners.values()].filter((owner) => owner !== writer);
      const sizes = others.map(({ bytes }) => bytes);
      let most = level([...sizes, stays], goal);
      const isEnough = () => total - freed <= goal;
      if (writer !== undefined) yields(writer, stays, Math.max(most, value.bytes), isEnough);
      // For a large value, owners with more than an equal share may lose more.
      if (value.bytes > most) most = Math.max(level(sizes, goal - value.bytes), this.#maxBytes / (sizes.length + 1));
      others.sort((one, other) => other.bytes - one.bytes);
      for (const owner of others) yields(owner, owner.bytes, most, isEnough);
    }
    if (total - freed > this.#maxBytes || own > this.#share + freed) {
      throw storeFailed(`the store has no room left for a value of ${value.bytes} bytes`);
    }
    return [...gone];
  }

  /** What the owner, and all together, have with a value; and what it replaces. */
  #after({ key, bytes, owner = "" }: Incoming): { own: number; total: number; before: Entry | undefined } {
    const before = this.#entries.get(key);
    const own = (this.#owners.get(owner)?.bytes ?? 0) - (before?.owner === owner ? before.bytes : 0) + bytes;
    return { own, total: this.#bytes - (before?.bytes ?? 0) + bytes, before };
  }

  #add(entry: Entry): Entry {
    const owner = this.#owners.get(entry.owner) ?? { bytes: 0, entries: new Queue<Entry>() };
    this.#owners.set(entry.owner, owner);
    owner.entries.add(entry);
    owner.bytes += entry.bytes;
    this.#bytes += entry.bytes;
    this.#entries.set(entry.key, entry);
    const alike = this.#byTtl.get(entry.ttlSeconds) ?? new Queue<Entry>();
    this.#byTtl.set(entry.ttlSeconds, alike);
    alike.add(entry);
    return entry;
  }

  #take(entry: Entry): Entry {
    const owner = this.#owners.get(entry.owner);
    if (owner !== undefined) {
      owner.entries.delete(entry);
      owner.bytes -= entry.bytes;
      if (owner.entries.size === 0) this.#owners.delete(entry.owner);
    }
    this.#bytes -= entry.bytes;
    this.#entries.delete(entry.key);
    const alike = this.#byTtl.get(entry.ttlSeconds);
    alike?.delete(entry);
    if (alike?.size === 0) this.#byTtl.delete(entry.ttlSeconds);
    return entry;
  }
}

/** The most that each may keep, so that all have `most` together: who has less keeps all of it. */
function level(sizes: readonly number[], most: number): number {
  let left = most;
  const ascending = [...sizes].sort((one, other) => one - other);
  for (const [at, size] of ascending.entries()) {
    const part = left / (ascending.length - at);
    if (size > part) return Math.max(part, 0);
    left -= size;
  }
  return Infinity;
}

/** Seconds of a clock that nobody sets. */
function now(): number {
  return performance.now() / 1000;
}
