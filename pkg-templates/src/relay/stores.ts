// The stores that a command line can name.

import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { RelayStore } from "../core.js";
import { FileStore } from "../stores/file.js";
import type { Store } from "../stores/store.js";
import { UnstorageStore, type UnstorageLike } from "../stores/unstorage.js";

/** The store; null for none, undefined for the memory of this process. */
export function storeOf(place: RelayStore): Store | null | undefined {
  if (place === null) return null;
  if (place === "memory") return undefined;
  if (place === "cache") return cache();
  return "folder" in place ? new FileStore(expanded(place.folder)) : redis(place.redis);
}

/**
 * The store of processes that may live for one call: a folder in the user's cache, which all relays share; undefined, for
 * memory, if there cannot be one.
 */
function cache(): Store | undefined {
  try {
    const folder = cacheFolder();
    mkdirSync(folder, { recursive: true });
    return new FileStore(join(folder, "toolshape"));
  } catch {
    return undefined;
  }
}

/** The same as `cache_folder` of the native program. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME: own, LOCALAPPDATA: local } = process.env;
  if (own !== undefined && isAbsolute(own)) return own;
  if (process.platform === "win32" && local !== undefined) return local;
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}

/** A path in which `~/` at the start is the user's home: hosts start commands without a shell. */
function expanded(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/** A Redis, with the bare text under `toolshape:<key>`, as the native program and the packages' stores keep it. */
function redis(url: string): Store {
  const { createStorage } = load<{ createStorage(options: { driver: unknown }): UnstorageLike }>("unstorage");
  // For `require` a driver is the module itself, for `import` its default.
  const drivers = load<Driver & { default?: Driver }>("unstorage/drivers/redis");
  const driver = drivers.default ?? drivers;
  return new UnstorageStore(createStorage({ driver: driver({ url, base: "toolshape" }) }));
}

type Driver = (options: { url: string; base: string }) => unknown;

/** A package that the user has: next to this one, or in the folder in which the program was started. */
function load<T>(name: string): T {
  for (const from of [__filename, join(process.cwd(), "_")]) {
    try {
      return createRequire(from)(name) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(
    "a store in Redis requires two more packages: npx -p toolshape -p unstorage -p ioredis@5 toolshape …",
  );
}
