/** The stores that a result is kept in: none, and those of the documentation; Redis where `cargo xtask bench` found one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "toolshape";
import { FileStore } from "toolshape/file-store";

const url = process.env.TOOLSHAPE_REDIS_URL;
export const STORES = ["memory", "folder", ...(url ? ["Redis"] : [])];

const MAKERS = {
  memory: (limits) => new MemoryStore(limits),
  folder: (limits) => {
    const folder = mkdtempSync(join(tmpdir(), "toolshape-bench-"));
    process.on("exit", () => rmSync(folder, { recursive: true }));
    return new FileStore(folder, limits);
  },
  Redis: async (limits) => {
    const [{ createStorage }, { default: redisDriver }, { UnstorageStore }] = await Promise.all([
      import("unstorage"),
      import("unstorage/drivers/redis"),
      import("toolshape/unstorage"),
    ]);
    return new UnstorageStore(createStorage({ driver: redisDriver({ url, base: "toolshape" }) }), limits);
  },
};

/** A store with nothing in it, with its default limits or others. */
export async function newStore(name, limits = {}) {
  return MAKERS[name](limits);
}
