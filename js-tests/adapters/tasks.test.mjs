// Tasks of 2025-11-25 on SDK v1: the answer to tasks/result is a tool's result, and is shaped as one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { countTokens, expand } from "toolshape";
import { shapeServer } from "toolshape/mcp";
import * as z from "zod";

const POLICY = { maxTokens: 600, receipt: "meta", readTool: "read_result", tools: { alone: false } };
const tasks = new InMemoryTaskStore();

let runs = 0;
const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `the row of number ${id}` }));
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

/** A tool of which each call is a task that ends at once. */
function register(server, name, run, more = {}) {
  const config = {
    description: name,
    inputSchema: { count: z.number() },
    execution: { taskSupport: "required" },
    ...more,
  };
  server.experimental.tasks.registerToolTask(name, config, {
    createTask: async (args, { taskStore }) => {
      const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 20 });
      const result = run(args);
      await taskStore.storeTaskResult(task.taskId, result.isError ? "failed" : "completed", result);
      return { task };
    },
    getTask: (_, { taskStore, taskId }) => taskStore.getTask(taskId),
    getTaskResult: (_, { taskStore, taskId }) => taskStore.getTaskResult(taskId),
  });
}

async function connected(isShaped) {
  const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const server = new McpServer({ name: "tasks", version: "1.0.0" }, { capabilities, taskStore: tasks });
  if (isShaped) shapeServer(server, POLICY, { onReceipt: () => {} });
  const list = ({ count }) => {
    runs++;
    return text(rows(count));
  };
  register(server, "list_rows", list);
  register(server, "alone", list);
  register(server, "at_once_too", list, { execution: { taskSupport: "optional" } });
  const promised = ({ count }) => ({ ...text({ rows: rows(count) }), structuredContent: { rows: rows(count) } });
  register(server, "promised", promised, {
    outputSchema: { rows: z.array(z.object({ id: z.number(), name: z.string() })) },
  });
  register(server, "fails", ({ count }) => ({
    content: [{ type: "text", text: "no such article ".repeat(count) }],
    isError: true,
  }));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "somebody", version: "1.0.0" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  await client.listTools();
  return client;
}

/** The messages of a call that is a task, the last of which is its result. */
async function call(client, name, args) {
  const steps = [];
  for await (const step of client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, {
    task: { ttl: 60_000 },
  }))
    steps.push(step);
  const last = steps.at(-1);
  assert.equal(last.type, "result", String(last.error));
  assert.equal(steps[0].type, "taskCreated");
  return last.result;
}

const json = ({ content: [{ text }] }) => JSON.parse(expand(text));

test("results of tasks", async (t) => {
  const [shaped, naive] = [await connected(true), await connected(false)];
  t.after(async () => {
    await Promise.all([shaped.close(), naive.close()]);
    tasks.cleanup();
  });

  await t.test("what fits stays, with what it says of its task", async () => {
    const [ours, plain] = [await call(shaped, "list_rows", { count: 3 }), await call(naive, "list_rows", { count: 3 })];
    assert.deepEqual(ours.content, plain.content);
    assert.deepEqual(Object.keys(ours._meta), [...Object.keys(plain._meta), "toolshape/receipt"]);
  });
  await t.test("what is large is paged, by the arguments of the call", async () => {
    const first = await call(shaped, "list_rows", { count: 400, pageSize: 7 });
    assert.deepEqual({ total: json(first).totalItems, shown: json(first).items.length }, { total: 400, shown: 7 });
    assert.equal(first._meta["toolshape/receipt"].tool, "list_rows");
    const next = await call(shaped, "list_rows", { count: 400, pageSize: 7, cursor: json(first).nextCursor });
    assert.equal(json(next).items[0].id, 7);
  });
  await t.test("a wrong control is refused before the task runs", async () => {
    const before = runs;
    for (const [wrong, code] of [
      [{ page: 0 }, "INVALID_CALL"],
      [{ cursor: "none of ours" }, "INVALID_CURSOR"],
    ]) {
      const params = { name: "list_rows", arguments: { count: 400, ...wrong }, task: {} };
      await assert.rejects(
        shaped.request({ method: "tools/call", params }, CreateTaskResultSchema),
        (error) => error.code === -32602 && error.message.includes(code),
      );
    }
    assert.equal(runs, before);
  });
  await t.test("structured content is valid by the schema that the client has", async () => {
    const { structuredContent, ...result } = await call(shaped, "promised", { count: 400 });
    assert.deepEqual(structuredContent, JSON.parse(result.content[0].text));
    assert.ok(countTokens(JSON.stringify(structuredContent)) <= POLICY.maxTokens);
  });
  await t.test("an error stays one, and fits", async () => {
    const { taskId } = (
      await shaped.request(
        { method: "tools/call", params: { name: "fails", arguments: { count: 3000 }, task: {} } },
        CreateTaskResultSchema,
      )
    ).task;
    const result = await shaped.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    assert.equal(result.isError, true);
    assert.ok(countTokens(result.content[0].text) <= POLICY.maxTokens);
  });
  await t.test("a tool that is left alone is", async () => {
    const [ours, plain] = [await call(shaped, "alone", { count: 400 }), await call(naive, "alone", { count: 400 })];
    assert.deepEqual(ours.content, plain.content);
  });
  await t.test("a task that the SDK waits for itself is shaped once", async () => {
    const result = await shaped.callTool({ name: "at_once_too", arguments: { count: 400 } });
    assert.equal(json(result).totalItems, 400);
  });
  await t.test("a task that another server of the same store began is shaped too", async () => {
    const params = { name: "promised", arguments: { count: 400 }, task: {} };
    const { taskId } = (await naive.request({ method: "tools/call", params }, CreateTaskResultSchema)).task;
    const result = await shaped.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    assert.ok(countTokens(result.content[0].text) <= POLICY.maxTokens);
    assert.deepEqual(result.structuredContent, JSON.parse(result.content[0].text));
  });
  await t.test("an unknown task is rejected as without toolshape", async () => {
    const refusal = (client) =>
      client.experimental.tasks.getTaskResult("none", CallToolResultSchema).then(
        () => assert.fail(),
        ({ code, message }) => ({ code, message }),
      );
    assert.deepEqual(await refusal(shaped), await refusal(naive));
  });
});
