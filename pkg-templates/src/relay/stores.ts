// The stores that a command line can name.

import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import type { RelayStore } from "../core.js";
import { FileStore } from "../stores/file.js";
import type { Store } from "../stores/store.js";
import { UnstorageStore, type UnstorageLike } from "../stores/unstorage.js";

/** The store; null for none, undefined for the memory of this process. */
export function storeOf(place: RelayStore): Store | null | undefined {
  if (place === null) return null;
  if (place === "memory") return undefined;
  return "folder" in place ? new FileStore(expanded(place.folder)) : redis(place.redis);
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
