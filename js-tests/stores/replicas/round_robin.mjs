// A plain round robin over HTTP: each request goes to the next replica, whole answers come back. Where a replica does
// not answer, or breaks off, the one after it is asked: what the servers' tools do may be done twice.

import { once } from "node:events";
import { createServer, request as send } from "node:http";

/** Listens on loopback; `counts` is what it did, and `onForward` gets every request before it goes out. */
export async function openRoundRobin(ports, onForward = () => {}) {
  const counts = { requests: 0, retries: 0, unanswered: 0 };
  let turn = 0;
  const server = createServer(async (request, response) => {
    const body = await read(request);
    counts.requests++;
    const first = turn++;
    for (let tries = 0; tries < ports.length; tries++) {
      const at = (first + tries) % ports.length;
      const answer = forward(ports[at], request, body);
      onForward(counts.requests, at);
      try {
        const { status, headers, content } = await answer;
        delete headers["transfer-encoding"];
        response.writeHead(status, { ...headers, "content-length": content.length }).end(content);
        return;
      } catch {
        counts.retries++;
      }
    }
    counts.unanswered++;
    response.writeHead(502).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, counts, close };
}

async function forward(port, { method, url, headers: { connection, ...headers } }, body) {
  // A connection for each, so that a replica that is killed takes no other request with it.
  const options = {
    host: "127.0.0.1",
    port,
    method,
    path: url,
    headers: { ...headers, host: `127.0.0.1:${port}` },
    agent: false,
  };
  const outgoing = send(options).end(body);
  const [incoming] = await once(outgoing, "response");
  return { status: incoming.statusCode, headers: incoming.headers, content: await read(incoming) };
}

async function read(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
