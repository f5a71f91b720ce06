// What a server has beside its tools: a store and the ways to read it, receipts, hosts.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { countTokens } from "toolshape";
import { call, fits, json, nextOf, receiptOf, textOf, toolsOf } from "./results.mjs";
import { FAULTS } from "./summarizer.mjs";
import { BUDGET } from "./table.mjs";
import { LOG, rows } from "./tools.mjs";

export const ofServers = {
  "later pages come from the store": async ({ client }) => {
    const first = json(await call(client, "list_rows", { count: 400 }));
    assert.equal(first.source, "live");
    const runs = textOf(await call(client, "runs"));
    const second = json(await call(client, "list_rows", { count: 400, cursor: nextOf(first) }));
    assert.deepEqual({ source: second.source, id: second.items[0].id }, { source: "snapshot", id: first.items.length });
    assert.equal(textOf(await call(client, "runs")), runs);
  },
  "read_result reaches what was left out": async ({ client }) => {
    assert.ok("handle" in (await toolsOf(client)).read_result.inputSchema.properties);
    const { uri: handle } = json(await call(client, "list_rows", { count: 400 }));
    const read = (args) => call(client, "read_result", { handle, ...args });
    assert.deepEqual(json(await read({ pointer: "/399" })), { id: 399, name: "the row of number 399" });
    assert.match(textOf(await read({ jsonPath: "$[?@.id==217]" })), /the row of number 217/);
    fits(await read({}));
    for (const [handle, code] of [["../../etc/passwd", "INVALID_HANDLE"], ["0".repeat(64), "NOT_FOUND"]]) {
      const wrong = await read({ handle });
      assert.equal(wrong.isError, true);
      assert.equal(json(wrong).error, code);
    }
    const unknown = await read({ colour: "red" });
    assert.equal(unknown.isError, true);
    assert.equal(json(unknown).error, "INVALID_CALL");
  },
  "the resource reaches it too": async ({ client }) => {
    const { uri } = json(await call(client, "json_text", { count: 400 }));
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ["toolshape://result/{id}"]);
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.ok(countTokens(contents[0].text) <= BUDGET);
    assert.equal(JSON.parse(contents[0].text).totalItems, 400);
    await assert.rejects(client.readResource({ uri: `toolshape://result/${"0".repeat(64)}` }), /no stored result/);
  },
  "what is offloaded is a handle": async ({ client }) => {
    const result = await call(client, "stored", { count: 400 });
    fits(result);
    const { offloaded, description, uri, bytes } = json(result);
    assert.deepEqual({ offloaded, description }, { offloaded: true, description: "[{id, name}] (400 items)" });
    assert.equal(bytes, JSON.stringify(rows(400)).length);
    const read = json(await call(client, "read_result", { handle: uri, page: 20, pageSize: 10 }));
    assert.deepEqual(read.items, rows(400).slice(190, 200));
  },
  "summarize tells in short": async ({ client, bare }) => {
    const { inputSchema } = (await toolsOf(client)).summarize;
    assert.deepEqual(Object.keys(inputSchema.properties), ["handle", "pointer", "text", "uri", "kind", "cursor"]);
    assert.ok(!("summarize" in (await toolsOf(bare.client))));
    const kept = json(await call(client, "summarize", { text: "a line\n".repeat(2000) }));
    assert.equal(json(await call(client, "read_result", { handle: kept.uri, lines: "7" })).text, "a line\n");
    const result = await call(client, "summarize", { handle: kept.uri });
    fits(result);
    const { by, summary, totalLines, uri } = json(result);
    assert.deepEqual({ by, totalLines, uri }, { by: "the house", totalLines: 2000, uri: kept.uri });
    assert.match(summary, /^It has 14000 characters; \d+ tokens/);
    const { tool, steps } = receiptOf(result);
    assert.deepEqual({ tool, steps }, { tool: "summarize", steps: ["summarizeText"] });
    assert.equal(textOf(await call(client, "summarize", { text: "short" })), "short");
    const wrong = await call(client, "summarize", { handle: uri, text: "both" });
    assert.equal(wrong.isError, true);
    assert.equal(json(wrong).error, "INVALID_CALL");
  },
  "a summarizer that fails is replaced": async ({ client }) => {
    for (const [word, fault] of Object.entries(FAULTS)) {
      const text = `${word}\n${"INFO went well\n".repeat(2000)}ERROR broke`;
      const result = await call(client, "summarize", { text, uri: "file:///app.log" });
      fits(result);
      const { by, note, lines } = json(result);
      assert.equal(by, "toolshape");
      assert.ok(note.startsWith(`There is no summary by the house: ${fault}. `), note);
      assert.equal(lines.at(-1).text, "ERROR broke");
    }
  },
  "receipts stand in _meta": async ({ client }) => {
    const { tool, steps, tokensBefore, tokensAfter, budget, durationMs } = receiptOf(await call(client, "list_rows", { count: 400 }));
    assert.deepEqual({ tool, steps, budget }, { tool: "list_rows", steps: ["paginate"], budget: BUDGET });
    assert.ok(tokensAfter <= budget && budget < tokensBefore && durationMs > 0);
  },
  "one line stands on standard error": async ({ client, errors }) => {
    const before = errors.length;
    await call(client, "described", { count: 400 });
    const lines = () => errors.slice(before).join("").split("\n").filter((line) => line.includes("described"));
    for (let tries = 0; tries < 100 && lines().length === 0; tries++) await sleep(20);
    await sleep(20);
    assert.equal(lines().length, 1);
    assert.match(lines()[0], /^toolshape described: about \d+ tokens, \d+ of 600 told \(paginate\), [\d.]+ ms$/);
  },
  "onReceipt takes its place": async ({ bare: { client, errors } }) => {
    const result = await call(client, "list_rows", { count: 400 });
    assert.deepEqual(receiptOf(result).steps, ["paginate"]);
    fits(result);
    await sleep(20);
    assert.doesNotMatch(errors.join(""), /toolshape/);
  },
  "the host's own limit holds": async ({ client, bare }) => {
    const bytes = (result) => Buffer.byteLength(textOf(result));
    assert.ok(bytes(await call(client, "hosted")) > 40_000);
    const result = await call(bare.client, "hosted");
    assert.ok(bytes(result) > 4000 && bytes(result) <= 8192, `${bytes(result)} bytes`);
    assert.equal(json(result).totalChars, LOG.length);
  },
};
