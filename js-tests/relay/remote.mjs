/** A server behind HTTP that a test holds, and a relay before it. */
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { Conversation } from "./conversation.mjs";
import { PATIENCE } from "./received.mjs";

/** The head of an answer that is a stream of events. */
export const STREAM = { "content-type": "text/event-stream" };

/** An event of such a stream. */
export const event = (message, id) =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${typeof message === "string" ? message : JSON.stringify(message)}\n\n`;

export const AGREED = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "server", version: "1" } };

/** A server on loopback, with TLS if it has a certificate: each request is kept, and given to `answer` with its message. */
export async function listen(answer, certificate) {
  const requests = [];
  const looking = new Set();
  const create = certificate === undefined ? createServer : createSecureServer;
  const server = create(certificate ?? {}, async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const seen = {
      method: request.method,
      headers: request.headers,
      body,
      message: body === "" ? undefined : JSON.parse(body),
    };
    requests.push(seen);
    for (const look of looking) look();
    const json = (message, status = 200, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(message));
    const result = (result, headers) => json({ jsonrpc: "2.0", id: seen.message.id, result }, 200, headers);
    await answer({ ...seen, response, json, result, empty: (status) => response.writeHead(status).end() });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  /** Waits for a request of which this holds. */
  const seen = (holds, what) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = requests.find(holds);
        if (found === undefined) return;
        looking.delete(look);
        clearTimeout(late);
        resolve(found);
      };
      const late = setTimeout(
        () => reject(new Error(`the server is not asked for ${what}: ${JSON.stringify(requests)}`)),
        PATIENCE,
      );
      looking.add(look);
      look();
    });
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${server.address().port}/mcp`,
    requests,
    seen,
    close,
  };
}

/** Runs a test with a relay before a server, both of which end with it. */
export async function overHttp(pump, answer, test, options = [], { certificate, env } = {}) {
  const server = await listen(answer, certificate);
  const talk = new Conversation([...pump, ...options, "--url", server.url], { env });
  try {
    return await test(talk, server);
  } finally {
    await talk.end();
    await server.close();
  }
}

/** Sends a message, and waits for the next line. */
export async function ask(talk, message) {
  const before = talk.received.lines().length;
  await talk.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  await talk.received.linesCount(before + 1);
  return JSON.parse(talk.received.lines()[before]);
}

/** The client closes its side, and the relay ends. */
export async function leave(talk) {
  talk.relay.stdin.end();
  return talk.exit();
}
