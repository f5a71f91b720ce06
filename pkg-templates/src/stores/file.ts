// Stores each result as one file, `<64 hex>.json` or `.txt`, which contains the result's bytes and nothing else.
//
// No process sees a partial file, and no link is followed. A value is written to a new temporary name, flushed, and
// renamed to its own name. A file is accepted only if it is a regular file of this user with a single hard link; the
// folder only if it is a real folder that no other user can open. A file's modification time is its expiry, so that a
// sweep reads no file and every language uses the same time.

import { randomBytes } from "node:crypto";
import { constants, lstatSync, mkdirSync, type Stats } from "node:fs";
import { lstat, open, readdir, rename, unlink, type FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ToolshapeError } from "../error.js";
import { checkKey, checkPositive, KEY, storeFailed, tooLarge, type Store } from "./store.js";

/** How large a folder may grow. */
export interface FileStoreOptions {
  /** The most bytes of all files together. Default 1 GiB. */
  readonly maxBytes?: number | undefined;
}

/** The temporary names: files that are being written or deleted. */
const ASIDE = /^\.[0-9a-f]{32}\.part$/;
/** A temporary file that is older was left by a process that died. */
const ASIDE_SECONDS = 3600;
/** The interval of sweeps, which find what other processes have written. */
const SWEEP_SECONDS = 60;
/** The part of the size that a sweep leaves, so that not every later write sweeps again. */
const LEFT = 0.9;

// On platforms without these flags, the checks after opening must be enough.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const NO_LINKS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Keeps results as files in a separate folder, for one or more processes of one user. */
export class FileStore implements Store {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** The size at the last sweep, plus what was written since. */
  #bytes = Infinity;
  #sweptAt = 0;
  #sweeping: Promise<void> | undefined;

  /**
   * Uses a folder, and creates it (0700) if it does not exist.
   *
   * @throws {ToolshapeError} `STORE_FAILED` for a link, another user's folder or a folder that others may open;
   * `INVALID_CALL`.
   */
  constructor(folder: string, { maxBytes = 1024 * 1024 * 1024 }: FileStoreOptions = {}) {
    checkPositive("maxBytes", maxBytes);
    // Also removes a slash at the end, which would follow a link.
    this.#folder = resolve(folder);
    this.#maxBytes = maxBytes;
    this.#ensureFolder();
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it cannot be read; `INVALID_HANDLE`. */
  async get(key: string): Promise<string | null> {
    checkKey(key);
    return this.#attempt("the file cannot be read", async () => {
      if (!this.#checkFolder()) return null;
      const file = await this.#openOwn(key);
      return file && closing(file.handle, () => file.handle.readFile("utf8"));
    });
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it is not kept; `INVALID_HANDLE`, `INVALID_CALL`. */
  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    checkKey(key);
    checkPositive("ttlSeconds", ttlSeconds);
    const bytes = Buffer.from(value, "utf8");
    if (bytes.length > this.#maxBytes) throw tooLarge(bytes.length, this.#maxBytes);
    await this.#attempt("the file cannot be written", async () => {
      this.#ensureFolder();
      const expires = Date.now() / 1000 + ttlSeconds;
      if (await this.#renew(key, bytes, expires)) return;
      this.#bytes += bytes.length;
      const due = this.#bytes > this.#maxBytes || Date.now() > this.#sweptAt + SWEEP_SECONDS * 1000;
      // A value may be kept even if the sweep fails; the next write sweeps again.
      if (due) await this.#sweep(bytes.length).catch(() => undefined);
      await this.#write(key, bytes, expires);
    });
  }

  /** @throws {ToolshapeError} `STORE_FAILED` if it cannot be deleted; `INVALID_HANDLE`. */
  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#attempt("the file cannot be deleted", async () => {
      if (this.#checkFolder()) await unlink(join(this.#folder, key)).catch(unlessAbsent);
    });
  }

  /**
   * Deletes expired files and files that a killed process left, then those that expire next until the folder is within
   * its size. Writes do this automatically, once a minute or when the folder is full.
   *
   * @throws {ToolshapeError} `STORE_FAILED`.
   */
  async sweep(): Promise<void> {
    await this.#attempt("the folder cannot be swept", () => this.#sweep(0));
  }

  /** Opens a file that may be read and has not expired; null if there is none. */
  async #openOwn(key: string): Promise<{ handle: FileHandle; stats: Stats } | null> {
    let handle: FileHandle;
    try {
      handle = await open(join(this.#folder, key), O_RDONLY | NO_LINKS);
    } catch (error) {
      // This store does not create links, so a link counts as absent.
      if (isCode(error, "ELOOP", "EMLINK")) return null;
      return unlessAbsent(error);
    }
    try {
      const stats = await handle.stat();
      if (isOwn(stats) && stats.isFile() && stats.nlink === 1 && stats.mtimeMs > Date.now()) return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return null;
  }

  /** Whether the file has the same bytes already; its expiry is then extended. */
  async #renew(key: string, bytes: Buffer, expires: number): Promise<boolean> {
    const file = await this.#openOwn(key);
    if (file === null) return false;
    const { handle, stats } = file;
    return closing(handle, async () => {
      if (stats.size !== bytes.length || !bytes.equals(await handle.readFile())) return false;
      if (expires * 1000 > stats.mtimeMs) await handle.utimes(Date.now() / 1000, expires);
      // A concurrent sweep may have deleted it; a later sweep sees the new time and keeps it.
      return (await lstat(join(this.#folder, key)).catch(unlessAbsent))?.ino === stats.ino;
    });
  }

  async #write(key: string, bytes: Buffer, expires: number): Promise<void> {
    const aside = this.#newAside();
    const handle = await open(aside, O_WRONLY | O_CREAT | O_EXCL | NO_LINKS, 0o600);
    try {
      await closing(handle, async () => {
        await handle.writeFile(bytes);
        await handle.utimes(Date.now() / 1000, expires);
        // A disk may report only now that it is full. The folder is not flushed: after a power failure a result may be
        // missing, but not partial.
        await handle.sync();
      });
      await rename(aside, join(this.#folder, key));
    } catch (error) {
      await unlink(aside).catch(() => undefined);
      throw error;
    }
  }

  /** Runs one sweep at a time; concurrent callers wait for its end. */
  #sweep(room: number): Promise<void> {
    return (this.#sweeping ??= this.#sweepNow(room).finally(() => (this.#sweeping = undefined)));
  }

  /** Makes room for so many bytes. */
  async #sweepNow(room: number): Promise<void> {
    if (!this.#checkFolder()) return;
    const now = Date.now();
    const files: { name: string; stats: Stats }[] = [];
    let total = room;
    for (const name of await readdir(this.#folder)) {
      const isAside = ASIDE.test(name);
      if (!isAside && !KEY.test(name)) continue;
      const stats = await lstat(join(this.#folder, name)).catch(unlessAbsent);
      if (stats === null || stats.isDirectory()) continue;
      if (isAside) {
        // Not the modification time, which is in the future.
        if (now - stats.ctimeMs > ASIDE_SECONDS * 1000) await unlink(join(this.#folder, name)).catch(unlessAbsent);
      } else if (stats.mtimeMs <= now) {
        await this.#remove(name, stats);
      } else {
        files.push({ name, stats });
        total += stats.size;
      }
    }
    if (total > this.#maxBytes) {
      files.sort((one, other) => one.stats.mtimeMs - other.stats.mtimeMs);
      for (const { name, stats } of files) {
        if (total <= this.#maxBytes * LEFT) break;
        if (await this.#remove(name, stats)) total -= stats.size;
      }
    }
    [this.#bytes, this.#sweptAt] = [total, now];
  }

  /** Deletes a file unless it has changed since: another process may just have stored the same result again. */
  async #remove(name: string, { mtimeMs, ino }: Stats): Promise<boolean> {
    const [path, aside] = [join(this.#folder, name), this.#newAside()];
    if ((await rename(path, aside).catch(unlessAbsent)) === null) return false;
    const stats = await lstat(aside);
    if (stats.mtimeMs === mtimeMs && stats.ino === ino) {
      await unlink(aside);
      return true;
    }
    await rename(aside, path);
    return false;
  }

  #newAside(): string {
    return join(this.#folder, `.${randomBytes(16).toString("hex")}.part`);
  }

  #ensureFolder(): void {
    if (this.#checkFolder()) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw storeFailed("the folder cannot be made", error);
    }
    this.#checkFolder();
  }

  /** Refuses a folder that other users could write to. False if there is none. */
  #checkFolder(): boolean {
    let stats: Stats | undefined;
    try {
      stats = lstatSync(this.#folder, { throwIfNoEntry: false });
    } catch (error) {
      throw storeFailed("the folder cannot be read", error);
    }
    if (stats === undefined) return false;
    if (!stats.isDirectory()) throw storeFailed(`the folder is ${stats.isSymbolicLink() ? "a link" : "none"}`);
    if (!isOwn(stats)) throw storeFailed("the folder belongs to another user");
    const mode = stats.mode & 0o777;
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw storeFailed(`the folder is open to others (mode 0${mode.toString(8)}); it takes 0700`);
    }
    return true;
  }

  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ToolshapeError ? error : storeFailed(what, error);
    }
  }
}

function isOwn(stats: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || stats.uid === user;
}

async function closing<T>(handle: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

function unlessAbsent(error: unknown): null {
  if (isCode(error, "ENOENT")) return null;
  throw error;
}
