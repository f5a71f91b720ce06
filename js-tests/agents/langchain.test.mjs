// Agents of LangChain with its own fake model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeModel } from "@langchain/core/testing";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, createMiddleware, tool, ToolMessage, toolRetryMiddleware } from "langchain";
import { countTokens, expand, MemoryStore } from "toolshape";
import { toolshape } from "toolshape/langchain";
import { z } from "zod";
import { failsOnce, LOG, PIXELS, POLICY, rows, TooMany } from "./material.mjs";
import { testRows } from "./table.mjs";

const schema = z.object({});
const named = (name, func, more = {}) => tool(func, { name, description: name, schema, ...more });
const image = { type: "image", data: PIXELS, mimeType: "image/png" };
const tools = [
  named("rows", async () => rows),
  named("odd", async () => rows.map((row) => ({ ...row, big: 2n ** 70n, when: new Date(0) }))),
  named("log", async () => LOG),
  named("few", async () => "[1,2,3]"),
  named("blocks", async () => [{ type: "text", text: "word ".repeat(500) }]),
  named("limited", async () => {
    throw new TooMany("Too Many Requests");
  }),
  named("fails", async () => {
    throw new Error("no such article");
  }),
  named("yields", async function* () {
    yield "half";
    return rows;
  }),
  named("says", async () => {
    throw "no such article";
  }),
  named("shot", async () => [image, { type: "text", text: LOG }]),
  named("noted", async () => [rows, { of: "the user interface" }], { responseFormat: "content_and_artifact" }),
  named("asks", ({ count }) => `a person says ${interrupt({ draft: "word ".repeat(count) })}`, {
    schema: z.object({ count: z.number() }),
  }),
  named(
    "slow",
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  ),
];

/** An agent whose model calls the tools of each turn. A turn may be a function of what it reads. */
function agentOf(turns, { own = tools, around = [], within = [], ...options } = {}) {
  const model = fakeModel();
  for (const [at, turn] of turns.entries()) {
    const calls = turn.map(([name, args = {}], place) => ({ name, args, id: `${at}-${place}` }));
    model.respondWithTools(calls);
  }
  for (let at = 0; at < 3; at++) model.respond(new AIMessage("done"));
  const shape = toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
  return {
    agent: createAgent({ model, tools: own, middleware: [...around, shape, ...within], ...options }),
    shape,
    model,
  };
}

const asked = { messages: [{ role: "user", content: "go" }] };
const results = ({ messages }) => messages.filter(({ type }) => type === "tool");
const run = async (...turns) => results(await agentOf(turns).agent.invoke(asked, { recursionLimit: 100 }));

test("a page, and the rest of it by read_result", async () => {
  const { agent, shape } = agentOf([[["rows"]]]);
  const [message] = results(await agent.invoke(asked));
  const page = JSON.parse(expand(message.content));
  assert.ok(countTokens(message.content) <= 600);
  assert.equal(page.totalItems, 400);
  assert.match(String(message.artifact), /row of number 399/);
  const next = await shape.tools[0].invoke({ args: { cursor: page.nextCursor } });
  assert.deepEqual(JSON.parse(expand(next)).items[0], rows[page.items.length]);
});

test("values, media and artifacts", async () => {
  const names = ["odd", "log", "few", "shot", "noted", "yields"];
  const [odd, log, few, shot, noted, yielded] = await run(...names.map((name) => [[name]]));
  assert.equal(JSON.parse(yielded.content).totalItems, 400);
  const first = JSON.parse(expand(odd.content)).items[0];
  assert.equal(String(first.when), "1970-01-01T00:00:00.000Z");
  assert.match(odd.content, /1180591620717411303424/);
  assert.ok(countTokens(log.content) <= 600);
  assert.deepEqual([few.content, few.artifact], ["[1,2,3]", undefined]);
  assert.deepEqual(shot.content[0], image);
  assert.ok(countTokens(shot.content[1].text) <= 600);
  assert.deepEqual(noted.artifact, { of: "the user interface" });
  assert.equal(JSON.parse(noted.content).totalItems, 400);
});

test("values that JSON loses are shaped, whatever their size", async () => {
  const own = [named("map", async () => new Map([["a", 1]])), named("big", async () => [{ big: 2n ** 70n }])];
  const { agent } = agentOf([[["map"], ["big"]]], { own });
  const texts = results(await agent.invoke(asked)).map(({ content }) => content);
  assert.deepEqual(texts, ['{"a":1}', '[{"big":1180591620717411303424}]']);
});

test("a tool with the name of ours is refused, and a misspelt one in the policy is a warning", async () => {
  const { agent } = agentOf([], { own: [named("read_result", async () => rows)] });
  await assert.rejects(agent.invoke(asked), /readTool/);
  const warnings = [];
  const shape = toolshape({ tools: { row: {} } }, { onWarning: (warning) => warnings.push(warning) });
  await createAgent({ model: fakeModel().respond(new AIMessage("done")), tools, middleware: [shape] }).invoke(asked);
  assert.match(warnings.join(), /did you mean "rows"/);
});

const errorsKeepTheirMeaning = async () => {
  const [limited] = await run([["limited"]]);
  assert.equal(JSON.parse(limited.content).retryAfterSeconds, 30);
  assert.deepEqual([limited.status, limited.name, limited.tool_call_id], ["error", "limited", "0-0"]);
  // As without middleware, the model reads it.
  for (const name of ["fails", "says"]) {
    const [fails] = await run([[name]]);
    assert.deepEqual([fails.status, fails.content], ["error", "no such article"]);
  }
};

test("other middleware changes what is shaped", async () => {
  const redacts = createMiddleware({
    name: "redacts",
    wrapToolCall: async (request, handler) => {
      const message = await handler(request);
      return new ToolMessage({ ...message, content: message.content.replaceAll("row", "***") });
    },
  });
  const { agent } = agentOf([[["rows"]]], { within: [redacts] });
  const [message] = results(await agent.invoke(asked));
  const page = JSON.parse(expand(message.content));
  assert.deepEqual([page.totalItems, page.items[0].name], [400, "the *** of number 0"]);
  assert.doesNotMatch(String(message.artifact), /the row/);
});

test("results of one turn are within their sum, and stay so", async () => {
  const names = ["rows", "noted", "blocks", "blocks", "few"];
  const messages = await run(
    names.map((name) => [name]),
    [["few"]],
  );
  const texts = messages.map(({ text }) => text);
  assert.ok(texts.slice(0, 5).reduce((sum, text) => sum + countTokens(text), 0) <= 1500);
  assert.equal(texts[4], "[1,2,3]");
  assert.deepEqual(
    messages.map(({ name }) => name),
    [...names, "few"],
  );
});

const anInterruptPasses = async () => {
  for (const count of [5, 6000]) {
    const { agent } = agentOf([[["asks", { count }]]], { checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    const stopped = await agent.invoke(asked, thread);
    assert.deepEqual(stopped.__interrupt__[0].value, { draft: "word ".repeat(count) });
    const [message] = results(await agent.invoke(new Command({ resume: "yes" }), thread));
    assert.equal(message.content, "a person says yes");
  }
};

const aRetry = async () => {
  const retry = toolRetryMiddleware({ initialDelayMs: 0 });
  for (const options of [{ around: [retry] }, { within: [retry] }]) {
    const { agent } = agentOf([[["flaky"]]], { own: [named("flaky", failsOnce())], ...options });
    const [message] = results(await agent.invoke(asked));
    assert.equal(JSON.parse(message.content).totalItems, 400);
  }
};

const aCancelledRun = async () => {
  const { agent } = agentOf([[["slow"]]]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 300);
  await assert.rejects(agent.invoke(asked, { signal: controller.signal }), /abort/i);
};

const aStream = async () => {
  const { agent } = agentOf([[["rows"]]]);
  const seen = [];
  for await (const update of await agent.stream(asked, { streamMode: "updates" })) seen.push(update);
  const [message] = seen.flatMap(({ tools }) => tools?.messages ?? []);
  assert.equal(JSON.parse(message.content).totalItems, 400);
};

const read = async (turns) =>
  (await run(...turns)).map(({ content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return {
      text: blocks.map(({ text = "" }) => text).join(""),
      hasImage: blocks.some(({ type }) => type === "image"),
    };
  });

async function aTrace() {
  const ended = [];
  const callbacks = [{ handleToolEnd: (output) => void ended.push(String(output.content)) }];
  await agentOf([[["rows"]]]).agent.invoke(asked, { callbacks });
  assert.equal(ended.length, 1);
  assert.match(ended[0], /row of number 399/);
}

testRows("langchain", read, {
  "errors keep their meaning": errorsKeepTheirMeaning,
  "a retry": aRetry,
  "a cancelled run": aCancelledRun,
  "an interrupt passes": anInterruptPasses,
  "a trace": aTrace,
  "a stream": aStream,
});
