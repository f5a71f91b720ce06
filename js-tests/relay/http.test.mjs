// Servers behind streamable HTTP: sessions, streams, and what goes wrong between.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Conversation } from "./conversation.mjs";
import { resident } from "./processes.mjs";
import { overEach } from "./pumps.mjs";
import { AGREED, ask, event, leave, listen, overHttp, STREAM } from "./remote.mjs";

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const MODERN = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const call = (id, name = "list") => ({ id, method: "tools/call", params: { name, arguments: {} } });
const request = (id) => ({ id, method: "x/request" });
const ROWS = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}`, text: "some text" })));
const OK = { code: 0, signal: null };

/** A server with sessions: `more` answers the other requests. */
function withSessions(more) {
  let sessions = 0;
  return async (asked) => {
    const { method, message, result, empty } = asked;
    if (message?.method === "initialize") return result(AGREED, { "mcp-session-id": `s${++sessions}` });
    if (message?.method === "notifications/initialized") return empty(202);
    if (method === "DELETE") return empty(200);
    if (method === "GET" && !more.streams) return empty(405);
    return more(asked);
  };
}

async function begin(talk) {
  assert.deepEqual((await ask(talk, INITIALIZE)).result, AGREED);
  await talk.write(`${INITIALIZED}\n`);
}

overEach("servers behind HTTP", (pump) => {
  test("a session: its results are shaped and asked, its headers are on every request, and it ends", () => {
    const answers = ({ message, result }) =>
      message.method === "tools/call" ? result({ content: [{ type: "text", text: ROWS }] }) : result({ tools: [] });
    const test = async (talk, server) => {
      await begin(talk);
      const { result } = await ask(talk, { id: 1, method: "tools/list" });
      assert.deepEqual(
        result.tools.map(({ name }) => name),
        ["read_result"],
      );
      const page = JSON.parse((await ask(talk, call(2))).result.content[0].text);
      assert.equal(page.totalItems, 2000);
      const read = await ask(talk, {
        ...call(3, "read_result"),
        params: { name: "read_result", arguments: { handle: page.uri, sql: "SELECT max(id) FROM result" } },
      });
      assert.deepEqual(JSON.parse(read.result.content[0].text).rows, [[1999]]);
      assert.deepEqual(await leave(talk), OK);
      const { headers } = await server.seen(({ method }) => method === "DELETE", "the end");
      assert.equal(headers["mcp-session-id"], "s1");
      for (const { headers, message } of server.requests) {
        // Node has the bytes of a header as characters.
        assert.equal(Buffer.from(headers["x-test"], "latin1").toString(), "Bearer é", message?.method);
        if (message?.method !== "initialize")
          assert.deepEqual([headers["mcp-session-id"], headers["mcp-protocol-version"]], ["s1", "2025-11-25"]);
      }
      assert.match(talk.errors.bytes().toString(), /^toolshape list: /);
    };
    return overHttp(pump, withSessions(answers), test, ["--header", "X-Test: Bearer é"]);
  });

  test("stored results are read with the server's consent", () => {
    let isRevoked = false;
    const answers = ({ message, json, result }) => {
      if (isRevoked) return json({ error: "invalid_token" }, 401);
      return result(message.method === "tools/call" ? { content: [{ type: "text", text: ROWS }] } : {});
    };
    const test = async (talk, server) => {
      await begin(talk);
      const page = JSON.parse((await ask(talk, call(1))).result.content[0].text);
      const read = (id, _meta) => ({
        ...call(id),
        params: { name: "read_result", arguments: { handle: page.uri, pointer: "/1999" }, _meta },
      });
      for (const [id, meta, method] of [
        [2, undefined, "ping"],
        [3, MODERN, "server/discover"],
      ]) {
        assert.match((await ask(talk, read(id, meta))).result.content[0].text, /row 1999/);
        const { headers, message } = server.requests.at(-1);
        assert.deepEqual([message.method, message.params?._meta], [method, meta]);
        assert.equal(headers["mcp-method"], meta && method);
      }
      isRevoked = true;
      const { error, result } = await ask(talk, read(4));
      assert.equal(result, undefined);
      assert.match(error.message, /HTTP status 401/);
    };
    return overHttp(pump, withSessions(answers), test, ["--set", "authorizeSeconds=0"]);
  });

  test("requests sent at once wait for the begin of a session", () =>
    overHttp(
      pump,
      withSessions(({ result }) => result({ tools: [] })),
      async (talk, server) => {
        const lines = [
          JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE }),
          INITIALIZED,
          '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        ];
        await talk.write(`${lines.join("\n")}\n`);
        await talk.received.linesCount(2);
        assert.deepEqual(
          server.requests.filter(({ method }) => method === "POST").map(({ body }) => body),
          lines,
        );
      },
    ));

  test("a stream is forwarded while it is written", () => {
    const progress = event({ jsonrpc: "2.0", method: "notifications/progress", params: { n: 1 } });
    const answer = '{"jsonrpc":"2.0", "id":1,"result":{"n":123456789012345678901234567890}}';
    let writeRest;
    const answers = async ({ response }) => {
      writeRest = () => response.end(event(answer));
      response.writeHead(200, STREAM).write(progress.slice(0, 20));
      await pause(20);
      response.write(progress.slice(20));
    };
    return overHttp(pump, withSessions(answers), async (talk) => {
      await begin(talk);
      assert.equal((await ask(talk, { id: 1, method: "x/slow" })).method, "notifications/progress");
      writeRest();
      await talk.received.linesCount(3);
      assert.equal(talk.received.lines()[2], answer);
    });
  });

  test("the server's own stream is forwarded, and resumed where it broke off", () => {
    const answers = ({ method, headers, response, result }) => {
      if (method === "POST") return result({});
      response
        .writeHead(200, STREAM)
        .write(
          event(
            { jsonrpc: "2.0", method: "notifications/message", params: { after: headers["last-event-id"] ?? null } },
            `e${headers["last-event-id"] ?? ""}`,
          ),
        );
      if (headers["last-event-id"] === undefined) setTimeout(() => response.destroy(), 20);
    };
    return overHttp(pump, withSessions(Object.assign(answers, { streams: true })), async (talk) => {
      await begin(talk);
      await talk.received.linesCount(3);
      assert.deepEqual(
        talk.received
          .lines()
          .slice(1)
          .map((line) => JSON.parse(line).params.after),
        [null, "e"],
      );
    });
  });

  test("an answer that broke off is taken up again", () => {
    const answers = ({ method, headers, response }) => {
      response.writeHead(200, STREAM);
      if (method === "POST") {
        response.write("id: here\nretry: 10\ndata:\n\n");
        setTimeout(() => response.destroy(), 20);
      } else if (headers["last-event-id"] === "here")
        response.end(event({ jsonrpc: "2.0", id: "c", result: { x: 1 } }));
    };
    return overHttp(pump, withSessions(Object.assign(answers, { streams: true })), async (talk) => {
      await begin(talk);
      assert.deepEqual((await ask(talk, request("c"))).result, { x: 1 });
    });
  });

  test("an answer that broke off for good is an error", () =>
    overHttp(
      pump,
      ({ response }) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-length": "100" })
          .write("{", () => response.destroy()),
      async (talk, { url }) => {
        assert.ok(
          (await ask(talk, call(1))).error.message.startsWith(`the answer of ${new URL(url).origin} broke off: `),
        );
      },
    ));

  test("a forgotten session begins again, and no tool is called twice", () => {
    const answers = ({ headers, empty, result }) =>
      headers["mcp-session-id"] === "s1" ? empty(404) : result({ tools: [] });
    return overHttp(pump, withSessions(answers), async (talk, server) => {
      await begin(talk);
      assert.match((await ask(talk, call(1))).error.message, /a new one begins: call again$/);
      assert.deepEqual(
        (await ask(talk, { id: 2, method: "tools/list" })).result.tools.map(({ name }) => name),
        ["read_result"],
      );
      assert.equal(server.requests.filter(({ message }) => message?.method === "tools/call").length, 1);
      assert.deepEqual(await leave(talk), OK);
      assert.equal((await server.seen(({ method }) => method === "DELETE", "the end")).headers["mcp-session-id"], "s2");
    });
  });

  test("a call that is cancelled loses its connection", () => {
    let closed;
    const isClosed = new Promise((resolve) => (closed = resolve));
    const answers = ({ response }) => {
      response.writeHead(200, STREAM);
      const timer = setInterval(() => response.write(": still\n\n"), 20);
      response.on("close", () => closed(clearInterval(timer)));
    };
    return overHttp(pump, answers, async (talk, server) => {
      await talk.write(
        `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", _meta: MODERN } })}\n`,
      );
      const { headers } = await server.seen(({ method }) => method === "POST", "a call");
      assert.deepEqual(
        [headers["mcp-method"], headers["mcp-name"], headers["mcp-protocol-version"]],
        ["tools/call", "a", "2026-07-28"],
      );
      await talk.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
      await isClosed;
      assert.deepEqual(await leave(talk), OK);
      assert.equal(server.requests.length, 1);
    });
  });

  test("an invalid answer is reported, and the next request works", () => {
    const faults = [401, 503, 307];
    const answers = ({ response, result }) =>
      faults.length > 0
        ? response.writeHead(faults.shift(), { location: "http://127.0.0.1:9/" }).end("<html>")
        : result({});
    return overHttp(pump, answers, async (talk, server) => {
      assert.match((await ask(talk, call(1))).error.message, /HTTP status 401: say who asks by --header/);
      assert.match((await ask(talk, call(2))).error.message, /HTTP status 503$/);
      // Headers with secrets stay where they were meant for.
      assert.match((await ask(talk, call(3))).error.message, /HTTP status 307: it has moved/);
      assert.deepEqual((await ask(talk, request(4))).result, {});
      assert.equal(server.requests.length, 4);
    });
  });

  test("a server that is not there is named", async () => {
    const { url, close } = await listen(() => {});
    await close();
    const talk = new Conversation([...pump, "--url", url]);
    try {
      assert.ok(
        (await ask(talk, { id: 1, method: "ping" })).error.message.startsWith(`cannot reach ${new URL(url).origin}: `),
      );
      assert.deepEqual(await leave(talk), OK);
    } finally {
      await talk.end();
    }
  });

  test("a client that leaves has its answers before the end", () =>
    overHttp(
      pump,
      async ({ result }) => {
        await pause(300);
        result({ late: true });
      },
      async (talk) => {
        await talk.write(`${JSON.stringify({ jsonrpc: "2.0", ...request(1) })}\n`);
        assert.deepEqual(await leave(talk), OK);
        await talk.received.toEnd();
        assert.deepEqual(
          talk.received.lines().map((line) => JSON.parse(line).result),
          [{ late: true }],
        );
      },
    ));

  test("what a client says just before it leaves arrives before the session ends", () => {
    const answers = withSessions(({ empty }) => empty(202));
    const slowly = async (asked) => {
      if (asked.message?.method === "notifications/initialized") await pause(300);
      return answers(asked);
    };
    return overHttp(pump, slowly, async (talk, server) => {
      await begin(talk);
      const last = ["a", "b"].map((name) => `{"jsonrpc":"2.0","method":"notifications/${name}"}`);
      await talk.write(last.join("\n"));
      assert.deepEqual(await leave(talk), OK);
      const printedText = server.requests
        .filter(({ method }) => method !== "GET")
        .slice(2)
        .map(({ method, body }) => body || method);
      assert.deepEqual([printedText.slice(0, -1).toSorted(), printedText.at(-1)], [last, "DELETE"]);
    });
  });

  test("a server that never receives what a client says last is left", () =>
    overHttp(
      pump,
      () => {},
      async (talk, server) => {
        await talk.write('{"jsonrpc":"2.0","method":"notifications/x"}\n');
        await server.seen(() => true, "a message");
        assert.deepEqual(await leave(talk), OK);
      },
    ));

  test("a client that reads no more ends the relay, and the session", () =>
    overHttp(
      pump,
      withSessions(
        Object.assign(
          ({ response }) => {
            response.writeHead(200, STREAM);
            const timer = setInterval(() => response.write(event({ jsonrpc: "2.0", method: "notifications/x" })), 5);
            response.on("close", () => clearInterval(timer));
          },
          { streams: true },
        ),
      ),
      async (talk, server) => {
        await begin(talk);
        await talk.received.linesCount(2);
        talk.relay.stdout.destroy();
        assert.equal((await talk.exit()).code, 0);
        await server.seen(({ method }) => method === "DELETE", "the end");
      },
    ));

  test("a signal ends it: open requests get an error, and the session is closed", () =>
    overHttp(
      pump,
      withSessions(() => {}),
      async (talk, server) => {
        await begin(talk);
        await talk.write(`${JSON.stringify({ jsonrpc: "2.0", ...call(7) })}\n`);
        await server.seen(({ message }) => message?.id === 7, "a call");
        talk.relay.kill("SIGTERM");
        assert.deepEqual(await talk.exit(), { code: 143, signal: null });
        await talk.received.toEnd();
        const { id, error } = JSON.parse(talk.received.lines()[1]);
        assert.deepEqual({ id, error }, { id: 7, error: { code: -32603, message: "the relay has ended" } });
        await server.seen(({ method }) => method === "DELETE", "the end");
      },
    ));

  test("300 calls at once", () =>
    overHttp(
      pump,
      async ({ message, result }) => {
        await pause((message.id * 7919) % 100);
        result({ content: [{ type: "text", text: message.id % 20 === 0 ? ROWS : `of ${message.id}` }] });
      },
      async (talk) => {
        const ids = Array.from({ length: 300 }, (_, id) => id);
        await talk.write(ids.map((id) => `${JSON.stringify({ jsonrpc: "2.0", ...call(id) })}\n`).join(""));
        await talk.received.linesCount(ids.length);
        const answers = talk.received.lines().map((line) => JSON.parse(line));
        assert.deepEqual(
          answers.map(({ id }) => id).toSorted((a, b) => a - b),
          ids,
        );
        for (const { id, result } of answers) {
          const { text } = result.content[0];
          if (id % 20 === 0) assert.equal(JSON.parse(text).totalItems, 2000);
          else assert.equal(text, `of ${id}`);
        }
      },
    ));

  test("a result of 20 MB is shaped", () =>
    overHttp(
      pump,
      ({ result }) => result({ content: [{ type: "text", text: "a line of text\n".repeat(1_400_000) }] }),
      async (talk) => {
        const { result } = await ask(talk, call(1));
        assert.ok(result.content[0].text.length < 40_000);
        assert.equal((await ask(talk, call(2))).id, 2);
      },
    ));

  test("a client that does not read holds up the server", () => {
    const [first, last] = ["first", "last"].map((id) => JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: "x".repeat(10_000) });
    const [note, count] = [event(line), 5000];
    const all = (line.length + 1) * count + first.length + last.length + 2;
    const answers = async ({ message, response, result }) => {
      if (message.id === "first") return result({});
      response.writeHead(200, STREAM);
      for (let at = 0; at < count; at++)
        if (!response.write(note)) await new Promise((resolve) => response.once("drain", resolve));
      response.end(event(last));
    };
    return overHttp(pump, answers, async (talk) => {
      await ask(talk, request("first"));
      const before = resident(talk.relay.pid);
      talk.relay.stdout.pause();
      await talk.write(`${JSON.stringify({ jsonrpc: "2.0", ...request("last") })}\n`);
      await pause(1500);
      const more = resident(talk.relay.pid) - before;
      assert.ok(more < (count * note.length) / 2, `${more} bytes more, of ${count * note.length} that nobody has read`);
      talk.relay.stdout.resume();
      await talk.received.bytesCount(all);
      assert.equal(talk.received.length, all);
      assert.ok(talk.received.bytes().toString().endsWith(`\n${last}\n`));
    });
  });

  for (const [args, code, printedText] of [
    [["--url", "ftp://x"], 2, /^toolshape: invalid server URL: must start with http:\/\/ or https:\/\/\n$/],
    [["--url", "http://x", "--header", "no colon"], 2, /^toolshape: invalid header: must be 'Name: value'\n$/],
    [["--url", "http://x", "--header", "bad name: x"], 2, /^toolshape: invalid header name\n$/],
    [["--url", "http://x", "--header", "Secret: a\u0001b"], 2, /^toolshape: invalid header value\n$/],
    [["--url", "http://x", "--", "sh"], 2, /'--url <ADDRESS>' cannot be used with '\[COMMAND\]\.\.\.'/],
    [["--header", "a: b", "--", "sh"], 2, /'--header <HEADER>' cannot be used with '\[COMMAND\]\.\.\.'/],
    [["--header", "a: b"], 2, /required arguments were not provided:\n {2}--url <ADDRESS>/],
  ]) {
    test(`${args.join(" ")} is wrong`, async () => {
      const talk = new Conversation([...pump, ...args]);
      try {
        assert.deepEqual(await leave(talk), { code, signal: null });
        await talk.errors.toEnd();
        assert.match(talk.errors.bytes().toString(), printedText);
      } finally {
        await talk.end();
      }
    });
  }
});
