// What every store does alike: ours, and the stores of others behind our adapters.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createKeyv } from "@keyv/redis";
import { Redis } from "ioredis";
import { Keyv } from "keyv";
import { MemoryStore } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import redisDriver from "unstorage/drivers/redis";
import { limitTests } from "./limits.mjs";
import { HOSTILE_KEYS, keyOf, TEXTS } from "./keys.mjs";
import { newPath, sleep } from "./scratch.mjs";
import { url } from "./redis.mjs";

const storage = createStorage({ driver: redisDriver({ url, base: "unstorage" }) });
const keyv = createKeyv(url, { namespace: "keyv" });
const redis = new Redis(url);
after(async () => {
  await storage.dispose();
  await keyv.disconnect();
  redis.disconnect();
});

/** Each store, with limits if they are given. */
const MAKE = {
  memory: (limits) => new MemoryStore(limits),
  files: (limits) => new FileStore(newPath(), limits),
  "unstorage, memory": (limits) => new UnstorageStore(createStorage(), limits),
  "unstorage, fs": (limits) => new UnstorageStore(createStorage({ driver: fsDriver({ base: newPath() }) }), limits),
  "unstorage, Redis": (limits) => new UnstorageStore(storage, limits),
  "keyv, Map": (limits) => new KeyvStore(new Keyv(), limits),
  "keyv, Redis": (limits) => new KeyvStore(keyv, limits),
};
const STORES = Object.fromEntries(Object.entries(MAKE).map(([name, make]) => [name, make()]));

for (const [name, store] of Object.entries(STORES)) {
  describe(name, () => {
    for (const [what, text] of Object.entries(TEXTS)) {
      test(`${what} comes back as it went in`, async () => {
        const key = keyOf(text, what.includes("JSON") ? "json" : "txt");
        assert.equal((await store.get(key)) ?? null, null);
        await store.set(key, text, 60);
        assert.ok((await store.get(key)) === text);
        await store.set(key, text, 60);
        assert.ok((await store.get(key)) === text);
        await store.delete(key);
        assert.equal((await store.get(key)) ?? null, null);
        await store.delete(key);
      });
    }

    test("a hostile key is refused", async () => {
      for (const key of HOSTILE_KEYS) {
        for (const work of [() => store.get(key), () => store.set(key, "x", 60), () => store.delete(key)]) {
          await assert.rejects(
            async () => work(),
            { name: "ToolshapeError", code: "INVALID_HANDLE" },
            String(key).slice(0, 80),
          );
        }
      }
    });

    test("an invalid time to live is rejected", async () => {
      for (const ttl of [0, -1, NaN, Infinity, "60", undefined, null]) {
        await assert.rejects(async () => store.set(keyOf("x"), "x", ttl), {
          code: "INVALID_CALL",
          path: "/ttlSeconds",
        });
      }
      assert.equal((await store.get(keyOf("x"))) ?? null, null);
    });

    test("the record of a handle comes back too", async () => {
      await store.set("abcdefghijklmnop.handle", "{}", 60);
      assert.equal(await store.get("abcdefghijklmnop.handle"), "{}");
      await store.delete("abcdefghijklmnop.handle");
    });

    test("a value is gone when its seconds are over", async () => {
      const [short, long] = [keyOf("short"), keyOf("long")];
      await store.set(short, "short", 1);
      await store.set(long, "long", 30);
      assert.equal(await store.get(short), "short");
      await sleep(1300);
      assert.equal((await store.get(short)) ?? null, null);
      assert.equal(await store.get(long), "long");
    });

    limitTests(MAKE[name], name === "memory" ? 2 : 1);
  });
}

test("seconds are seconds to Redis, behind both adapters", async () => {
  const key = keyOf("ttl");
  await STORES["unstorage, Redis"].set(key, "ttl", 90.5);
  await STORES["keyv, Redis"].set(key, "ttl", 90.5);
  const [one, other] = [await redis.pttl(`unstorage:${key}`), await redis.pttl(`keyv::${key}`)];
  assert.ok(one > 85_000 && one <= 91_000, String(one));
  assert.ok(other > 85_000 && other <= 90_500, String(other));
});

test("Redis contains the text, or a mapping that Python reads too", async () => {
  const text = TEXTS["JSON with every spelling of a number"];
  const key = keyOf(text);
  await STORES["unstorage, Redis"].set(key, text, 60);
  assert.equal(await redis.get(`unstorage:${key}`), text);
  await STORES["keyv, Redis"].set(key, text, 60);
  assert.deepEqual(JSON.parse(await redis.get(`keyv::${key}`)).value, { content: text });
  // As py-key-value-aio writes it.
  const content = "made elsewhere";
  const entry = { created_at: "2026-11-20T00:00:00+00:00", collection: "keyv", version: 1, value: { content } };
  await redis.set(`keyv::${keyOf(content, "txt")}`, JSON.stringify(entry), "EX", 60);
  assert.equal(await STORES["keyv, Redis"].get(keyOf(content, "txt")), content);
});

test("a driver that keeps nothing, or parses, is found out", async () => {
  const readOnly = new UnstorageStore(
    createStorage({ driver: { name: "read only", hasItem: () => false, getItem: () => null, getKeys: () => [] } }),
  );
  await assert.rejects(readOnly.set(keyOf("x"), "x", 60), { code: "STORE_FAILED" });
  const parsing = createStorage({
    driver: { name: "parsing", hasItem: () => true, getItem: () => ({ a: 1 }), setItem() {}, getKeys: () => [] },
  });
  await assert.rejects(new UnstorageStore(parsing).get(keyOf("x")), { code: "STORE_FAILED" });
  const foreign = new Keyv();
  await foreign.set(keyOf("x"), "a bare text");
  await assert.rejects(new KeyvStore(foreign).get(keyOf("x")), { code: "STORE_FAILED" });
});
