// What a result says about its store is true: it is there, or the result says that it is not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, MemoryStore, Shaper } from "toolshape";
import { keyOf } from "./keys.mjs";

const KEY = "a secret of many bytes";
const ROWS = Array.from({ length: 300 }, (_, id) => ({ id, name: `row ${id}`, secret: `hunter${id}` }));
const TEXT = JSON.stringify(ROWS);

/** A store that can be looked into, contents and tickets apart, and how it is asked. */
function watched(store = new MemoryStore()) {
  const [kept, tickets] = [new Map(), new Map()];
  const set = async (key, value, ttl) => {
    await store.set(key, value, ttl);
    if (!key.endsWith(".handle")) kept.set(key, value);
    // A handle is shown only once it opens something.
    else tickets.set(key, kept.has(JSON.parse(value).key) && JSON.parse(value));
  };
  return { kept, tickets, store: { get: (key) => store.get(key), set, delete: (key) => store.delete(key) } };
}

/** The key of the content that a handle opens. */
const ticketOf = (uri) => `${uri.slice(-16)}.handle`;
const opened = (tickets, uri) => tickets.get(ticketOf(uri))?.key;

const failing = (work) => ({ get: work, set: work, delete: work });

test("what a page leaves out is kept whole before the page is returned, and later pages come from there", async () => {
  const { kept, tickets, store } = watched();
  const archive = new Archive(new Shaper({ maxTokens: 1000 }), store);
  const first = await archive.shape(ROWS, { tool: "list" });
  const { source, uri, nextCursor } = first.value;
  assert.equal(source, "live");
  const [key, content] = [...kept][0];
  assert.match(uri, /^toolshape:\/\/result\/[a-z]{16}$/);
  assert.deepEqual(tickets.get(ticketOf(uri)), { key, tools: ["list"] });
  assert.equal(key, keyOf(TEXT));
  assert.equal(content, TEXT);
  let seen = first.value.items;
  for (let cursor = nextCursor; cursor !== null; ) {
    const page = await archive.snapshot({ tool: "list", cursor });
    assert.equal(page.value.source, "snapshot");
    assert.ok(page.tokens <= 1000);
    seen = seen.concat(page.value.items);
    cursor = page.value.nextCursor;
  }
  assert.deepEqual(seen, ROWS);
  assert.equal(kept.size, 1);
});

test("what is in no need of a store is not stored", async () => {
  const { kept, store } = watched();
  const archive = new Archive(new Shaper(), store);
  const small = [{ id: 1 }];
  assert.equal((await archive.shape(small, { tool: "list" })).value, small);
  assert.equal((await archive.shapeJson("[1]")).text, "[1]");
  assert.equal(await archive.snapshot({ tool: "list" }), null);
  assert.equal(await archive.snapshot({ tool: "list", page: 2 }), null);
  assert.equal(kept.size, 0);
});

test("a snapshot that is gone, changed or another scope's is none, and the tool runs", async () => {
  const { tickets, store } = watched();
  const archive = new Archive(new Shaper({ cursorKey: KEY }), store);
  const call = { tool: "list", scope: "one" };
  const { value } = await archive.shape(ROWS, call);
  const next = { ...call, cursor: value.nextCursor };
  assert.equal((await archive.snapshot(next)).value.page, 2);
  const key = opened(tickets, value.uri);
  const content = await store.get(key);
  await store.set(key, content.replace("hunter0", "hunter1"), 60);
  assert.equal(await archive.snapshot(next), null);
  await store.set(key, content, 60);
  assert.equal((await archive.snapshot(next)).value.page, 2);
  const theirs = { ...next, scope: "two" };
  assert.equal(await archive.snapshot(theirs), null);
  assert.equal((await archive.shape(ROWS, theirs)).value.error, "INVALID_CURSOR");
  await store.delete(key);
  assert.equal(await archive.snapshot(next), null);
  const live = await archive.shape(ROWS, next);
  assert.equal(live.value.source, "live");
  assert.equal(live.value.page, 2);
});

test("an offloaded result is in the store, whole", async () => {
  const { kept, store } = watched();
  const shaper = new Shaper({ overflow: "offload", offloadOver: 2000 });
  const { value } = await new Archive(shaper, store).shape(ROWS, { tool: "list" });
  assert.equal(value.offloaded, true);
  assert.equal(kept.get(value.filename), TEXT);
  const log = Array.from({ length: 3000 }, (_, at) => `line ${at}\n`).join("");
  const text = await new Archive(shaper, store).shape(log, { tool: "log" });
  assert.equal(text.value.filename, keyOf(log, "txt"));
  assert.equal(kept.get(text.value.filename), log);
});

test("what is redacted is neither stored nor shown", async () => {
  const { kept, tickets, store } = watched();
  const redact = async (content) => content.replaceAll(/hunter\d+/g, "***");
  const shaped = await new Archive(new Shaper(), store, { redact }).shape(ROWS, { tool: "list" });
  assert.ok(!shaped.text.includes("hunter") && shaped.text.includes("***"));
  const [[key, content]] = kept;
  assert.equal(content, TEXT.replaceAll(/hunter\d+/g, "***"));
  assert.equal(key, keyOf(content));
  assert.equal(opened(tickets, shaped.value.uri), key);
});

test("what needs no store once it is redacted is returned as it is", async () => {
  const { kept, store } = watched();
  const shaped = await new Archive(new Shaper(), store, { redact: () => '{"redacted":true}' }).shape(ROWS);
  assert.equal(shaped.text, '{"redacted":true}');
  assert.equal(kept.size, 0);
});

for (const [what, redact, reported] of [
  [
    "throws",
    () => {
      throw new TypeError("at /srv/secret/path");
    },
    "TypeError",
  ],
  ["returns text that is not JSON", () => "[1,", "redact returned text that is not JSON"],
  ["gives no text", () => 7, "redact returned number instead of text"],
]) {
  test(`where redact ${what}, nothing is stored, and an error replaces the result`, async () => {
    const { kept, store } = watched();
    for (const redacts of ["stored", "all"]) {
      const faults = [];
      const archive = new Archive(new Shaper(), store, {
        redact,
        redacts,
        onStoreError: (error) => faults.push(error),
      });
      const result = {
        content: [
          { type: "text", text: TEXT },
          { type: "text", text: "hunter nearby" },
        ],
      };
      const [alone, inMcp] = [await archive.shape(ROWS), (await archive.shapeResult(result)).result];
      const [first, second] = await archive.shapeTogether([{ value: ROWS }, { value: ["hunter nearby"] }]);
      const texts = [alone.text, inMcp.content[0].text, first.text, ...(redacts === "all" ? [second.text] : [])];
      for (const text of texts) {
        const { error, message } = JSON.parse(text);
        assert.deepEqual(
          { error, message },
          { error: "REDACT_FAILED", message: `the result could not be redacted: ${reported}` },
        );
      }
      assert.ok(alone.isError && inMcp.isError && inMcp.content.length === 1 && first.isError);
      assert.ok(!JSON.stringify([texts, inMcp]).includes("hunter"));
      assert.ok(faults.length >= 3);
    }
    assert.equal(kept.size, 0);
  });
}

test("all that a model reads is redacted where the author says so", async () => {
  const { kept, store } = watched();
  const seen = [];
  const redact = (content) => (seen.push(content), content.replaceAll(/hunter\d+/g, "***"));
  const archive = new Archive(new Shaper(), store, { redact, redacts: "all" });
  const few = [{ id: 1, password: "hunter1" }];
  assert.deepEqual((await archive.shape(few)).value, [{ id: 1, password: "***" }]);
  assert.equal((await archive.shape("hunter7")).text, "***");
  assert.equal((await archive.shapeJson('{ "a": "hunter2" }')).text, '{"a":"***"}');
  assert.equal((await archive.shapeJson('{ "a": "none" }')).text, '{ "a": "none" }');
  assert.equal((await archive.summarizeText("hunter3 came", {}, {})).text, "*** came");
  assert.deepEqual(
    (await archive.shapeTogether([{ value: few }, { json: '["hunter4"]' }])).map(({ text }) => text),
    ['[{"id":1,"password":"***"}]', '["***"]'],
  );
  const large = await archive.shape(ROWS, { tool: "list" });
  assert.ok(!large.text.includes("hunter") && large.value.uri !== undefined);
  assert.deepEqual([...kept.values()], [TEXT.replaceAll(/hunter\d+/g, "***")]);
  assert.deepEqual(seen.slice(0, 3), [JSON.stringify(few), "hunter7", '{"a":"hunter2"}']);
});

test("a secret that only a reader sees whole is neither shown nor stored", async () => {
  const redact = async (content) => content.replaceAll(/sk-\d+/g, "***");
  const words = "<p>Some words of a page.</p>\n".repeat(300);
  const page = `<!doctype html><html><body>${words}<p>s&#107;-1, <b>sk-</b>2 and s<!-- -->k-3</p></body></html>`;
  const lines = Array.from({ length: 900 }, (_, at) => `2026-01-02T03:04:05Z INFO step ${at}`);
  const log = [...lines, "2026-01-02T03:04:06Z ERROR \x1b[1ms\x1b[31mk-1\x1b[0m"].join("\n");
  const json = JSON.stringify({ words: lines, inner: '{"key":"s\\u006b-1"}' });
  const table = ["id,key", ...lines.map((_, at) => `${at},"s""k-${at}<br>"`)].join("\n");
  for (const text of [page, log, json, table]) {
    for (const value of [text, { text }, [{ text }, { text: "other" }]]) {
      const { kept, store } = watched();
      const quoted = (content) => redact(content.replaceAll(/s"k-\d+/g, "***"));
      const options = { redact: text === table ? quoted : redact, redacts: "all" };
      const archive = new Archive(new Shaper({ maxTokens: 300 }), store, options);
      const own = value === text ? text : JSON.stringify(value);
      const { result } = await archive.shapeResult({ content: [{ type: "text", text: own }] });
      const shaped = await archive.shape(value);
      const whole = [...kept.values()].join("");
      const divided = ["&#107", "<b>s", "[31mk", "u006b", 's""k', 's\\"\\"k'].filter((part) => whole.includes(part));
      assert.ok(whole.includes("***") && divided.length === 0, `${divided} in ${whole.slice(-600)}`);
      const found = await archive.readResult({ handle: shaped.keep.ticket.slice(0, 16), search: "***" });
      assert.ok(found.text.includes("***") && found.value.totalItems > 0, found.text);
      assert.ok(!/sk-\d/.test(JSON.stringify([result, shaped.text])));
    }
  }
});

for (const [options, says] of [
  [{ redat: () => "" }, "unknown option redat; did you mean redact?"],
  [{ redact: "secret" }, "redact is of type string; it takes a function"],
  [{ redact: class Redactor {} }, "redact is the class Redactor, not an instance of it; it takes a function"],
  [{ redacts: "all" }, "redacts requires redact"],
  [{ redact: () => "", redacts: "some" }, 'redacts is "some"; it takes "stored" or "all"'],
  [{ onStoreError: [] }, "onStoreError is a list; it takes a function"],
]) {
  test(`an archive refuses ${Object.keys(options).at(-1)} ${says}`, () => {
    const made = () => new Archive(new Shaper(), watched().store, options);
    assert.throws(made, (error) => error.code === "INVALID_CALL" && error.message === says);
  });
}

for (const [what, store, says] of [
  ["an empty object", {}, "an object without get, set, delete"],
  ["a class", Map, "a function"],
  ["a class of stores", MemoryStore, "the class MemoryStore, not an instance of it"],
  ["a name", "memory", "of type string"],
  ["an object that cannot delete", { get() {}, set() {} }, "an object without delete"],
]) {
  test(`an archive refuses ${what} for a store`, () => {
    const reported = `store is ${says}; it takes a store: an object with the methods get, set and delete, as a FileStore has`;
    assert.throws(
      () => new Archive(new Shaper(), store),
      (error) => error.code === "INVALID_CALL" && error.message === reported,
    );
  });
}

const HANGS = () => new Promise(() => {});
for (const [what, store, reported] of [
  [
    "throws",
    failing(() => {
      throw new Error("at 10.0.0.7:6379");
    }),
    "Error",
  ],
  [
    "rejects",
    failing(async () => {
      throw Object.assign(new Error("x"), { name: "ReplyError" });
    }),
    "ReplyError",
  ],
  [
    "throws a value that is not an Error",
    failing(() => {
      throw "a text";
    }),
    "string",
  ],
  ["does not answer", failing(HANGS), "the store did not answer within 0.05 seconds"],
  ["is full", new MemoryStore({ maxBytes: 100 }), /^the value has \d+ bytes, more than the 100 of the whole store$/],
]) {
  for (const overflow of ["shape", "offload"]) {
    test(`a store that ${what}, and ${overflow}: the result says so, and fits`, async () => {
      const faults = [];
      const options = {
        timeoutSeconds: 0.05,
        onStoreError: (error) => (faults.push(error), assert.fail("no one minds")),
      };
      const archive = new Archive(new Shaper({ maxTokens: 400, overflow, offloadOver: 500 }), store, options);
      const shaped = await archive.shape(ROWS, { tool: "list" });
      assert.equal(shaped.isError, false);
      assert.ok(shaped.tokens <= 400);
      assert.equal(shaped.value.totalItems, 300);
      assert.ok(shaped.value.items.length > 0);
      if (typeof reported === "string") assert.equal(shaped.value.storeFailed, reported);
      else assert.match(shaped.value.storeFailed, reported);
      assert.ok(!("uri" in shaped.value) && !("source" in shaped.value) && !shaped.text.includes("toolshape://"));
      assert.equal(faults.length, 1);
    });
  }
}

test("a store that cannot be read is as one that has nothing: the tool runs", async () => {
  const { store } = watched();
  const call = {
    tool: "list",
    cursor: (await new Archive(new Shaper(), store).shape(ROWS, { tool: "list" })).value.nextCursor,
  };
  for (const [get, expected] of [
    [HANGS, 1],
    [
      () => {
        throw new Error("away");
      },
      1,
    ],
    [() => 7, 1],
    [() => undefined, 0],
    [() => "[]", 0],
  ]) {
    const faults = [];
    const archive = new Archive(
      new Shaper(),
      { ...store, get },
      { timeoutSeconds: 0.05, onStoreError: (error) => faults.push(error) },
    );
    assert.equal(await archive.snapshot(call), null);
    assert.equal(faults.length, expected);
  }
});

test("what a page leaves out is read back by its handle, part by part", async () => {
  const { store } = watched();
  const archive = new Archive(new Shaper({ maxTokens: 1000 }), store);
  const { uri } = (await archive.shape(ROWS, { tool: "list" })).value;
  assert.deepEqual((await archive.readResult({ handle: uri, pointer: "/299" })).value, ROWS[299]);
  assert.deepEqual((await archive.readResult({ handle: uri, pointer: "/7/name" })).value, "row 7");
  let rows = [];
  for (let cursor = null; ; ) {
    const { value, tokens } = await archive.readResult({ handle: uri, cursor });
    assert.ok(tokens <= 1000);
    rows = rows.concat(value.items);
    if ((cursor = value.nextCursor) === null) break;
  }
  assert.deepEqual(rows, ROWS);
});

test("what cannot be read back is explained, and nothing of another scope is shown", async () => {
  const { store } = watched();
  const archive = new Archive(new Shaper({ cursorKey: KEY }), store);
  const { uri } = (await archive.shape(ROWS, { tool: "list", scope: "one" })).value;
  const code = async (args, call) => {
    const { isError, value, text } = await archive.readResult(args, call);
    assert.ok(isError && !text.includes("hunter"));
    return value.error;
  };
  assert.equal((await archive.readResult({ handle: uri }, { scope: "one" })).isError, false);
  assert.equal(await code({ handle: uri }, { scope: "two" }), "NOT_FOUND");
  assert.equal(await code({ handle: uri }), "NOT_FOUND");
  assert.equal(await code({ handle: "0".repeat(64) }, { scope: "one" }), "NOT_FOUND");
  for (const handle of ["../x", "/etc/passwd", `${uri}.handle`, uri.toUpperCase(), 7, [uri], { uri }]) {
    assert.equal(await code({ handle }, { scope: "one" }), "INVALID_HANDLE", String(handle));
  }
  await assert.rejects(archive.readResult({ handle: uri }, { tol: 1 }), { code: "INVALID_CALL" });
});

test("a store that cannot be read is reported, by what the model may know", async () => {
  const { store } = watched();
  const { uri } = (await new Archive(new Shaper(), store).shape(ROWS)).value;
  for (const [get, reported] of [
    [
      () => {
        throw new Error("at 10.0.0.7");
      },
      "Error",
    ],
    [HANGS, "did not answer within 0.05 seconds"],
  ]) {
    const faults = [];
    const archive = new Archive(
      new Shaper(),
      { ...store, get },
      { timeoutSeconds: 0.05, onStoreError: (error) => faults.push(error) },
    );
    const { isError, value } = await archive.readResult({ handle: uri });
    assert.equal(isError, true);
    assert.equal(value.error, "STORE_FAILED");
    assert.ok(
      value.message.startsWith("the store cannot be read: ") && value.message.endsWith(reported),
      value.message,
    );
    assert.equal(faults.length, 1);
    await assert.rejects(archive.resource(uri), { code: "STORE_FAILED" });
  }
});

test("a resource is the stored result, within the budget", async () => {
  const { store } = watched();
  const archive = new Archive(new Shaper({ maxTokens: 1000, overflow: "offload", offloadOver: 1200 }), store);
  const whole = async (uri) => (({ mimeType, text }) => [mimeType, text])(await archive.resource(uri));
  const list = (await archive.shape(ROWS, { tool: "list" })).value;
  const [type, text] = await whole(list.uri);
  assert.equal(type, "application/json");
  assert.equal(JSON.parse(text).totalItems, 300);
  const log = "a line of a log\n".repeat(2000);
  const { uri } = (await archive.shape(log, { tool: "log" })).value;
  assert.deepEqual([(await archive.resource(uri)).uri, (await whole(uri))[0]], [uri, "application/json"]);
  await store.set(keyOf("short", "txt"), "short", 60);
  assert.deepEqual(await whole(`toolshape://result/${keyOf("short", "txt").slice(0, 64)}`), ["text/plain", "short"]);
  await assert.rejects(archive.resource("toolshape://result/../x"), { code: "INVALID_HANDLE", path: "/handle" });
  await assert.rejects(archive.resource(`toolshape://result/${"0".repeat(64)}`), {
    code: "NOT_FOUND",
    path: "/handle",
  });
});

test("a stored result is returned whole to a tool of the author's", async () => {
  const archive = new Archive(new Shaper({ maxTokens: 1000, cursorKey: KEY }), new MemoryStore());
  const own = { scope: "one" };
  const list = (await archive.shape(ROWS, { tool: "list", ...own })).value;
  assert.equal(await archive.whole(list.uri, own), TEXT);
  const log = 'a line of a "log" \u2028\n'.repeat(2000);
  const { uri } = (await archive.shape(log, { tool: "log", ...own })).value;
  assert.equal(await archive.whole(uri, own), log);
  await assert.rejects(archive.whole(uri, { scope: "two" }), { code: "NOT_FOUND" });
  await assert.rejects(archive.whole("../x", own), { code: "INVALID_HANDLE" });
});

const together = (sizes) =>
  sizes.map((size, at) => ({
    value: Array.from({ length: size }, (_, id) => ({ id, of: at, text: "some words" })),
    call: { tool: `tool ${at}` },
  }));

test("of results that come back together the largest are stored, and the smallest stay", async () => {
  const { kept, store } = watched();
  const results = together([40, 10, 45, 5]);
  const all = await new Archive(new Shaper({ maxTokens: 2000 }), store).shapeTogether(results, 900);
  assert.ok(all.reduce((sum, { tokens }) => sum + tokens, 0) <= 900);
  assert.deepEqual(
    all.map(({ unchanged }) => unchanged),
    [false, true, false, true],
  );
  assert.deepEqual(
    [...kept.values()].sort(),
    [results[0], results[2]].map(({ value }) => JSON.stringify(value)).sort(),
  );
  for (const at of [0, 2]) assert.ok(kept.has(all[at].value.filename));
});

test("together, what the store could not take is shaped inline, within the same sum", async () => {
  const { kept, tickets, store } = watched();
  let writes = 0;
  const flaky = {
    ...store,
    set: (...given) => (++writes === 1 ? Promise.reject(new Error("no")) : store.set(...given)),
  };
  const results = together([40, 10, 45, 5]);
  const all = await new Archive(new Shaper({ maxTokens: 2000 }), flaky).shapeTogether(results, 1200);
  assert.ok(all.reduce((sum, { tokens }) => sum + tokens, 0) <= 1200);
  const reported = all.map(({ value }) => value.uri ?? value._uri).filter((uri) => uri !== undefined);
  for (const uri of reported) assert.ok(kept.has(opened(tickets, uri)), "a handle to nothing");
  assert.ok(reported.length > 0 && writes >= 2);
  const none = await new Archive(
    new Shaper({ maxTokens: 2000 }),
    failing(() => {
      throw new Error("no");
    }),
  ).shapeTogether(results, 1200);
  assert.ok(none.reduce((sum, { tokens }) => sum + tokens, 0) <= 1200);
  assert.ok(none.every(({ text, isError }) => !isError && !text.includes("toolshape://")));
});

test("together, each is redacted once before it is stored", async () => {
  const { kept, store } = watched();
  let seen = 0;
  const redact = (content) => (seen++, content.replaceAll("some words", "***"));
  const all = await new Archive(new Shaper({ maxTokens: 2000 }), store, { redact }).shapeTogether(
    together([40, 10, 45, 5]),
    900,
  );
  assert.ok(seen >= 2 && seen <= 4);
  assert.ok(kept.size > 0 && [...kept.values()].every((content) => !content.includes("some words")));
  assert.ok(all.filter(({ keep }) => keep !== null).every(({ text }) => !text.includes("some words")));
});

test("a store receives the owner of a value, by a name for each scope", async () => {
  const owners = new Set();
  const store = new MemoryStore();
  const reported = {
    get: (key) => store.get(key),
    delete() {},
    set: (key, value, ttl, owner) => (owners.add(owner), store.set(key, value, ttl)),
  };
  const archive = new Archive(new Shaper({ cursorKey: KEY }), reported);
  for (const scope of ["a tenant", "another", undefined]) await archive.shape(ROWS, { tool: "list", scope });
  assert.equal(owners.size, 3);
  assert.ok(owners.has(undefined) && ![...owners].some((owner) => owner?.includes("tenant")));
});

test("a ticket names all tools that returned a content, and a cursor of another opens nothing", async () => {
  const { tickets, store } = watched();
  const archive = new Archive(new Shaper({ maxTokens: 1000 }), store);
  const [first] = await archive.shapeTogether(["one", "two"].map((tool) => ({ value: ROWS, call: { tool } })));
  await archive.shape(ROWS, { tool: "three" });
  assert.deepEqual(
    [...tickets.values()].map(({ tools }) => tools),
    [["one", "two", "three"]],
  );
  const asked = [];
  const authorize = (tool) => (asked.push(tool), tool === "two");
  assert.equal((await archive.readResult({ handle: first.value.uri }, { authorize })).isError, false);
  assert.deepEqual(asked, ["one", "two"]);
  const { nextCursor } = (
    await new Archive(new Shaper({ maxTokens: 1000 }), new MemoryStore()).shape(ROWS, { tool: "free" })
  ).value;
  assert.equal(await archive.snapshot({ tool: "free", cursor: nextCursor }), null);
  assert.equal((await archive.snapshot({ tool: "one", cursor: first.value.nextCursor })).value.source, "snapshot");
});

test("who may not read gets nothing of the content", async () => {
  const { kept, store } = watched();
  const errors = [];
  const get = (key) => (assert.match(key, /\.handle$/, "the content was read"), store.get(key));
  const archive = new Archive(
    new Shaper({ maxTokens: 1000 }),
    { ...store, get },
    { onStoreError: (error) => errors.push(error) },
  );
  const { uri, nextCursor } = (await archive.shape(ROWS, { tool: "list" })).value;
  const [name] = kept.keys();
  const away = async () => {
    throw new TypeError("the directory is away");
  };
  for (const authorize of [() => false, () => undefined, away]) {
    for (const handle of [uri, name, name.split(".")[0]]) {
      const { isError, value } = await archive.readResult({ handle }, { authorize });
      assert.deepEqual([isError, value.error], [true, "FORBIDDEN"]);
    }
    const page = await archive.snapshot({ tool: "list", cursor: nextCursor, authorize });
    assert.deepEqual([page.isError, page.value.error], [true, "FORBIDDEN"]);
    assert.equal((await archive.snapshotResult({ tool: "list", cursor: nextCursor, authorize })).result.isError, true);
    assert.equal((await archive.toSummarize({ handle: name }, { authorize })).value.error, "FORBIDDEN");
    await assert.rejects(archive.resource(uri, { authorize }), { code: "FORBIDDEN", path: "/handle" });
    await assert.rejects(archive.whole(uri, { authorize }), { code: "FORBIDDEN", path: "/handle" });
  }
  assert.equal(errors.length, 8);
});

test("a call with authorize is shaped and redacted like any other", async () => {
  const archive = new Archive(new Shaper(), new MemoryStore(), {
    redact: (text) => text.replace("hunter1", "***"),
    redacts: "all",
  });
  const call = { tool: "list", authorize: () => true };
  const small = [{ secret: "hunter1" }];
  assert.equal((await archive.shape(small, call)).text, '[{"secret":"***"}]');
  assert.equal((await archive.shapeResult(small, call)).result.content[0].text, '[{"secret":"***"}]');
  const [together] = await archive.shapeTogether([{ value: small, call }]);
  assert.equal(together.text, '[{"secret":"***"}]');
});
