// A folder that only this user can open, and that is a store's. Its files are read and written whole, and never through
// a link.
//
// On Linux each name is resolved from the open folder (`/proc/self/fd`, because Node has no `openat`), so that a change
// of the folder's path has no effect. Elsewhere names are paths; after each step that depends on it, the path must still
// lead to the folder that was opened.

import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { lstat, open, readdir, rename, unlink, type FileHandle } from "node:fs/promises";
import { isMarked } from "./marker.js";
import { isOwn, isOwnFile, NO_LINKS } from "./own_file.js";
import { storeFailed } from "./store.js";

/** The temporary names: files that are being written or deleted. */
export const ASIDE = /^\.[0-9a-f]{32}\.part$/;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY } = constants;
// Deno asks the user before it opens anything in /proc.
const HAS_PROC = process.platform === "linux" && !("Deno" in globalThis);

/** A file's expiry is its modification time, in seconds since 1970. */
export class Folder {
  readonly #path: string;
  readonly #stats: Stats;
  readonly #fd: number | undefined;
  /** Where the names are. */
  readonly #base: string;

  private constructor(path: string, stats: Stats, fd: number | undefined) {
    [this.#path, this.#stats, this.#fd] = [path, stats, fd];
    const byNumber = `/proc/self/fd/${fd}`;
    this.#base = HAS_PROC && fd !== undefined && isSame(statsOf(`${byNumber}/.`), stats) ? byNumber : path;
  }

  /**
   * Opens a store's folder. With `make`, creates it (0700) if it does not exist, and an empty one becomes a store's;
   * else null for both.
   *
   * @throws {ToolshapeError} `STORE_FAILED` for a link, a folder of another user or of another use, a folder that others
   * may open.
   */
  static open(path: string, make: boolean): Folder | null {
    let stats = statsOf(path);
    if (stats === undefined) {
      if (!make) return null;
      // Also folders above it, which are nobody else's either.
      mkdirSync(path, { recursive: true, mode: 0o700 });
      stats = statsOf(path);
    }
    checkFolder(stats);
    const fd = HAS_PROC ? openSync(path, O_RDONLY | O_DIRECTORY | NO_LINKS) : undefined;
    try {
      const found = fd === undefined ? stats : fstatSync(fd);
      checkFolder(found);
      const folder = new Folder(path, found, fd);
      if (isMarked((name) => folder.#at(name), make)) return folder;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      throw error;
    }
    if (fd !== undefined) closeSync(fd);
    return null;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /** The whole file; null if there is none, it has expired, or it was not written by a store of this user. */
  async read(name: string): Promise<string | null> {
    const file = await this.#open(name);
    return file && closing(file.handle, () => file.handle.readFile("utf8"));
  }

  /** Whether the file has these bytes already; its expiry is then extended. */
  async prolong(name: string, bytes: Buffer, expires: number): Promise<boolean> {
    const file = await this.#open(name);
    if (file === null) return false;
    const { handle, stats } = file;
    return closing(handle, async () => {
      if (stats.size !== bytes.length || !bytes.equals(await handle.readFile())) return false;
      if (expires * 1000 > stats.mtimeMs) await handle.utimes(Date.now() / 1000, expires);
      // A concurrent sweep may have deleted it; a later sweep sees the new time and keeps it.
      return (await this.stat(name))?.ino === stats.ino;
    });
  }

  /**
   * Writes a file in place of any other: to a temporary name, flushed to the disk, then renamed, so that the name has
   * all of it or nothing.
   */
  async write(name: string, bytes: Buffer, expires: number): Promise<void> {
    const aside = newAside();
    const handle = await open(this.#at(aside), O_WRONLY | O_CREAT | O_EXCL | NO_LINKS, 0o600);
    try {
      await closing(handle, async () => {
        this.#confirm();
        await handle.writeFile(bytes);
        await handle.utimes(Date.now() / 1000, expires);
        // A disk may report only now that it is full. The folder is not flushed: after a power failure a result may be
        // missing, but not partial.
        await handle.sync();
      });
      await this.#rename(aside, name);
    } catch (error) {
      await unlink(this.#at(aside)).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Deletes a file, if it exists; with `judged`, only if it has not changed since, because another process may just
   * have stored the same result again. Whether it did.
   */
  async remove(name: string, judged?: Stats): Promise<boolean> {
    if (judged === undefined) {
      this.#confirm();
      return (await unlink(this.#at(name)).catch(unlessAbsent)) !== null;
    }
    // The rename takes the old file or the new one, and the check afterwards shows which.
    const aside = newAside();
    if ((await this.#rename(name, aside).catch(unlessAbsent)) === null) return false;
    const stats = await lstat(this.#at(aside));
    if (stats.mtimeMs === judged.mtimeMs && stats.ino === judged.ino) {
      await unlink(this.#at(aside));
      return true;
    }
    await this.#rename(aside, name);
    return false;
  }

  /** The names in the folder. */
  async names(): Promise<string[]> {
    const names = await readdir(this.#at("."));
    this.#confirm();
    return names;
  }

  /** The status of a name, without following a link; null if it does not exist. */
  async stat(name: string): Promise<Stats | null> {
    return lstat(this.#at(name)).catch(unlessAbsent);
  }

  /** Opens a file that a store of this user wrote and that has not expired. */
  async #open(name: string): Promise<{ handle: FileHandle; stats: Stats } | null> {
    let handle: FileHandle;
    try {
      handle = await open(this.#at(name), O_RDONLY | NO_LINKS);
    } catch (error) {
      // Stores create no links, so a link counts as absent.
      if (isCode(error, "ELOOP", "EMLINK")) return null;
      return unlessAbsent(error);
    }
    try {
      this.#confirm();
      const stats = await handle.stat();
      if (isOwnFile(stats) && stats.mtimeMs > Date.now()) return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return null;
  }

  async #rename(from: string, to: string): Promise<void> {
    this.#confirm();
    await rename(this.#at(from), this.#at(to));
  }

  #at(name: string): string {
    // Not `join`, which would leave out the dot that follows the link of /proc.
    return `${this.#base}/${name}`;
  }

  /** Where names are paths: whether the path is still this folder's. */
  #confirm(): void {
    if (this.#base === this.#path && !isSame(statsOf(this.#path), this.#stats))
      throw storeFailed("the folder was replaced");
  }
}

/** Refuses a folder that other users could write to. */
function checkFolder(stats: Stats | undefined): asserts stats is Stats {
  if (!stats?.isDirectory()) throw storeFailed(`the folder is ${stats?.isSymbolicLink() ? "a link" : "none"}`);
  if (!isOwn(stats)) throw storeFailed("the folder belongs to another user");
  const mode = stats.mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw storeFailed(
      `the folder is open to others (mode 0${mode.toString(8)}): name one that only its owner may open (0700)`,
    );
  }
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isSame(one: Stats | undefined, other: Stats): boolean {
  return one?.ino === other.ino && one.dev === other.dev;
}

function newAside(): string {
  return `.${randomBytes(16).toString("hex")}.part`;
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
