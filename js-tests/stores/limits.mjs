// What the limits of every store promise: of one value, of all, and of each owner.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "./keys.mjs";

let texts = 0;

/** A text of this many bytes that no other test has. */
function newText(bytes) {
  return `${texts++} `.padEnd(bytes, "x");
}

/** Tests a kind of store. `size` is how much of its limits a character takes. */
export function limitTests(make, size) {
  const put = async (store, owner, bytes, ttlSeconds = 60) => {
    const text = newText(bytes);
    await store.set(keyOf(text), text, ttlSeconds, owner);
    return keyOf(text);
  };
  const there = async (store, keys) =>
    (await Promise.all(keys.map((key) => store.get(key)))).map((text) => text !== null && text !== undefined);

  test("a value over a limit is rejected, and the others stay", async () => {
    const store = make({ maxBytes: 1000 * size, maxValueBytes: 200 * size, maxShare: 0.15 });
    const first = await put(store, "a", 100);
    for (const [bytes, whose] of [
      [1001, "the whole store"],
      [201, "one value"],
      [151, "one owner"],
    ]) {
      await assert.rejects(async () => put(store, "a", bytes), {
        code: "STORE_FAILED",
        message: new RegExp(`${bytes * size} bytes, more than .* of ${whose}$`),
      });
    }
    assert.deepEqual(await there(store, [first]), [true]);
  });

  test("a value is measured in bytes, wherever its long characters are", async () => {
    const text = `${"x".repeat(65_535)}${"\u{1f600}".repeat(40_000)}${"\u00e9\u20ac".repeat(40_000)}\ud83d`;
    // What the memory keeps has two bytes a UTF-16 unit.
    const bytes = size === 2 ? text.length * 2 : Buffer.byteLength(text);
    const put = (most) => make({ maxValueBytes: most, maxBytes: 2 * bytes }).set(keyOf(text), text, 60, "a");
    await put(bytes);
    await assert.rejects(async () => put(bytes - 1), {
      code: "STORE_FAILED",
      message: new RegExp(`the value has ${bytes} bytes`),
    });
  });

  test("an owner over its share loses its own oldest, and nothing of others", async () => {
    const store = make({ maxBytes: 1000 * size, maxShare: 0.3 });
    const others = [await put(store, "b", 100), await put(store, undefined, 100)];
    const own = [];
    for (let at = 0; at < 20; at++) own.push(await put(store, "a", 100, 60 + at));
    const left = await there(store, own);
    assert.ok(left.at(-1));
    assert.ok(left.filter(Boolean).length <= 3);
    assert.deepEqual(left.lastIndexOf(false), left.filter((is) => !is).length - 1, "the oldest go first");
    assert.deepEqual(await there(store, others), [true, true]);
  });

  test("a flood of one owner evicts no other, whatever its share", async () => {
    const store = make({ maxBytes: 1000 * size });
    const others = [await put(store, "b", 200), await put(store, "c", 200)];
    for (let at = 0; at < 50; at++) {
      const key = await put(store, "a", 90);
      assert.deepEqual(await there(store, [key]), [true]);
    }
    assert.deepEqual(await there(store, others), [true, true]);
    // A value that has room only if others lose their equal part is refused.
    await assert.rejects(async () => put(store, "a", 700), { code: "STORE_FAILED", message: /no room left/ });
    assert.deepEqual(await there(store, others), [true, true]);
  });

  test("the largest owner is evicted for a new one", async () => {
    const store = make({ maxBytes: 1000 * size });
    const most = [];
    for (let at = 0; at < 10; at++) most.push(await put(store, "a", 100));
    const others = [await put(store, "b", 100), await put(store, "b", 100), await put(store, undefined, 300)];
    assert.deepEqual(await there(store, others), [true, true, true]);
    assert.ok((await there(store, most)).filter(Boolean).length <= 5);
  });

  test("all together stay below the limit when many write at once", async () => {
    const store = make({ maxBytes: 1000 * size });
    const keys = (
      await Promise.allSettled(Array.from({ length: 30 }, (_, at) => put(store, `owner ${at % 3}`, 100)))
    ).map(({ value }) => value);
    const kept = (
      await there(
        store,
        keys.filter((key) => key !== undefined),
      )
    ).filter(Boolean).length;
    assert.ok(kept > 0 && kept <= 10, String(kept));
  });

  test("invalid limits are rejected", () => {
    for (const name of ["maxBytes", "maxValueBytes", "maxShare"]) {
      for (const value of [0, -1, NaN, Infinity, "1", null]) {
        assert.throws(() => make({ [name]: value }), { code: "INVALID_CALL", path: `/${name}` });
      }
    }
    assert.throws(() => make({ maxBytes: "5" }), { message: 'maxBytes is "5"; it takes a number over 0' });
    assert.throws(() => make({ maxShare: 1.1 }), { code: "INVALID_CALL", path: "/maxShare" });
    assert.throws(() => make({ max_bytes: 5 }), { code: "INVALID_CALL", path: "/max_bytes" });
    for (const limits of [5, "5", true, null]) assert.throws(() => make(limits), { code: "INVALID_CALL" });
  });
}
