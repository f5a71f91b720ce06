// Every client is asked for something by a server that answers 429, and `rateLimit` reads what comes
// of it. Runs where toolshape and the packages of package.json are installed: `node --test`.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { Shaper } from "toolshape";
import { clients } from "./clients.mjs";

const body = JSON.stringify({ error: { message: "rate limited", type: "rate_limit_error", code: "rate_limit_exceeded" } });
const shaper = new Shaper();
let waits;
const server = createServer((_request, response) => {
  response.writeHead(429, { "content-type": "application/json", ...waits });
  response.end(body);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
});

/** What a client threw, or returned. */
const outcome = async (ask) => {
  try {
    return await ask(url);
  } catch (error) {
    return error;
  }
};

for (const [name, ask] of Object.entries(clients)) {
  test(name, async () => {
    waits = { "Retry-After": "30" };
    const { value } = shaper.rateLimit(await outcome(ask), { tool: "list_articles" });
    assert.deepEqual(Object.keys(value), ["type", "retryAfterSeconds", "upstream", "message"]);
    assert.equal(value.retryAfterSeconds, 30);
    waits = { "Retry-After": new Date(Date.now() + 60_000).toUTCString() };
    // Slack's client reads seconds alone, and waits by itself where it finds none.
    if (name === "@slack/web-api") return;
    const seconds = shaper.rateLimit(await outcome(ask)).value.retryAfterSeconds;
    assert.ok(seconds > 50 && seconds <= 60, String(seconds));
  });
}
