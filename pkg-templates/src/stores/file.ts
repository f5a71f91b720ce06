// Stores each result as one file, `<64 hex>.json` or `.txt`, which contains the result's bytes and nothing else.
//
// A file's modification time is its expiry, so that a sweep reads no file and every language uses the same time. It
// counts in hundredths of a second; the four digits below them are a number for the file's owner.

import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { ToolshapeError } from "../error.js";
import { checkText } from "../options.js";
import { ASIDE, Folder } from "./folder.js";
import { Ledger, STORE_BYTES, type Incoming, type StoreLimits } from "./ledger.js";
import { checkKey, checkPositive, KEY, storeFailed, type Store } from "./store.js";

/** A temporary file that is older was left by a process that died. */
const ASIDE_SECONDS = 3600;
/** The interval of sweeps, which find what other processes have written. */
const SWEEP_SECONDS = 60;
/** The part of the size that a sweep leaves, so that not every later write sweeps again. */
const LEFT = 0.9;
/** The number of owners that a file's time can express. */
const OWNERS = 10_000;

/**
 * Keeps results as files in a separate folder, for one or more processes of one user.
 *
 * A file `.toolshape-store` marks the folder. All files together have at most `maxBytes`, 1 GiB by default.
 */
export class FileStore implements Store {
  readonly #folder: string;
  readonly #limits: StoreLimits;
  /** The files at the last sweep, and what was written since. */
  #ledger: Ledger;
  /** What is being written: a sweep may not see it yet. */
  readonly #writing = new Set<Incoming>();
  #sweptAt = -Infinity;
  #sweeping: Promise<void> = Promise.resolve();

  /**
   * Uses a folder, and creates it (0700) if it does not exist. A `~` at its start is the user's home.
   *
   * @throws {ToolshapeError} `STORE_FAILED` for a link, another user's folder, a folder that others may open, and a folder
   * that has files but is not a store; `INVALID_CALL`.
   */
  constructor(folder: string, limits: StoreLimits = {}) {
    // Also removes a slash at the end, which would follow a link.
    this.#folder = resolve(checkText(folder, "folder").replace(/^~(?=[/\\]|$)/, () => homedir()));
    this.#limits = limits;
    this.#ledger = this.#newLedger();
    try {
      Folder.open(this.#folder, true)?.close();
    } catch (error) {
      throw failed("the folder cannot be made", error);
    }
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it cannot be read; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    return this.#inside("the file cannot be read", false, null, (folder) => folder.read(key));
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it is not kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number, owner?: string): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const bytes = Buffer.from(value, "utf8");
    this.#ledger.check(bytes.length);
    const number = numberOf(owner);
    const incoming = { key, bytes: bytes.length, owner: String(number), ttlSeconds: Infinity };
    await this.#inside("the file cannot be written", true, undefined, async (folder) => {
      const expires = expiryOf(Date.now() / 1000 + ttlSeconds, number);
      if (await folder.prolong(key, bytes, expires)) return;
      try {
        await this.#makeRoom(folder, incoming);
        await folder.write(key, bytes, expires);
      } finally {
        this.#writing.delete(incoming);
      }
    });
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it cannot be deleted; `INVALID_HANDLE`. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#inside("the file cannot be deleted", false, false, (folder) => folder.remove(key));
    this.#ledger.forget(key);
  }

  /**
   * Deletes expired files and files that a killed process left, then those that expire next until the folder is within
   * its limits. Writes do this automatically, once a minute or when the folder is full.
   *
   * @throws {ToolshapeError} `STORE_FAILED`.
   */
  async sweep(): Promise<void> {
    await this.#inside("the folder cannot be swept", false, undefined, (folder) => this.#sweep(folder));
  }

  /** Sweeps if it is time, or if a value has no room; one sweep after the other. */
  #makeRoom(folder: Folder, incoming: Incoming): Promise<void> {
    const work = async (): Promise<void> => {
      const isDue = !this.#ledger.hasRoom(incoming) || performance.now() > this.#sweptAt + SWEEP_SECONDS * 1000;
      // A value may be kept even if the sweep fails; the next write sweeps again.
      if (isDue) await this.#sweep(folder, incoming).catch(unlessRefused);
      this.#ledger.enter(incoming);
      this.#writing.add(incoming);
    };
    const done = this.#sweeping.then(work);
    this.#sweeping = done.catch(() => undefined);
    return done;
  }

  /** Sweeps, and makes room for a value. */
  async #sweep(folder: Folder, incoming?: Incoming): Promise<void> {
    const now = Date.now();
    const writing = [...this.#writing];
    const files: { name: string; stats: Stats }[] = [];
    for (const name of await folder.names()) {
      const isAside = ASIDE.test(name);
      if (!isAside && !KEY.test(name)) continue;
      const stats = await folder.stat(name);
      if (stats === null || !stats.isFile()) continue;
      if (isAside) {
        // Not the modification time, which is in the future.
        if (now - stats.ctimeMs > ASIDE_SECONDS * 1000) await folder.remove(name);
      } else if (stats.mtimeMs <= now) {
        await folder.remove(name, stats);
      } else {
        files.push({ name, stats });
      }
    }
    files.sort((one, other) => one.stats.mtimeMs - other.stats.mtimeMs);
    const ledger = this.#newLedger();
    const found = new Map(files.map(({ name, stats }) => [name, stats]));
    for (const [key, stats] of found) {
      // The files say themselves when they expire.
      ledger.enter({ key, bytes: stats.size, owner: ownerOf(stats), ttlSeconds: Infinity });
    }
    for (const other of writing) ledger.enter(other, true);
    const gone = incoming === undefined ? ledger.takeOver(LEFT) : ledger.takeWay(incoming, LEFT);
    for (const { key } of gone) await folder.remove(key, found.get(key));
    [this.#ledger, this.#sweptAt] = [ledger, performance.now()];
  }

  #newLedger(): Ledger {
    return new Ledger(this.#limits, STORE_BYTES);
  }

  /** Works in the open folder; `absent` if there is none and it is not to be made. */
  async #inside<T>(what: string, make: boolean, absent: T, work: (folder: Folder) => Promise<T>): Promise<T> {
    try {
      const folder = Folder.open(this.#folder, make);
      if (folder === null) return absent;
      try {
        return await work(folder);
      } finally {
        folder.close();
      }
    } catch (error) {
      throw failed(what, error);
    }
  }
}

function failed(what: string, error: unknown): ToolshapeError {
  return error instanceof ToolshapeError ? error : storeFailed(what, error);
}

function unlessRefused(error: unknown): void {
  if (error instanceof ToolshapeError) throw error;
}

/** A number for an owner, the same in every language and process. */
function numberOf(owner = ""): number {
  return createHash("sha256").update(owner).digest().readUInt32BE(0) % OWNERS;
}

/** A time in seconds with the number of an owner, and half a microsecond, because times are cut there. */
function expiryOf(seconds: number, owner: number): number {
  return (Math.floor(seconds * 100) * OWNERS + owner + 0.5) / 1e6;
}

/** Whose file it is. */
function ownerOf({ mtimeMs }: Stats): string {
  return String(Math.floor(mtimeMs * 1000 + 0.5) % OWNERS);
}
