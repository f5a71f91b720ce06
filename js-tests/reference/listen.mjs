// A server of HTTP from a function that answers requests as the web has them; prints its address.

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Listens on a free port; `answer` gets each request, and the host that was meant. */
export function listen(answer) {
  const server = createServer(async (request, response) => {
    const { method, headers, url } = request;
    const host = `localhost:${server.address().port}`;
    const body = method === "POST" ? Readable.toWeb(request) : undefined;
    try {
      const answered = await answer(
        new Request(`http://${host}${url}`, { method, headers, body, duplex: "half" }),
        host,
      );
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.flushHeaders();
      if (answered.body) await pipeline(Readable.fromWeb(answered.body), response);
      else response.end();
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }
  });
  server.listen(0, () => process.stdout.write(`http://localhost:${server.address().port}/mcp\n`));
}
