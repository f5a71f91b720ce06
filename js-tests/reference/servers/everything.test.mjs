// server-everything, over stdio and streamable HTTP, with a client that can do all that it asks: tools, tasks, questions
// to the client, progress, prompts, resources and completions are with the adapter what they are without it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "toolshape";
import { SERVERS, connect } from "./connect.mjs";
import { CALLS, TASKS } from "./everything_calls.mjs";
import { BUDGET, bytes, fits, textOf, reported, unshaped } from "./same.mjs";

/** A call's result or error as it came, what the client was asked meanwhile, and the progress that was reported. */
async function call({ client, asked, messages }, name, args) {
  const [before, from] = [asked.length, messages.length];
  await client.callTool({ name, arguments: args }, undefined, { onprogress: () => {} }).catch(() => {});
  return { ...answer(messages.slice(from)), asked: asked.slice(before) };
}

/** The same of a tool that answers by a task. */
async function callTask({ client, asked, messages }, name, args) {
  const [before, from] = [asked.length, messages.length];
  const steps = new Set();
  for await (const { type, task } of client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, {
    task: { ttl: 60_000 },
  })) {
    steps.add(task?.status ?? type);
  }
  return { ...answer(messages.slice(from)), asked: asked.slice(before), steps: [...steps] };
}

function answer(messages) {
  const { result, error } = messages.findLast((message) => "result" in message || "error" in message);
  const progress = messages
    .filter(({ method }) => method === "notifications/progress")
    .map(({ params: { progressToken, ...step } }) => step);
  return { ...(result ? reported(result) : { error }), progress };
}

/** All that a server has in addition to tools. */
async function rest({ client }) {
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const read = (uri) => client.readResource({ uri });
  return {
    prompts,
    simple: await client.getPrompt({ name: "simple-prompt" }),
    args: await client.getPrompt({ name: "args-prompt", arguments: { city: "Oslo" } }),
    completion: await client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    }),
    resources,
    documents: await Promise.all(resources.slice(0, 3).map(({ uri }) => read(uri))),
    text: await read("demo://resource/dynamic/text/2"),
    blob: await read("demo://resource/dynamic/blob/3"),
    templates: resourceTemplates.filter(({ uriTemplate }) => !uriTemplate.startsWith("toolshape:")),
    level: await client.setLoggingLevel("error"),
    subscribed: await client.subscribeResource({ uri: "demo://resource/dynamic/text/2" }),
    unsubscribed: await client.unsubscribeResource({ uri: "demo://resource/dynamic/text/2" }),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  };
}

test("server-everything", { concurrency: 2 }, (t) =>
  Promise.all(["stdio", "http"].map((transport) => t.test(`over ${transport}`, (t) => over(transport, t)))),
);

async function over(transport, t) {
  const servers = await Promise.all([
    connect(SERVERS.everything, { transport, isAble: true }),
    connect(SERVERS.everything, { transport, isAble: true, how: "shaped" }),
    connect(SERVERS.everything, { transport, isAble: true, how: "shaped", keeps: true }),
  ]);
  const [plain, ours, kept] = await Promise.all(servers.map(async ({ client }) => (await client.listTools()).tools));

  await t.test("its tools are listed as before, with arguments for shaping", () => {
    assert.equal(plain.length, 19);
    assert.deepEqual(ours.map(unshaped), plain.map(unshaped));
    assert.equal(kept.at(-1).name.slice(0, 11), "read_result");
    for (const { name, inputSchema } of ours) assert.ok("fields" in inputSchema.properties, name);
    assert.deepEqual(
      plain.filter(({ name }) => !CALLS.some(([called]) => called === name)),
      [],
      "each tool is called",
    );
  });

  const outcomes = await Promise.all(
    servers.map(async (server) => {
      const outcome = [];
      for (const [name, args] of CALLS)
        outcome.push(await (TASKS.includes(name) ? callTask : call)(server, name, args));
      return outcome;
    }),
  );
  for (const [index, [name, args]] of CALLS.entries()) {
    await t.test(`${name} ${JSON.stringify(args)}`, () => {
      const [expected, ...found] = outcomes.map((outcome) => outcome[index]);
      for (const { receipt, ...outcome } of found) {
        assert.equal(bytes(outcome), bytes(expected));
        if (outcome.own && outcome.own.isError !== true) assert.deepEqual(receipt?.steps, []);
      }
    });
  }

  await t.test("prompts, resources, completions and capabilities are the same", async () => {
    const [expected, ...found] = await Promise.all(servers.map(rest));
    for (const other of found) assert.equal(bytes(other), bytes(expected));
  });

  await t.test("arguments for shaping choose from its data", async () => {
    for (const { client } of servers.slice(1)) {
      const some = (name, args) => client.callTool({ name, arguments: args });
      assert.deepEqual(Object.keys(JSON.parse(textOf(await some("get-env", { fields: ["PATH"] })))), ["PATH"]);
      const weather = await some("get-structured-content", { location: "Chicago", fields: ["humidity"] });
      assert.deepEqual(
        [JSON.parse(textOf(weather)), weather.structuredContent],
        [{ humidity: 82 }, { _value: { humidity: 82 } }],
      );
      const unknown = await some("get-structured-content", { location: "Chicago", fields: ["colour"] });
      assert.deepEqual([unknown.isError, JSON.parse(textOf(unknown)).error], [true, "UNKNOWN_FIELD"]);
    }
  });

  await t.test("a large echo fits, and is reached to its end", async () => {
    const message = Array.from({ length: 4000 }, (_, line) => `line ${line} says ${line * 7}\n`).join("");
    assert.ok(countTokens(message) > 10 * BUDGET);
    for (const server of servers.slice(1)) {
      let [whole, cursor] = ["", undefined];
      do {
        const result = await server.client.callTool({
          name: "echo",
          arguments: { message, ...(cursor && { cursor }) },
        });
        fits(result);
        const { truncated, preview, nextCursor } = JSON.parse(textOf(result));
        assert.equal(truncated, true);
        whole += preview;
        cursor = nextCursor;
      } while (cursor != null);
      assert.equal(whole, `Echo: ${message}`);
    }
  });

  await t.test("a task's result is shaped, within the question that it asks", async () => {
    const topic = "python ".repeat(3000);
    const args = { topic, ambiguous: true };
    const [expected, ...found] = await Promise.all(
      servers.map((server) => callTask(server, "simulate-research-query", args)),
    );
    assert.ok(countTokens(textOf(expected.own)) > BUDGET);
    assert.equal(expected.asked.length, 1);
    for (const { own, receipt, asked } of found) {
      fits(own);
      assert.equal(receipt.tool, "simulate-research-query");
      assert.equal(bytes(asked), bytes(expected.asked));
      const { truncated, totalChars } = JSON.parse(textOf(own));
      assert.deepEqual({ truncated, totalChars }, { truncated: true, totalChars: [...textOf(expected.own)].length });
      assert.deepEqual(Object.keys(own._meta), Object.keys(expected.own._meta));
    }
  });

  await Promise.all(servers.map((server) => server.close()));
}
