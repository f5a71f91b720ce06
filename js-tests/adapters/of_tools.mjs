// Tools as clients see them: their arguments, schemas and policies.

import assert from "node:assert/strict";
import { countTokens } from "toolshape";
import { call, channels, everyRow, fits, isSchema, json, nextOf, outcome, receiptOf, refused, rowsOf, structured, textOf, toolsOf, upTo, validator } from "./results.mjs";
import { BUDGET, POLICY } from "./table.mjs";
import { rows } from "./tools.mjs";

export const ofTools = {
  "page, pageSize and fields are taken": async ({ client }) => {
    const { items, page } = json(await call(client, "list_rows", { count: 400, page: 3, pageSize: 5, fields: ["id"] }));
    assert.deepEqual({ items, page }, { items: [10, 11, 12, 13, 14].map((id) => ({ id })), page: 3 });
  },
  "the controls stand in the input schema": async ({ client, naive }) => {
    const tools = await toolsOf(client);
    for (const { inputSchema, outputSchema = {} } of Object.values(tools)) {
      assert.ok(isSchema(inputSchema) && isSchema(outputSchema));
    }
    const [ours, theirs] = [tools.list_rows.inputSchema, (await toolsOf(naive)).list_rows.inputSchema];
    assert.deepEqual(Object.keys(ours.properties), ["count", "page", "pageSize", "cursor", "fields"]);
    assert.deepEqual(ours.properties.count, theirs.properties.count);
    assert.deepEqual({ ...ours, properties: null }, { ...theirs, properties: null });
  },
  "a strict tool stays strict": async ({ client, naive }) => {
    for (const wrong of [{ count: 3, colour: "red" }, { count: "three" }, {}]) {
      assert.equal(await refused(client, "list_rows", wrong), await refused(naive, "list_rows", wrong));
    }
    assert.ok(await refused(client, "list_rows", { count: "three", page: 2 }));
  },
  "a wrong control is explained": async ({ client }) => {
    for (const wrong of [{ cursor: "nonsense" }, { page: 0 }, { pageSize: "many" }, { pageSize: 100_000 }, { fields: "id" }]) {
      const result = await call(client, "list_rows", { count: 400, ...wrong });
      assert.equal(result.isError, true);
      assert.match(json(result).error, /^INVALID_/);
    }
    const unknown = await call(client, "list_rows", { count: 400, fields: ["nmae"] });
    assert.equal(unknown.isError, true);
    assert.equal(json(unknown).error, "UNKNOWN_FIELD");
    assert.match(textOf(unknown), /name/);
  },
  "a tool's own argument stays its own": async ({ client, naive }) => {
    const [{ properties }, { properties: own }] = [(await toolsOf(client)).own_cursor.inputSchema, (await toolsOf(naive)).own_cursor.inputSchema];
    assert.deepEqual(Object.keys(properties), ["cursor", "page", "pageSize", "shapeCursor", "fields"]);
    assert.deepEqual(Object.fromEntries(Object.keys(own).map((name) => [name, properties[name]])), own);
    const first = json(await call(client, "own_cursor", { cursor: "theirs", page: 7 }));
    assert.deepEqual(first.items[0], { id: 0, name: "the row of number 0", cursor: "theirs", page: 7 });
    assert.match(first.note, /shapeCursor set to nextCursor/);
    const next = json(await call(client, "own_cursor", { cursor: "theirs", page: 7, shapeCursor: first.nextCursor }));
    assert.equal(next.items[0].id, first.items.length);
    assert.equal(next.items[0].cursor, "theirs");
  },
  "what a tool tells of itself stays": async ({ client, naive }) => {
    const [ours, theirs] = [await toolsOf(client), await toolsOf(naive)];
    const withoutSchemas = ({ inputSchema, outputSchema, ...rest }) => rest;
    for (const [name, tool] of Object.entries(theirs)) assert.deepEqual(withoutSchemas(ours[name]), withoutSchemas(tool));
    assert.equal(ours.described.title ?? ours.described.annotations.title, "Rows of today");
    assert.equal(ours.described.annotations.readOnlyHint, true);
    assert.equal(ours.described._meta["anthropic/maxResultSizeChars"], 500_000);
    assert.deepEqual(Object.keys(ours).filter((name) => name in theirs), Object.keys(theirs));
  },
  "an output schema is widened, and valid": async ({ client }) => {
    const valid = validator((await toolsOf(client)).promised.outputSchema);
    const asked = [{}, { page: 4 }, { fields: ["/rows/7/name"] }, { fields: ["total"] }];
    for (const args of [{ count: 3 }, ...asked.map((some) => ({ count: 400, ...some }))]) {
      const result = await call(client, "promised", args);
      fits(result);
      assert.notEqual(result.isError, true);
      assert.ok(valid(result.structuredContent), JSON.stringify(result.structuredContent));
    }
    assert.ok(!valid({ total: 1 }));
    assert.ok(!valid({ total: 3, rows: rows(3), colour: "red" }));
  },
  "content and structuredContent tell the same": async ({ client }) => {
    const result = await call(client, "promised", { count: 400 });
    fits(result);
    assert.deepEqual(result.structuredContent, json(result));
    for (const read of [json, structured]) assert.deepEqual(await everyRow(client, "promised", 60, read), upTo(60));
  },
  "a list that is promised is paged": async ({ client, naive }) => {
    const valid = validator((await toolsOf(client)).listed.outputSchema);
    const plain = await call(naive, "listed", { count: 3 });
    assert.deepEqual(channels(await call(client, "listed", { count: 3 })), channels(plain));
    const result = await call(client, "listed", { count: 400 });
    fits(result);
    assert.ok(valid(result.structuredContent));
    assert.deepEqual(structured(result), json(result));
    assert.equal(json(result).totalItems, 400);
    for (const read of [json, structured]) assert.deepEqual(await everyRow(client, "listed", 60, read), upTo(60));
  },
  "an output schema is preserved": async ({ client, naive }) => {
    const [schema, own] = [(await toolsOf(client)).kept.outputSchema, (await toolsOf(naive)).kept.outputSchema];
    assert.deepEqual(schema, own);
    const valid = validator(schema);
    const result = await call(client, "kept", { count: 400 });
    fits(result);
    assert.ok(valid(result.structuredContent));
    const told = json(result);
    assert.deepEqual(told._value, result.structuredContent);
    assert.match(told._note, /^Page 1\/20 of \/rows/);
    assert.deepEqual(told._elisions.map(({ pointer }) => pointer), ["/note"]);
    assert.deepEqual(receiptOf(result).steps, ["preserve"]);
    assert.deepEqual(await everyRow(client, "kept", 60), upTo(60));
  },
  "a preserved result links to the whole": async ({ client, bare }) => {
    const result = await call(client, "kept", { count: 400 });
    const [link, ...others] = result.content.filter(({ type }) => type === "resource_link");
    assert.deepEqual([link.uri, others], [json(result)._uri, []]);
    const shown = result.structuredContent.rows.length;
    const missing = `${shown} of 400 rows of /rows are shown, from row 0 on; 1 value is shortened or left out.`;
    assert.equal(link.description, `${missing} For any part call read_result with handle set to this uri.`);
    assert.ok(countTokens(textOf(result)) + countTokens(JSON.stringify(link)) <= BUDGET);
    const rest = json(await call(client, "read_result", { handle: link.uri, pointer: "/rows", page: 20 }));
    assert.equal(rest.items.at(-1).id, 399);
    const { content } = await call(bare.client, "kept", { count: 400 });
    assert.deepEqual(content.map(({ type }) => type), ["text"]);
  },
  "a value that breaks its schema is refused": async ({ client, naive }) => {
    assert.ok(await refused(naive, "broken", {}));
    assert.ok(await refused(client, "broken", {}));
  },
  "a tool that is left alone is": async ({ client, naive }) => {
    assert.deepEqual((await toolsOf(client)).alone, (await toolsOf(naive)).alone);
    const result = await call(client, "alone", { count: 400 });
    assert.deepEqual(channels(result), channels(await call(naive, "alone", { count: 400 })));
    assert.equal(receiptOf(result), undefined);
  },
  "a tool has a policy of its own": async ({ client }) => {
    const { maxTokens } = POLICY.tools.narrow;
    const result = await call(client, "narrow", { count: 400 });
    fits(result, maxTokens);
    assert.equal(json(result).pageSize, 5);
    assert.equal(receiptOf(result).budget, maxTokens);
    const other = await call(client, "list_rows", { count: 400 });
    assert.deepEqual([json(other).pageSize, receiptOf(other).budget], [20, BUDGET]);
  },
  "what is refused says what fits": async ({ client }) => {
    const result = await call(client, "refuses", { count: 400 });
    fits(result);
    const { error, tool, tokens, budget, suggest } = json(result);
    assert.deepEqual({ error, tool }, { error: "OUTPUT_BUDGET_EXCEEDED", tool: "refuses" });
    assert.ok(tokens > budget);
    const followed = await call(client, "refuses", { count: 400, ...suggest });
    fits(followed);
    assert.notEqual(followed.isError, true);
    assert.ok(rowsOf(json(followed)).length > 0);
  },
  "what is no tool is refused": async ({ client, naive }) => {
    const [ours, theirs] = [await outcome(client, "no_such_tool"), await outcome(naive, "no_such_tool")];
    assert.deepEqual(ours, theirs);
    assert.ok(ours.isRefused);
  },
  "without a store nothing points to one": async ({ bare: { client }, naive }) => {
    assert.deepEqual(Object.keys(await toolsOf(client)), Object.keys(await toolsOf(naive)));
    await assert.rejects(client.readResource({ uri: `toolshape://result/${"0".repeat(64)}` }));
    const first = json(await call(client, "list_rows", { count: 400 }));
    assert.equal(first.uri, undefined);
    assert.doesNotMatch(first.note, /read_result/);
    const runs = async () => Number(textOf(await call(client, "runs")));
    const before = await runs();
    const next = json(await call(client, "list_rows", { count: 400, cursor: nextOf(first) }));
    assert.equal(next.items[0].id, first.items.length);
    assert.equal(await runs(), before + 1);
  },
};
