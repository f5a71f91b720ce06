// A right that is taken away after the first page: what is still read of what was stored. In each SDK, with the server's
// check around the line, between the line and the tool, and in the tool.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "toolshape";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";
import { McpServer } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import { inProcess } from "./in_process.mjs";

const ROWS = Array.from({ length: 400 }, (_, id) => ({ id, name: `salary of number ${id}` }));
const LOG = Array.from({ length: 3000 }, (_, at) => `salary ${at} was paid\n`).join("");
const POLICY = { maxTokens: 600, cursorKey: "a secret of sixteen bytes" };

/** A store that records which keys were read. */
function watched() {
  const [store, keys, read] = [new MemoryStore(), new Set(), []];
  return {
    keys,
    read,
    get: (key) => (read.push(key), store.get(key)),
    set: (key, ...given) => (keys.add(key), store.set(key, ...given)),
    delete: (key) => store.delete(key),
  };
}

/** The check of a server: it throws where the right to a tool was taken away. */
function rights() {
  const [revoked, asked] = [new Set(), []];
  const check = (name) => {
    asked.push(name);
    if (revoked.has(name)) throw new Error("you have no right to this tool");
  };
  const around =
    (name, run) =>
    async (...given) => (check(name), run(...given));
  /** The check in front of the protocol's tools/call. */
  const messages = ({ server }) => {
    const set = server.setRequestHandler.bind(server);
    const isCall = (method) => (method?.shape?.method?.value ?? method) === "tools/call";
    server.setRequestHandler = (method, handler) =>
      set(
        method,
        isCall(method) ? async (request, extra) => (check(request.params.name), handler(request, extra)) : handler,
      );
  };
  /** The check around each tool as it is registered. */
  const registered = (server) => {
    const register = server.registerTool.bind(server);
    server.registerTool = (name, config, run) => register(name, config, around(name, run));
  };
  const added = (server) => {
    const add = server.addTool.bind(server);
    server.addTool = (tool) => add({ ...tool, execute: around(tool.name, tool.execute) });
  };
  return { revoked, asked, around, messages, registered, added };
}

/** Where each SDK's server checks: what is done to it before and after the line. */
const CHECKS = {
  v1: {
    outside: ({ messages }) => ({ before: messages }),
    inside: ({ messages }) => ({ after: messages }),
  },
  v2: {
    outside: ({ messages }) => ({ before: messages }),
    inside: ({ registered }) => ({ after: registered }),
    "inside, set up first": ({ registered }) => ({ before: registered }),
  },
  "ts-fastmcp": {
    outside: ({ added }) => ({ before: added }),
    inside: ({ added }) => ({ after: added }),
  },
};

/** A server and a client of it; its tools have the check within them, if it is nowhere else. */
async function connected(sdk, checks, options) {
  const rights_ = rights();
  const store = watched();
  const hooks = checks?.(rights_) ?? {};
  const tool = (name, result) => ({ name, run: checks ? () => result : rights_.around(name, () => result) });
  const content = (text) => ({ content: [{ type: "text", text }] });
  const tools = [
    tool("salaries", content(JSON.stringify(ROWS))),
    tool("payments", content(LOG)),
    tool("free", content(JSON.stringify(ROWS.slice(0, 90)))),
  ];
  const { client, close } = await inProcess[sdk](POLICY, tools, { store, summarize: true, ...hooks, ...options });
  const ask = (name, args = {}) =>
    client.callTool({ name, arguments: args }).then(
      ({ content, isError }) => ({ text: content.map(({ text }) => text).join(""), isError }),
      ({ message }) => ({ text: message, isError: true }),
    );
  const resource = (uri) =>
    client.readResource({ uri }).then(
      ({ contents }) => contents[0].text,
      ({ message }) => message,
    );
  return { ...rights_, store, ask, resource, close };
}

/** Each way to read what a tool's first page named: the later page, and every name of the whole. */
async function ways({ ask, resource, store }, tool, { uri, nextCursor }) {
  const handle = uri.split("/").at(-1);
  const ticket = JSON.parse(store.get(`${handle}.handle`));
  const id = ticket.key.split(".")[0];
  const names = [handle, uri, id, ticket.key, `toolshape://result/${id}`];
  const reads = [{}, { search: "salary" }, tool === "payments" ? { lines: "1-3" } : { pointer: "/0" }];
  store.read.length = 0;
  const answers = [await ask(tool), await ask(tool, { cursor: nextCursor })];
  for (const handle of names) {
    for (const read of reads) answers.push(await ask("read_result", { handle, ...read }));
    answers.push(await ask("summarize", { handle }));
  }
  const resources = await Promise.all([uri, `toolshape://result/${id}`].map(resource));
  return { answers, texts: [...answers.map(({ text }) => text), ...resources] };
}

const isContent = (key) => /^[0-9a-f]{64}/.test(key);

for (const [sdk, checks] of Object.entries(CHECKS)) {
  for (const [where, check] of [...Object.entries(checks), ["in the tool", undefined]]) {
    test(`${sdk}, with its check ${where}: a revoked right reads nothing`, async () => {
      const asked = [];
      const authorize = async (context, tool) => (asked.push([typeof context, tool]), !server.revoked.has(tool));
      const server = await connected(sdk, check, { authorize });
      for (const tool of ["salaries", "payments"]) {
        const first = JSON.parse((await server.ask(tool)).text);
        server.revoked.add(tool);
        asked.length = 0;
        const { answers, texts } = await ways(server, tool, first);
        for (const text of texts) assert.ok(!/salary (of|\d)/.test(text), text);
        assert.ok(
          answers.every(({ isError }) => isError),
          "what is refused is an error",
        );
        assert.deepEqual(server.store.read.filter(isContent), [], "the content was read");
        assert.ok(
          asked.length > 10 && asked.every(([context, asks]) => context === "object" && asks === tool),
          String(asked),
        );
        // And all of it with the right.
        server.revoked.delete(tool);
        const again = await ways(server, tool, first);
        for (const text of again.texts.filter((text) => !text.includes("handle cannot be used")))
          assert.match(text, /salary (of|\d)/);
      }
      await server.close();
    });
  }

  test(`${sdk}: a check around is asked for later pages and read_result`, async () => {
    const { ask, asked, revoked, store, close } = await connected(sdk, checks.outside, {});
    const first = JSON.parse((await ask("salaries")).text);
    const later = JSON.parse((await ask("salaries", { cursor: first.nextCursor })).text);
    assert.equal(later.source, "snapshot");
    assert.equal(JSON.parse((await ask("read_result", { handle: first.uri, pointer: "/399/id" })).text), 399);
    assert.deepEqual(asked, ["salaries", "salaries", "read_result"]);
    // Without the right neither is given.
    revoked.add("salaries").add("read_result");
    store.read.length = 0;
    for (const [name, args] of [
      ["salaries", { cursor: first.nextCursor }],
      ["read_result", { handle: first.uri }],
    ]) {
      const { text, isError } = await ask(name, args);
      assert.equal(isError, true);
      assert.match(text, /you have no right to this tool/);
    }
    assert.deepEqual(store.read, []);
    await close();
  });

  test(`${sdk}: an authorize that throws, hangs on or says anything but true refuses`, async () => {
    let answer = true;
    const server = await connected(sdk, undefined, { authorize: () => answer() });
    const { uri } = JSON.parse((await server.ask("salaries")).text);
    const thrown = () => {
      throw new Error("the directory is away: ldap://10.0.0.7");
    };
    for (const no of [
      () => false,
      () => undefined,
      () => "yes",
      () => 1,
      async () => false,
      thrown,
      async () => thrown(),
    ]) {
      answer = no;
      const { text, isError } = await server.ask("read_result", { handle: uri });
      assert.equal(isError, true);
      assert.equal(JSON.parse(text).error, "FORBIDDEN");
      assert.ok(!text.includes("ldap"));
    }
    answer = () => Promise.resolve(true);
    assert.equal((await server.ask("read_result", { handle: uri })).isError ?? false, false);
    await server.close();
  });

  test(`${sdk}: without authorize a handle is a capability`, async () => {
    const server = await connected(sdk, undefined, {});
    const first = JSON.parse((await server.ask("salaries")).text);
    server.revoked.add("salaries");
    const { answers, texts } = await ways(server, "salaries", first);
    assert.equal(answers[0].isError, true);
    for (const text of texts.slice(1).filter((text) => !text.includes("handle cannot be used")))
      assert.match(text, /salary of/);
    await server.close();
  });

  test(`${sdk}: wrong controls are refused before the tool runs`, async () => {
    let runs = 0;
    const run = () => (runs++, { content: [{ type: "text", text: JSON.stringify(ROWS) }] });
    const { client, close } = await inProcess[sdk](
      POLICY,
      [
        { name: "list", run },
        { name: "other", run },
      ],
      { store: new MemoryStore() },
    );
    const ask = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
    const { nextCursor } = await ask("other", {});
    assert.equal(runs, 1);
    for (const [args, error] of [
      [{ page: 0 }, "INVALID_CALL"],
      [{ pageSize: 100_000 }, "INVALID_CALL"],
      [{ cursor: "no cursor" }, "INVALID_CURSOR"],
      [{ cursor: nextCursor }, "INVALID_CURSOR"],
      [{ cursor: nextCursor, fields: ["/0/name"] }, "INVALID_CURSOR"],
    ]) {
      assert.equal((await ask("list", args)).error, error, JSON.stringify(args));
    }
    assert.equal(runs, 1, "the tool ran");
    assert.equal((await ask("list", { page: 2 })).page, 2);
    await close();
  });
}

test("a scope without a key, and authorize without a store, are refused at the start", () => {
  const scope = () => "a tenant";
  const open = { tools: { one: { cursorKey: "a secret of sixteen bytes" } } };
  for (const policy of [{}, open]) {
    for (const store of [undefined, null, new MemoryStore()]) {
      assert.throws(() => shapeServer(new McpServer({ name: "s", version: "1" }), policy, { scope, store }), {
        code: "INVALID_CALL",
        path: "/scope",
      });
    }
    assert.throws(() => fast.shapeServer(new FastMCP({ name: "s", version: "1.0.0" }), policy, { scope }), {
      code: "INVALID_CALL",
    });
  }
  shapeServer(new McpServer({ name: "s", version: "1" }), POLICY, { scope });
  const authorize = () => true;
  shapeServer(new McpServer({ name: "s", version: "1" }), {}, { authorize });
  assert.throws(() => shapeServer(new McpServer({ name: "s", version: "1" }), {}, { authorize, store: null }), {
    code: "INVALID_CALL",
    path: "/authorize",
  });
});
