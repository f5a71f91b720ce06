// What becomes of a tool's results.

import assert from "node:assert/strict";
import { call, channels, everyRow, fits, json, outcome, receiptOf, rowsOf, textOf, upTo } from "./results.mjs";
import { BESIDE, LOG, QUESTION, rows } from "./tools.mjs";

export const ofResults = {
  "what fits passes as it is": async ({ client, naive }) => {
    for (const name of ["list_rows", "json_text", "blocks", "promised"]) {
      assert.deepEqual(channels(await call(client, name, { count: 3 })), channels(await call(naive, name, { count: 3 })));
    }
  },
  "JSON in a text is paged": async ({ client }) => {
    const result = await call(client, "json_text", { count: 400 });
    fits(result);
    const { totalItems, items } = json(result);
    assert.deepEqual({ totalItems, items }, { totalItems: 400, items: rows(20) });
    assert.equal(result.structuredContent, undefined);
  },
  "wide JSON is read as JSON": async ({ client }) => {
    const wide = json(await call(client, "wide", { count: 400 }));
    const minified = json(await call(client, "json_text", { count: 400 }));
    assert.deepEqual(wide.items, minified.items);
    assert.equal(wide.uri, minified.uri);
  },
  "a block for each item is one list": async ({ client }) => {
    const result = await call(client, "blocks", { count: 400 });
    fits(result);
    assert.equal(json(result).totalItems, 400);
    assert.deepEqual(json(result).items, rows(20));
    const asked = json(await call(client, "blocks", { count: 400, page: 2, fields: ["name"] }));
    assert.deepEqual(asked.items[0], { name: "the row of number 20" });
    assert.deepEqual(await everyRow(client, "blocks", 90), upTo(90));
  },
  "small texts stay beside a large one": async ({ client }) => {
    const result = await call(client, "several");
    fits(result);
    const [small, large] = result.content;
    assert.deepEqual(small, { type: "text", text: "All rows of today:" });
    assert.equal(JSON.parse(large.text).totalItems, 400);
  },
  "long text is cut and read on": async ({ client }) => {
    let result = await call(client, "log");
    fits(result);
    let { truncated, totalChars, preview: text } = json(result);
    assert.deepEqual({ truncated, totalChars }, { truncated: true, totalChars: LOG.length });
    for (let times = 0; times < 3; times++) {
      result = await call(client, "log", { cursor: json(result).nextCursor });
      fits(result);
      text += json(result).preview;
    }
    assert.ok(text.length > 4000 && LOG.startsWith(text));
  },
  "numbers keep their spelling": async ({ client }) => {
    assert.ok(textOf(await call(client, "exact")).includes('{"id":9007199254740993,"price":1.0,"zero":-0,"name":"a row"}'));
    assert.ok(textOf(await call(client, "exact", { fields: ["id", "zero"] })).includes('{"id":9007199254740993,"zero":-0}'));
  },
  "cursors lead through every row once": async ({ client }) => {
    assert.deepEqual(await everyRow(client, "list_rows", 150), upTo(150));
  },
  "what is no text passes byte for byte": async ({ client, naive }) => {
    const [result, plain] = [await call(client, "no_text"), await call(naive, "no_text")];
    assert.deepEqual(result.content.map(({ type }) => type), ["image", "audio", "text", "resource", "resource_link"]);
    const others = ({ content }) => content.filter(({ type }) => type !== "text");
    assert.deepEqual(others(result), others(plain));
    assert.deepEqual(result._meta["example.com/theirs"], [1, 2]);
    assert.ok(receiptOf(result).tokensBefore < 6000, "base64 was counted");
    fits(result);
  },
  "annotations of blocks pass": async ({ client, naive }) => {
    const [result, plain] = [await call(client, "annotated"), await call(naive, "annotated")];
    assert.deepEqual(result.content[0], plain.content[0]);
    for (const { annotations, _meta } of result.content) assert.deepEqual({ annotations, _meta }, BESIDE);
    assert.equal(json(result).totalItems, 200);
  },
  "an error stays an error": async ({ client }) => {
    const result = await call(client, "error");
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent, undefined);
    assert.ok(textOf(result).split("at line 1").length > 20);
    fits(result);
  },
  "what a tool throws is told": async ({ client, naive }) => {
    assert.deepEqual(await outcome(client, "fails"), await outcome(naive, "fails"));
    const long = await call(client, "fails_at_length");
    assert.equal(long.isError, true);
    fits(long);
  },
  "a rate limit that is thrown is a result": async ({ client }) => {
    const result = await call(client, "boom");
    assert.deepEqual(json(result), { type: "rate_limited", retryAfterSeconds: 30, upstream: "boom", message: "Too Many Requests" });
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent, undefined);
    assert.deepEqual(receiptOf(result).steps, ["rateLimit"]);
  },
  "a rate limit that was flattened too": async ({ client }) => {
    const result = await call(client, "flattened");
    const { type, retryAfterSeconds } = json(result);
    assert.deepEqual({ type, retryAfterSeconds }, { type: "rate_limited", retryAfterSeconds: null });
    assert.equal(result.isError, true);
  },
  "a question to the client passes": async ({ client, questions }) => {
    const result = await call(client, "asks");
    assert.deepEqual(questions.splice(0), [QUESTION]);
    fits(result);
    assert.equal(json(result).items[0].author, "Ada");
  },
  "progress passes": async ({ client, sdk }) => {
    const seen = [];
    const report = { onprogress: ({ progress }) => seen.push(progress) };
    // Clients of 1.x take a schema of results before the options.
    const options = sdk === "v2" ? [report] : [undefined, report];
    const result = await client.callTool({ name: "reports", arguments: { count: 400 } }, ...options);
    assert.deepEqual(seen, [1, 2]);
    assert.equal(json(result).totalItems, 400);
  },
  "calls at the same time do not mix": async ({ client }) => {
    const asked = async (count) => {
      const [promised, paged] = await Promise.all([call(client, "promised", { count }), call(client, "list_rows", { count })]);
      assert.deepEqual(rowsOf(json(promised)), rowsOf(promised.structuredContent));
      return [json(promised).total, json(paged).totalItems];
    };
    const counts = upTo(20).map((at) => 100 + at);
    assert.deepEqual(await Promise.all(counts.map(asked)), counts.map((count) => [count, count]));
  },
};
