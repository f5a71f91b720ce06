/**
 * Servers that misbehave, by what they do. `gets` is what the client of a relay gets for its call: an `answer`, an `error`,
 * `nothing`, or `any` of the first two.
 *
 * Over stdio, `say(id, out)` answers a call in a process of its own. Over HTTP, `respond(id, response)` answers a POST.
 */
const MB = 1_000_000;
const text = (value) => ({ content: [{ type: "text", text: value }] });
const answer = (id, result = text("done"), more = {}) => JSON.stringify({ jsonrpc: "2.0", id, result, ...more });
const PIECE = 65_536;

/** Writes this number of bytes of a part, no faster than they are taken. */
async function flood(out, part, bytes) {
  const piece = part.repeat(Math.ceil(PIECE / part.length));
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (out.destroyed) return;
    if (!out.write(piece)) await new Promise((resolve) => out.once("drain", resolve).once("close", resolve));
  }
}

export const OVER_STDIO = {
  "an id as a string": { gets: "answer", say: (id, out) => out.write(`${answer(String(id))}\n`) },
  "two answers": { gets: "answer", say: (id, out) => out.write(`${answer(id)}\n${answer(id)}\n`) },
  "an answer that nobody asked for": { gets: "answer", say: (id, out) => out.write(`${answer(999)}\n${answer(id)}\n`) },
  "a result and an error": {
    gets: "any",
    say: (id, out) => out.write(`${answer(id, undefined, { error: { code: 1, message: "x" } })}\n`),
  },
  "a result of null": { gets: "answer", say: (id, out) => out.write(`${answer(id, null)}\n`) },
  "content that is a text": { gets: "answer", say: (id, out) => out.write(`${answer(id, { content: "x" })}\n`) },
  "blocks of null": { gets: "answer", say: (id, out) => out.write(`${answer(id, { content: [null, null] })}\n`) },
  "a text that is a number": { gets: "answer", say: (id, out) => out.write(`${answer(id, text(7))}\n`) },
  "isError as a text": {
    gets: "answer",
    say: (id, out) => out.write(`${answer(id, { ...text("x".repeat(50_000)), isError: "true" })}\n`),
  },
  "structured content that is a text": {
    gets: "answer",
    say: (id, out) => out.write(`${answer(id, { ...text("x"), structuredContent: "x".repeat(50_000) })}\n`),
  },
  "an answer in a batch": { gets: "answer", say: (id, out) => out.write(`[${answer(id)}]\n`) },
  "line ends of Windows": { gets: "answer", say: (id, out) => out.write(`${answer(id)}\r\n`) },
  "a byte order mark": { gets: "any", say: (id, out) => out.write(`\ufeff${answer(id)}\n`) },
  "bytes that are not UTF-8": {
    gets: "answer",
    say: (id, out) => {
      const [before, after] = answer(id, text("@")).split("@");
      out.write(Buffer.concat([Buffer.from(before), Buffer.alloc(50_000, 0xff), Buffer.from(`${after}\n`)]));
    },
  },
  "halves of surrogate pairs": {
    gets: "answer",
    say: (id, out) => out.write(`${answer(id, text("@")).replace("@", "\\ud800".repeat(20_000))}\n`),
  },
  "a key twice": {
    gets: "answer",
    say: (id, out) => out.write(`${answer(id).replace('"result"', `"result":{"content":[]},"result"`)}\n`),
  },
  "100,000 lists in each other": {
    gets: "error",
    say: (id, out) =>
      out.write(`${answer(id, { content: [], x: "@" }).replace('"@"', "[".repeat(100_000) + "]".repeat(100_000))}\n`),
  },
  "a number that no double holds": {
    gets: "answer",
    say: (id, out) =>
      out.write(`${answer(id, { ...text("x"), structuredContent: { n: "@" } }).replace('"@"', "1e999")}\n`),
  },
  "NaN in its JSON": {
    gets: "nothing",
    say: (id, out) => out.write(`${answer(id, { content: "@" }).replace('"@"', "NaN")}\n`),
  },
  "a comma too many": { gets: "nothing", say: (id, out) => out.write(`${answer(id).slice(0, -1)},}\n`) },
  "NUL bytes between its lines": { gets: "answer", say: (id, out) => out.write(`\0\0\0\n${answer(id)}\n`) },
  "a line of 200 MB": {
    gets: "error",
    say: async (id, out) => {
      out.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
      await flood(out, "x", 200 * MB);
      out.write('"}]}}\n');
    },
  },
  "a line that does not end": {
    gets: "nothing",
    say: async (id, out) => {
      out.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":"`);
      await flood(out, "x", 200 * MB);
    },
  },
  "20 MB of what is not JSON": {
    gets: "answer",
    say: async (id, out) => {
      await flood(out, "not JSON at all\n", 20 * MB);
      out.write(`\n${answer(id)}\n`);
    },
  },
  "escape sequences": { gets: "answer", say: (id, out) => out.write(`\x1b]0;title\x07\x1b[2J\n${answer(id)}\n`) },
  // Its standard error is its own, as without a relay.
  "50 MB on standard error": {
    gets: "answer",
    complains: true,
    say: async (id, out) => {
      await flood(process.stderr, "complaint \x1b[31m\n", 50 * MB);
      out.write(`${answer(id)}\n`);
    },
  },
  "10,000 notifications before its answer": {
    gets: "answer",
    say: (id, out) => out.write(`${'{"jsonrpc":"2.0","method":"notifications/x"}\n'.repeat(10_000)}${answer(id)}\n`),
  },
  "a request with the id of the call": {
    gets: "answer",
    say: (id, out) => out.write(`{"jsonrpc":"2.0","id":${id},"method":"roots/list"}\n${answer(id)}\n`),
  },
  "an end in the middle of a line": {
    gets: "error",
    say: (id, out) => out.write(answer(id).slice(0, 30), () => process.exit(3)),
  },
  "an end without an answer": { gets: "error", say: () => process.exit(0) },
};

const json = (response, body, status = 200, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
const stream = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const event = (message) => `data: ${message}\n\n`;

export const OVER_HTTP = {
  "an id as a string": { gets: "answer", respond: (id, response) => json(response, answer(String(id))) },
  "an event that does not end": {
    gets: "error",
    respond: async (id, response) => {
      stream(response).write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":"`);
      await flood(response, "x", 200 * MB);
      response.end();
    },
  },
  "a body of 200 MB": {
    gets: "error",
    respond: async (id, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":"`);
      await flood(response, "x", 200 * MB);
      response.end('"}}');
    },
  },
  "200 MB of comments": {
    gets: "answer",
    respond: async (id, response) => {
      await flood(stream(response), ": keep alive\n", 200 * MB);
      response.end(`\n${event(answer(id))}`);
    },
  },
  "line ends of old Macs": {
    gets: "answer",
    respond: (id, response) => stream(response).end(event(answer(id)).replaceAll("\n", "\r")),
  },
  "two answers in a stream": {
    gets: "answer",
    respond: (id, response) => stream(response).end(event(answer(id)) + event(answer(id))),
  },
  "a stream that ends before its answer": {
    gets: "error",
    respond: (_id, response) => stream(response).end(": x\n\n"),
  },
  "a stream of events of another type": {
    gets: "error",
    respond: (id, response) => stream(response).end(`event: other\n${event(answer(id))}`),
  },
  "a body that is cut": {
    gets: "error",
    respond: (id, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write(answer(id).slice(0, 40), () => response.destroy());
    },
  },
  "a connection that is reset": { gets: "error", respond: (_id, response) => response.socket.resetAndDestroy() },
  HTML: {
    gets: "error",
    respond: (_id, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>\x1b[2J</html>"),
  },
  "an error of JSON-RPC under status 500": {
    gets: "error",
    respond: (id, response) => json(response, `{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"x"}}`, 500),
  },
  "status 401": { gets: "error", respond: (_id, response) => json(response, '{"error":"invalid_token"}', 401) },
  "status 429": { gets: "answer", respond: (_id, response) => json(response, "{}", 429, { "retry-after": "30" }) },
  "a redirection": {
    gets: "error",
    respond: (_id, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
  },
  "JSON as plain text": {
    gets: "any",
    respond: (id, response) => response.writeHead(200, { "content-type": "text/plain" }).end(answer(id)),
  },
  "no type": { gets: "any", respond: (id, response) => response.writeHead(200).end(answer(id)) },
  "status 202 for a call": { gets: "error", respond: (_id, response) => response.writeHead(202).end() },
  "a header of 60 KB": {
    gets: "any",
    respond: (id, response) => json(response, answer(id), 200, { "x-long": "x".repeat(60_000) }),
  },
  "a body in UTF-16": {
    gets: "error",
    respond: (id, response) => json(response, Buffer.from(answer(id), "utf16le")),
  },
  "a byte at a time": {
    gets: "answer",
    respond: async (id, response) => {
      stream(response);
      for (const byte of event(answer(id))) {
        response.write(byte);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      response.end();
    },
  },
};
