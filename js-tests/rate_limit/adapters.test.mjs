// What real HTTP clients throw on a 429, thrown by a tool of each SDK: the shared cases, as they were recorded, and
// the clients themselves, asking a server that answers 429.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import * as z from "zod";
import { addressFor, BODY, clients, HEADERS, SECRET, wrappings } from "./clients.mjs";
import { inProcess } from "../adapters/in_process.mjs";

const file = join(process.env.TOOLSHAPE_ROOT ?? "../..", "vectors/rate_limit.json");
// A tool's name has at most 128 characters.
const cases = JSON.parse(readFileSync(file, "utf8")).cases.filter(({ call }) => !(call.tool?.length > 128));
const outputSchema = z.object({ articles: z.array(z.string()) });

/** What the tools throw next. */
let thrown;
const throws = () => {
  throw thrown;
};

/** Tools of these names that throw, each once with an output schema. */
const throwing = (names) =>
  names.flatMap((name) => [
    { name, run: throws },
    { name: `${name}_promised`, outputSchema, run: throws },
  ]);

/** The rate limit in a result, if there is one; in the content alone, so that every host shows it. */
function limitOf(result, about) {
  assert.equal(result.isError, true, about);
  assert.equal(result.structuredContent, undefined, about);
  assert.equal(result.content.length, 1, about);
  const [{ text }] = result.content;
  return text.startsWith('{"type":"rate_limited"') ? text : null;
}

for (const sdk of Object.keys(inProcess)) {
  test(`${sdk}: ${cases.length} recorded errors`, async () => {
    const policies = new Map(cases.map(({ policy = {} }) => [JSON.stringify(policy), policy]));
    let ran = 0;
    for (const [key, policy] of policies) {
      const own = cases.filter((one) => JSON.stringify(one.policy ?? {}) === key);
      const names = [...new Set(own.map(({ call }) => call.tool ?? "fetch"))];
      const { client, close } = await inProcess[sdk](policy, throwing(names));
      for (const { name, error, call, now, expect } of own) {
        // What has a message is thrown as an error, as tools do: of another object the SDKs show no words.
        thrown = expect !== null && typeof error?.message === "string" ? Object.assign(new Error(), error) : error;
        const tool = call.tool ?? "fetch";
        for (const asked of [tool, `${tool}_promised`]) {
          mock.timers.enable({ apis: ["Date"], now: (now ?? 0) * 1000 });
          const result = await client.callTool({ name: asked, arguments: {} }).finally(() => mock.timers.reset());
          const text = limitOf(result, name);
          if (expect === null || text === null) assert.equal(text, expect, name);
          else if (asked === call.tool) assert.equal(text, expect.text, name);
          else
            assert.deepEqual(
              { ...JSON.parse(text), upstream: null },
              { ...JSON.parse(expect.text), upstream: null },
              name,
            );
        }
        ran++;
      }
      await close();
    }
    assert.equal(ran, cases.length);
    assert.ok(ran > 170);
  });
}

let waits;
const upstream = createServer((_request, response) => {
  response.writeHead(429, { ...HEADERS, ...waits });
  response.end(BODY);
});
await new Promise((listening) => upstream.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${upstream.address().port}/`;
after(() => {
  upstream.closeAllConnections();
  upstream.close();
});

/** Throws what a client throws; a response, as authors do, where it does not throw by itself. */
const asking = (name, ask) => async () => {
  throw await ask(addressFor(name, url));
};

/** Throws that in another error. */
const wrapping = (name, ask, wrap) => async () => {
  throw wrap(await asking(name, ask)().catch((error) => error));
};

/** What an SDK keeps of an error: its message, after words of its own. */
const flattening = (name, ask) => async () => {
  const { message = "" } = await asking(name, ask)().catch((error) => error);
  return { content: [{ type: "text", text: `Tool 'fetch' execution failed: ${message}` }], isError: true };
};

/** Those whose messages alone tell of status 429; those of the others say what any error may say. */
const TELLING = ["axios", "got", "ky", "superagent", "openai", "@anthropic-ai/sdk", "@notionhq/client"];

for (const sdk of Object.keys(inProcess)) {
  test(`${sdk}: ${Object.keys(clients).length} real clients`, async (t) => {
    const tools = Object.entries(clients).flatMap(([name, ask], at) => [
      { name: `thrown_${at}`, run: asking(name, ask) },
      { name: `promised_${at}`, outputSchema, run: asking(name, ask) },
      { name: `flattened_${at}`, run: flattening(name, ask) },
      ...Object.entries(wrappings).map(([how, wrap]) => ({ name: `${how}_${at}`, run: wrapping(name, ask, wrap) })),
    ]);
    const { client, close } = await inProcess[sdk]({}, tools);
    const limit = async (name) => {
      const text = limitOf(await client.callTool({ name, arguments: {} }), name);
      return text && JSON.parse(text);
    };
    for (const [at, name] of Object.keys(clients).entries()) {
      await t.test(name, async () => {
        waits = { "Retry-After": "30" };
        for (const tool of [`thrown_${at}`, `promised_${at}`]) {
          const { type, retryAfterSeconds, upstream, message } = await limit(tool);
          assert.deepEqual(
            { type, retryAfterSeconds, upstream },
            { type: "rate_limited", retryAfterSeconds: 30, upstream: tool },
          );
          assert.ok(message.length > 0 && !message.includes(SECRET), message);
        }
        for (const how of Object.keys(wrappings)) {
          const { retryAfterSeconds, message } = await limit(`${how}_${at}`);
          assert.deepEqual({ retryAfterSeconds, message }, { retryAfterSeconds: 30, message: "list failed" });
        }
        const flat = await limit(`flattened_${at}`);
        if (TELLING.includes(name)) assert.deepEqual([flat.type, flat.retryAfterSeconds], ["rate_limited", null]);
        else assert.equal(flat, null);
        // Slack's client reads seconds alone, and waits by itself where it finds none.
        if (name === "@slack/web-api") return;
        waits = { "Retry-After": new Date(Date.now() + 60_000).toUTCString() };
        const { retryAfterSeconds: seconds } = await limit(`thrown_${at}`);
        assert.ok(seconds > 50 && seconds <= 60, String(seconds));
      });
    }
    await close();
  });
}
