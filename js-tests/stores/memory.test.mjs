// The memory store's bounds.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { MemoryStore } from "toolshape";
import { keyOf } from "./keys.mjs";

const KEYS = Array.from({ length: 6 }, (_, at) => keyOf(String(at)));
const there = (store) => KEYS.map((key, at) => (store.get(key) === null ? "" : at)).join("");

test("the oldest is evicted when the store is full", () => {
  const store = new MemoryStore({ maxBytes: 100 });
  for (const key of KEYS.slice(0, 5)) store.set(key, "x".repeat(10), 60);
  assert.equal(there(store), "01234");
  store.set(KEYS[0], "x".repeat(10), 60);
  assert.equal(there(store), "01234");
  store.set(KEYS[5], "x".repeat(11), 60);
  assert.equal(there(store), "0345");
  store.delete(KEYS[3]);
  store.set(KEYS[1], "x".repeat(10), 60);
  assert.equal(there(store), "0145");
});

test("what has expired is evicted first", () => {
  let seconds = 0;
  const clock = mock.method(performance, "now", () => seconds * 1000);
  try {
    const store = new MemoryStore({ maxBytes: 60 });
    store.set(KEYS[0], "x".repeat(10), 60);
    store.set(KEYS[1], "x".repeat(10), 10);
    store.set(KEYS[2], "x".repeat(10), 60);
    seconds = 9.999;
    assert.equal(there(store), "012");
    seconds = 10;
    store.set(KEYS[3], "x".repeat(10), 60);
    assert.equal(there(store), "023");
    seconds = 70;
    assert.equal(there(store), "");
  } finally {
    clock.mock.restore();
  }
});

test("a value larger than the store is rejected, and the previous one stays", () => {
  const store = new MemoryStore({ maxBytes: 100 });
  store.set(KEYS[0], "x", 60);
  assert.throws(() => store.set(KEYS[1], "x".repeat(51), 60), { code: "STORE_FAILED", message: /102 bytes/ });
  assert.equal(there(store), "0");
  for (const maxBytes of [0, -1, NaN, "1"])
    assert.throws(() => new MemoryStore({ maxBytes }), { code: "INVALID_CALL", path: "/maxBytes" });
});
