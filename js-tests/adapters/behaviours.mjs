// What an adapter does, one row for each: the same of every SDK, transport and era.

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens } from "toolshape";
import { MODERN } from "./clients.mjs";
import { IMAGE, LINK, OUTPUT, POLICY } from "./tools.mjs";

export const BUDGET = POLICY.maxTokens;

const textOf = ({ content }) => content.filter(({ type }) => type === "text").map(({ text }) => text).join("");
const json = (result) => JSON.parse(textOf(result));
const receiptOf = (result) => result._meta?.["toolshape/receipt"];

function fits(result) {
  assert.ok(countTokens(textOf(result)) <= BUDGET, "the content is over budget");
  if (result.structuredContent !== undefined) {
    assert.ok(countTokens(JSON.stringify(result.structuredContent)) <= BUDGET, "structuredContent is over budget");
  }
}

async function tool(client, name) {
  const { tools } = await client.listTools();
  const found = tools.find((tool) => tool.name === name);
  assert.ok(found, `${name} is not listed`);
  return found;
}

function validator(schema) {
  const { $schema, ...rest } = schema;
  return new Ajv2020({ strict: false }).compile(rest);
}

const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

/** Whether a call was refused: thrown as a protocol error or told in a result, as the SDK has it. */
async function refused(client, name, args) {
  try {
    return (await call(client, name, args)).isError === true;
  } catch {
    return true;
  }
}

/** Every row, by what tells it at the place of its page. */
async function allRows(client, name, args, read) {
  const rows = [];
  for (let cursor; cursor !== null; ) {
    const value = read(await call(client, name, { ...args, ...(cursor !== undefined && { cursor }) }));
    rows.push(...(value.items ?? value.rows ?? value._value.rows));
    cursor = (value._page ?? value).nextCursor;
    assert.ok(rows.length <= args.count, "pages go in a circle");
  }
  return rows.map(({ id }) => id);
}

const upTo = (count) => Array.from({ length: count }, (_, id) => id);

export const BEHAVIOURS = {
  "what fits passes as it is": async ({ client, naive }) => {
    for (const name of ["list_rows", "promised"]) {
      const [{ content, structuredContent }, plain] = [await call(client, name, { count: 3 }), await call(naive, name, { count: 3 })];
      assert.deepEqual({ content, structuredContent }, { content: plain.content, structuredContent: plain.structuredContent });
    }
  },
  "JSON in a text is paged": async ({ client }) => {
    const result = await call(client, "list_rows", { count: 400 });
    fits(result);
    assert.equal(json(result).totalItems, 400);
  },
  "wide JSON is read as JSON": async ({ client }) => {
    const result = await call(client, "wide", { count: 400 });
    fits(result);
    assert.equal(json(result).totalItems, 400);
  },
  "plain text shows its start": async ({ client }) => {
    const result = await call(client, "log");
    fits(result);
    assert.equal(json(result).truncated, true);
  },
  "page, pageSize and fields are taken": async ({ client }) => {
    const { items, page } = json(await call(client, "list_rows", { count: 400, page: 3, pageSize: 5, fields: ["id"] }));
    assert.deepEqual({ items, page }, { items: [10, 11, 12, 13, 14].map((id) => ({ id })), page: 3 });
  },
  "cursors lead through every row once": async ({ client }) => {
    assert.deepEqual(await allRows(client, "list_rows", { count: 150 }, json), upTo(150));
  },
  "the controls stand in the input schema": async ({ client }) => {
    const { inputSchema } = await tool(client, "list_rows");
    assert.deepEqual(Object.keys(inputSchema.properties), ["count", "page", "pageSize", "cursor", "fields"]);
    assert.equal(inputSchema.additionalProperties, false);
    assert.deepEqual(inputSchema.required, ["count"]);
    validator(inputSchema);
  },
  "a strict tool stays strict": async ({ client }) => {
    assert.ok(await refused(client, "list_rows", { count: 3, colour: "red" }));
    assert.ok(await refused(client, "list_rows", { count: "three" }));
  },
  "a wrong control is explained": async ({ client }) => {
    for (const wrong of [{ cursor: "nonsense" }, { page: 0 }, { pageSize: "many" }, { fields: "id" }]) {
      const result = await call(client, "list_rows", { count: 400, ...wrong });
      assert.equal(result.isError, true);
      assert.match(json(result).error, /^INVALID_/);
    }
  },
  "a tool's own argument stays its own": async ({ client }) => {
    const { inputSchema } = await tool(client, "own_cursor");
    assert.deepEqual(Object.keys(inputSchema.properties), ["cursor", "page", "pageSize", "shapeCursor", "fields"]);
    const first = json(await call(client, "own_cursor", { cursor: "theirs", page: 7 }));
    assert.deepEqual(first.items[0], { id: 0, name: "the row of number 0", cursor: "theirs", page: 7 });
    assert.match(first.note, /shapeCursor set to nextCursor/);
    const next = json(await call(client, "own_cursor", { cursor: "theirs", page: 7, shapeCursor: first.nextCursor }));
    assert.equal(next.items[0].id, first.items.length);
    assert.equal(next.items[0].cursor, "theirs");
  },
  "an output schema is widened, and valid": async ({ client }) => {
    const { outputSchema } = await tool(client, "promised");
    const valid = validator(outputSchema);
    for (const args of [{ count: 3 }, { count: 400 }, { count: 400, page: 4 }, { count: 400, fields: ["/rows/7/name"] }]) {
      const result = await call(client, "promised", args);
      fits(result);
      assert.ok(valid(result.structuredContent), JSON.stringify(result.structuredContent));
    }
    assert.ok(!valid({ total: 1 }));
  },
  "content and structuredContent tell the same": async ({ client }) => {
    const result = await call(client, "promised", { count: 400 });
    assert.deepEqual(result.structuredContent, json(result));
    assert.deepEqual(await allRows(client, "promised", { count: 60 }, json), upTo(60));
    assert.deepEqual(await allRows(client, "promised", { count: 60 }, (result) => result.structuredContent), upTo(60));
  },
  "an output schema is preserved": async ({ client }) => {
    const { outputSchema } = await tool(client, "kept");
    assert.equal(outputSchema.anyOf, undefined);
    const valid = validator(outputSchema);
    const result = await call(client, "kept", { count: 400 });
    fits(result);
    assert.ok(valid(result.structuredContent) && OUTPUT.safeParse(result.structuredContent).success);
    const told = json(result);
    assert.deepEqual(told._value, result.structuredContent);
    assert.match(told._note, /^Page 1\/20 of \/rows/);
    assert.deepEqual(told._elisions.map(({ pointer }) => pointer), ["/note"]);
    assert.deepEqual(receiptOf(result).steps, ["preserve"]);
    assert.deepEqual(await allRows(client, "kept", { count: 60 }, json), upTo(60));
  },
  "a value that breaks its schema is refused": async ({ client }) => {
    assert.ok(await refused(client, "broken", {}));
  },
  "images, links and foreign _meta pass": async ({ client }) => {
    const result = await call(client, "picture");
    assert.deepEqual(result.content.map(({ type }) => type), ["image", "text", "resource_link"]);
    assert.deepEqual([result.content[0], result.content[2]], [IMAGE, LINK]);
    assert.deepEqual(result._meta["example.com/theirs"], [1, 2]);
    assert.ok(receiptOf(result).tokensBefore < 5000, "base64 was counted");
    fits(result);
  },
  "an error stays an error": async ({ client }) => {
    const result = await call(client, "error");
    assert.equal(result.isError, true);
    fits(result);
  },
  "what a tool throws is told": async ({ client }) => {
    const result = await call(client, "fails");
    assert.equal(result.isError, true);
    assert.match(textOf(result), /no such article/);
    const long = await call(client, "fails_at_length");
    assert.equal(long.isError, true);
    fits(long);
  },
  "a rate limit that is thrown is a result": async ({ client }) => {
    const result = await call(client, "boom");
    assert.deepEqual(json(result), { type: "rate_limited", retryAfterSeconds: 30, upstream: "boom", message: "Too Many Requests" });
    assert.equal(result.isError, true);
    assert.deepEqual(receiptOf(result).steps, ["rateLimit"]);
  },
  "a rate limit that was flattened too": async ({ client }) => {
    const { type, retryAfterSeconds } = json(await call(client, "flattened"));
    assert.deepEqual({ type, retryAfterSeconds }, { type: "rate_limited", retryAfterSeconds: null });
  },
  "a tool that is left alone is": async ({ client, naive }) => {
    assert.deepEqual(await tool(client, "alone"), await tool(naive, "alone"));
    assert.deepEqual(await call(client, "alone", { count: 400 }), await call(naive, "alone", { count: 400 }));
  },
  "a question to the client passes": async ({ client, era }) => {
    if (era !== MODERN) return "servers of 2025 ask by requests, not by results";
    const seen = [];
    await client.callTool({ name: "asks", arguments: {} }, { onInputRequired: (request) => seen.push(request) }).catch((error) => seen.push(error));
    assert.match(JSON.stringify(seen, Object.getOwnPropertyNames(seen[0] ?? {})), /input|elicit/i);
  },
  "later pages come from the store": async ({ client }) => {
    const first = json(await call(client, "list_rows", { count: 400 }));
    assert.equal(first.source, "live");
    const second = json(await call(client, "list_rows", { count: 400, cursor: first.nextCursor }));
    assert.deepEqual({ source: second.source, id: second.items[0].id }, { source: "snapshot", id: first.items.length });
  },
  "read_result reaches what was left out": async ({ client }) => {
    await tool(client, "read_result");
    const { uri } = json(await call(client, "list_rows", { count: 400 }));
    assert.deepEqual(json(await call(client, "read_result", { handle: uri, pointer: "/399" })), { id: 399, name: "the row of number 399" });
    fits(await call(client, "read_result", { handle: uri }));
    const wrong = await call(client, "read_result", { handle: "../../etc/passwd" });
    assert.equal(wrong.isError, true);
    assert.equal(json(wrong).error, "INVALID_HANDLE");
  },
  "and so does the resource": async ({ client }) => {
    const { uri } = json(await call(client, "list_rows", { count: 400 }));
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ["toolshape://result/{id}"]);
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.ok(countTokens(contents[0].text) <= BUDGET);
    assert.equal(JSON.parse(contents[0].text).totalItems, 400);
    await assert.rejects(client.readResource({ uri: `toolshape://result/${"0".repeat(64)}` }));
  },
  "receipts stand in _meta": async ({ client }) => {
    const { tool, steps, tokensAfter, budget, durationMs } = receiptOf(await call(client, "list_rows", { count: 400 }));
    assert.deepEqual({ tool, steps, budget }, { tool: "list_rows", steps: ["paginate"], budget: BUDGET });
    assert.ok(tokensAfter <= budget && durationMs > 0);
  },
  "and one line on standard error": async ({ client, errors }) => {
    const before = errors.join("").length;
    await call(client, "list_rows", { count: 400 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const line = errors.join("").slice(before).trim().split("\n").at(-1);
    assert.match(line, /^toolshape list_rows: about \d+ tokens, \d+ of 600 told \(paginate\), [\d.]+ ms$/);
  },
  "summarize tells what the store has in short": async ({ client }) => {
    const { inputSchema } = await tool(client, "summarize");
    assert.deepEqual(Object.keys(inputSchema.properties), ["handle", "pointer", "text", "uri", "kind", "cursor"]);
    const { uri } = json(await call(client, "log"));
    const result = await call(client, "summarize", { handle: uri });
    fits(result);
    const { summarized, by, summary, totalLines, uri: original } = json(result);
    assert.deepEqual({ summarized, by, totalLines, original }, { summarized: true, by: "the house", totalLines: 2000, original: uri });
    assert.match(summary, /^It has 40000 characters; \d+ tokens/);
    const { tool: name, steps } = receiptOf(result);
    assert.deepEqual({ name, steps }, { name: "summarize", steps: ["summarizeText"] });
    const wrong = await call(client, "summarize", { handle: uri, text: "both" });
    assert.equal(wrong.isError, true);
    assert.equal(json(wrong).error, "INVALID_CALL");
  },
  "and a text that the model has": async ({ client }) => {
    assert.equal(textOf(await call(client, "summarize", { text: "short" })), "short");
    const { uri } = json(await call(client, "summarize", { text: "a line\n".repeat(2000) }));
    assert.equal(json(await call(client, "read_result", { handle: uri, lines: "7" })).text, "a line\n");
  },
  "where the host's summary fails, ours says so": async ({ client }) => {
    const failures = { THROW: "it failed: TypeError", HANG: "it took over 0.3 seconds", NOTHING: "it gave no text", LONG: "it is over the budget" };
    for (const [word, failure] of Object.entries(failures)) {
      const result = await call(client, "summarize", { text: `${word}\n${"INFO went well\n".repeat(2000)}ERROR broke`, uri: "file:///app.log" });
      fits(result);
      const { by, note, lines } = json(result);
      assert.equal(by, "toolshape");
      assert.ok(note.startsWith(`There is no summary by the house: ${failure}. `), note);
      assert.equal(lines.at(-1).text, "ERROR broke");
    }
  },
  "the host's own limit holds": async ({ connectAs }) => {
    const { client, close } = await connectAs("Visual Studio Code");
    try {
      const result = await call(client, "log");
      assert.ok(Buffer.byteLength(textOf(result)) <= 8192);
    } finally {
      await close();
    }
  },
};
