// Every client is asked for something by a server that answers 429, and `rateLimit` reads what comes
// of it. Runs where toolshape and the packages of package.json are installed: `node --test`.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { Shaper } from "toolshape";
import { addressFor, BODY, clients, HEADERS, SECRET, wrappings } from "./clients.mjs";

const shaper = new Shaper();
let waits;
const server = createServer((_request, response) => {
  response.writeHead(429, { ...HEADERS, ...waits });
  response.end(BODY);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
});

/** What a client threw, or returned. */
const outcome = async (name, ask) => {
  try {
    return await ask(addressFor(name, url));
  } catch (error) {
    return error;
  }
};

for (const [name, ask] of Object.entries(clients)) {
  test(name, async () => {
    waits = { "Retry-After": "30" };
    const given = await outcome(name, ask);
    const { value, text } = shaper.rateLimit(given, { tool: "list_articles" });
    assert.deepEqual(Object.keys(value), ["type", "retryAfterSeconds", "upstream", "message"]);
    assert.equal(value.retryAfterSeconds, 30);
    assert.ok(!text.includes(SECRET), text);
    for (const [how, wrap] of Object.entries(wrappings)) {
      const { value: reported } = shaper.rateLimit(wrap(given), { tool: "list_articles" });
      assert.deepEqual(
        { seconds: reported.retryAfterSeconds, message: reported.message },
        { seconds: 30, message: "list failed" },
        how,
      );
    }
    waits = { "Retry-After": new Date(Date.now() + 60_000).toUTCString() };
    // Slack's client reads seconds alone, and waits by itself where it finds none.
    if (name === "@slack/web-api") return;
    const seconds = shaper.rateLimit(await outcome(name, ask)).value.retryAfterSeconds;
    assert.ok(seconds > 50 && seconds <= 60, String(seconds));
  });
}
