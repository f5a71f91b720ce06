// A store that does not answer costs one result its time limit, not each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper } from "toolshape";

const ROWS = Array.from({ length: 300 }, (_, id) => ({ id, name: `row ${id}` }));
const CALL = { tool: "list" };
const LATE = "the store did not answer within 0.05 seconds";
const PAUSED = "the store did not answer a short while ago, and is tried again after 10 seconds";
const failure = async (archive) => (await archive.shape(ROWS, CALL)).value.storeFailed;

/** A store that hangs on request, and counts how often it is asked. */
function hanging() {
  const inner = new MemoryStore();
  const state = { asked: 0, hangs: true };
  const ask = (work) => {
    state.asked++;
    return state.hangs ? new Promise(() => {}) : work();
  };
  const [get, set] = [(key) => ask(() => inner.get(key)), (...given) => ask(() => inner.set(...given))];
  return { state, store: { get, set, delete: (key) => inner.delete(key) } };
}

test("a store that hangs is left alone for a while", async (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const [errors, { state, store }] = [[], hanging()];
  const archive = new Archive(new Shaper(), store, {
    timeoutSeconds: 0.05,
    onStoreError: (error) => errors.push(error),
  });
  const all = (count) => Promise.all(Array.from({ length: count }, () => failure(archive)));
  assert.equal(await failure(archive), LATE);
  for (let times = 0; times < 5; times++) assert.equal(await failure(archive), PAUSED);
  const read = await archive.readResult({ handle: "a".repeat(16) });
  assert.ok(read.isError && read.text.includes(PAUSED));
  // To store the content, and to read the ticket.
  assert.equal(state.asked, 2);
  assert.deepEqual(
    errors.slice(1).map(({ code, message }) => [code, message]),
    Array(6).fill(["STORE_FAILED", PAUSED]),
  );
  // Of those that come together after the pause one tries; it finds that the store still hangs.
  now += 10_000;
  assert.deepEqual((await all(5)).sort(), [...Array(4).fill(PAUSED), LATE].sort());
  assert.equal(state.asked, 3);
  now += 10_000;
  state.hangs = false;
  assert.equal(await failure(archive), undefined);
  assert.deepEqual(await all(5), Array(5).fill(undefined));
});

test("a client with a time limit of its own hangs too", async (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const slow = () => {
    now += 600;
    throw new Error("Timeout reading from secret.host");
  };
  const archive = new Archive(new Shaper(), { get: slow, set: slow, delete: slow });
  assert.deepEqual([await failure(archive), await failure(archive)], ["Error", PAUSED]);
});

test("a store that answers is asked each time, and one for which there is no pause", async () => {
  const refuse = () => Promise.reject(new TypeError("no"));
  const refusing = new Archive(new Shaper(), { get: refuse, set: refuse, delete: refuse });
  const { state, store } = hanging();
  const unpaused = new Archive(new Shaper(), store, { timeoutSeconds: 0.02, pauseSeconds: 0 });
  for (let times = 0; times < 3; times++) {
    assert.equal(await failure(refusing), "TypeError");
    assert.equal(await failure(unpaused), "the store did not answer within 0.02 seconds");
  }
  assert.equal(state.asked, 6);
  assert.throws(() => new Archive(new Shaper(), store, { pauseSeconds: -1 }), {
    code: "INVALID_CALL",
    path: "/pauseSeconds",
  });
});

test("an archive is one of a store", () => {
  class Mine {
    get() {}
    set() {}
    delete() {}
  }
  for (const none of [null, undefined, {}, [], "memory", Mine, { get() {}, set() {} }]) {
    assert.throws(() => new Archive(new Shaper(), none), { code: "INVALID_CALL", path: "/store" });
  }
});
