// Agents of the OpenAI Agents SDK with a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  handoff,
  MCPServerStdio,
  run as runAgent,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import { countTokens, expand, MemoryStore } from "toolshape";
import { toolshape } from "toolshape/openai-agents";
import { z } from "zod";
import { failsOnce, LOG, PIXELS, POLICY, rows, TooMany } from "./material.mjs";
import { serversOf, testRows } from "./table.mjs";

setTracingDisabled(true);

const parameters = z.object({});
const running = (name, execute, more = {}) => tool({ name, description: name, parameters, execute, ...more });
const thrown = (error) => async () => {
  throw error;
};
const image = { type: "image", image: `data:image/png;base64,${PIXELS}` };
const tools = [
  running("rows", async () => rows),
  running("odd", async () => rows.map((row) => ({ ...row, big: 2n ** 70n, when: new Date(0) }))),
  running(
    "slow",
    (_, __, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  ),
  running("log", async () => LOG),
  running("few", async () => "[1,2,3]"),
  running("limited", thrown(new TooMany("Too Many Requests")), { errorFunction: null }),
  running("fails", thrown(new Error("no such article")), { errorFunction: null }),
  running("failsAtLength", thrown(new Error("no such article ".repeat(3000)))),
  running("shot", async () => [image, { type: "text", text: LOG }]),
];

/** Calls the tools of each turn, and notes what it reads. */
function scripted(turns) {
  const read = [];
  const names = [];
  const getResponse = async ({ input, tools }) => {
    names.splice(0, Infinity, ...tools.map(({ name }) => name));
    read.push(input.filter?.(({ type }) => type === "function_call_result") ?? []);
    const at = read.length - 1;
    const turn = turns[at];
    const calls = typeof turn === "function" ? turn(read.at(-1)) : turn;
    const text = { type: "output_text", text: "done" };
    const output = calls?.map(([name, args], place) => ({
      type: "function_call",
      callId: `${at}-${place}`,
      name,
      status: "completed",
      arguments: JSON.stringify(args ?? {}),
    })) ?? [{ type: "message", role: "assistant", status: "completed", content: [text] }];
    return { usage: new Usage(), output };
  };
  const getStreamedResponse = async function* (request) {
    const { output } = await getResponse(request);
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: "response_done", response: { id: "1", usage, output } };
  };
  return { model: { getResponse, getStreamedResponse }, read, names };
}

/** An agent with a script, and the options of its run. */
function agentOf(script, given = { tools }) {
  const shape = toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
  const agent = shape.agent(new Agent({ name: "agent", model: script.model, ...given }));
  return [agent, { callModelInputFilter: shape.callModelInputFilter, maxTurns: 20 }];
}

const outputsOf = ({ read }) => read.at(-1).map(({ output }) => output);

async function run(turns, given) {
  const script = scripted(turns);
  const mcpServers = Object.values(serversOf(turns)).map((each) => new MCPServerStdio(each));
  const [agent, options] = agentOf(script, mcpServers.length > 0 ? { mcpServers } : given);
  for (const server of mcpServers) await server.connect();
  try {
    await runAgent(agent, "go", options);
  } finally {
    for (const server of mcpServers) await server.close();
  }
  return { ...script, outputs: outputsOf(script) };
}

const textOf = (output) => (typeof output === "string" ? output : output.text);

test("a page, and a question of read_result", async () => {
  const { outputs, names } = await run([
    [["rows"]],
    ([{ output }]) => [["read_result", { cursor: JSON.parse(textOf(output)).nextCursor }]],
  ]);
  const [page, next] = outputs.map(textOf);
  assert.ok(names.includes("read_result") && countTokens(page) <= 600);
  assert.deepEqual(JSON.parse(expand(next)).items[0], rows[JSON.parse(expand(page)).items.length]);
});

test("a copy of a shaped agent", () => {
  const [agent] = agentOf(scripted([]));
  const names = toolshape(POLICY)
    .agent(agent)
    .tools.map(({ name }) => name);
  assert.equal(names.filter((name) => name === "read_result").length, 1);
});

test("something else than an agent, and a tool with the name of ours, are refused", () => {
  for (const wrong of [undefined, { name: "a", tools: [] }, [], "agent"])
    assert.throws(() => toolshape().agent(wrong), { code: "INVALID_CALL", path: "/agent" });
  const agent = new Agent({ name: "agent", tools: [running("read_result", async () => rows)] });
  assert.throws(() => toolshape().agent(agent), { code: "INVALID_CALL", message: /readTool/ });
});

test("agents that it hands off to, and agents that are tools", async () => {
  const shape = toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
  const child = scripted([[["rows"], ["log"]]]);
  const last = scripted([[["rows"], ["log"]]]);
  const second = new Agent({ name: "second", model: last.model, tools });
  const first = scripted([[["ask", { input: "go" }]], [["transfer_to_second"]]]);
  const ask = shape.agent(new Agent({ name: "child", model: child.model, tools })).asTool({ toolName: "ask" });
  const agent = new Agent({ name: "first", model: first.model, tools: [ask], handoffs: [handoff(second)] });
  second.handoffs.push(agent);
  await runAgent(shape.agent(agent), "go", { callModelInputFilter: shape.callModelInputFilter });
  for (const script of [child, last]) {
    const texts = outputsOf(script)
      .map(textOf)
      .filter((text) => text.includes("toolshape://"));
    assert.equal(texts.length, 2);
    assert.ok(texts.reduce((sum, text) => sum + countTokens(text), 0) <= 1500);
    assert.ok(script.names.includes("read_result"));
  }
});

test("what is not shaped is a warning", async () => {
  const warnings = [];
  const policy = { ...POLICY, tools: { logs: { maxTokens: 300 } } };
  const shape = toolshape(policy, { onReceipt: () => {}, onWarning: (warning) => warnings.push(warning) });
  const { callModelInputFilter } = shape;
  const script = scripted([[["log"], ["log"]]]);
  const agent = new Agent({ name: "agent", model: script.model, tools });
  await runAgent(agent, "go", { callModelInputFilter });
  assert.equal(textOf(outputsOf(script)[0]), LOG);
  const parent = new Agent({ name: "parent", model: scripted([]).model, tools: [...tools, agent.asTool({})] });
  await runAgent(shape.agent(parent), "go", { callModelInputFilter });
  assert.deepEqual(
    warnings.map((warning) => warning.match(/shape\.agent\(agent\) to run|asTool|did you mean "log"/)[0]),
    ["shape.agent(agent) to run", "asTool", 'did you mean "log"'],
  );
});

test("values that JSON loses, and a rate limit of a tool with the function for errors", async () => {
  const { errorFunction } = toolshape(POLICY);
  const { outputs } = await run([[["map"]], [["big"]], [["limited"]], [["fails"]]], {
    tools: [
      running("map", async () => new Map([["a", 1]])),
      running("big", async () => [{ big: 2n ** 70n }]),
      running("limited", thrown(new TooMany("Too Many Requests")), { errorFunction }),
      running("fails", thrown(new Error("a secret")), { errorFunction }),
    ],
  });
  const [map, big, limited, fails] = outputs.map(textOf);
  assert.deepEqual([map, big], ['{"a":1}', '[{"big":1180591620717411303424}]']);
  assert.equal(JSON.parse(limited).retryAfterSeconds, 30);
  assert.equal(fails, textOf(fails).match(/^An error occurred.*again\.$/)[0]);
});

test("values and media", async () => {
  const { outputs } = await run([[["log"]], [["few"]], [["shot"]]]);
  const [log, few, shot] = outputs;
  assert.ok(countTokens(textOf(log)) <= 600);
  assert.equal(textOf(few), "[1,2,3]");
  assert.ok(JSON.stringify(shot).includes(PIXELS));
  assert.ok(countTokens(shot.find(({ type }) => type.endsWith("text")).text) <= 600);
});

const errorsKeepTheirMeaning = async () => {
  const { outputs } = await run([[["limited"]], [["failsAtLength"]]]);
  const [limited, long] = outputs.map(textOf);
  assert.equal(JSON.parse(limited).retryAfterSeconds, 30);
  assert.ok(countTokens(long) <= 600);
  await assert.rejects(run([[["fails"]]]), /no such article/);
};

test("results of one turn are within their sum, and stay so", async () => {
  const { read } = await run([[["rows"], ["log"], ["shot"], ["few"]], [["few"]]]);
  const texts = (items) => items.map(({ output }) => textOf(output));
  const [first, second] = [texts(read[1]), texts(read[2])];
  const sum = first.reduce((sum, text) => sum + (text === undefined ? 0 : countTokens(text)), 0);
  assert.ok(sum <= 1500);
  assert.equal(first[3], "[1,2,3]");
  assert.deepEqual(second.slice(0, 4), first);
});

/** A server of MCP whose `limited` has too many requests. */
function fakeServer() {
  const text = (text) => ({ type: "text", text });
  const link = { type: "resource_link", uri: "file:///whole", name: "the whole" };
  const answers = { listed: [text(JSON.stringify(rows)), link], few: [text("[1,2,3]")], limited: [] };
  return {
    name: "rows",
    cacheToolsList: false,
    connect: async () => {},
    close: async () => {},
    invalidateToolsCache: async () => {},
    listTools: async () =>
      Object.keys(answers).map((name) => ({
        name,
        inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
      })),
    callTool: async (name) => {
      if (name === "limited") throw new TooMany("Too Many Requests");
      return answers[name];
    },
  };
}

test("the tools of a server of MCP", async () => {
  const { outputs } = await run([[["listed"]], [["few"]], [["limited"]]], { mcpServers: [fakeServer()] });
  const [listed, few, limited] = outputs.map((output) => JSON.stringify(output).replaceAll("\\", ""));
  assert.match(listed, /"totalItems":400/);
  assert.match(listed, /file:\/\/\/whole/);
  assert.match(few, /\[1,2,3\]/);
  assert.match(limited, /"retryAfterSeconds":30/);
});

test("a copy of a shaped agent with a server", async () => {
  const script = scripted([[["listed"]]]);
  const [agent, options] = agentOf(script, { mcpServers: [fakeServer()] });
  await runAgent(agent.clone({ name: "another" }), "go", options);
  assert.match(JSON.stringify(outputsOf(script)).replaceAll("\\", ""), /"totalItems":400/);
});

async function aRetry() {
  const { outputs } = await run([[["flaky"]], [["flaky"]]], { tools: [running("flaky", failsOnce())] });
  const [failed, page] = outputs.map(textOf);
  assert.match(failed, /try again/);
  assert.equal(JSON.parse(page).totalItems, 400);
}

async function anInterruptPasses() {
  const script = scripted([[["asked"]]]);
  const asked = running("asked", async () => rows, { needsApproval: true });
  const [agent, options] = agentOf(script, { tools: [asked] });
  const { interruptions, state } = await runAgent(agent, "go", options);
  assert.deepEqual(
    interruptions.map(({ name }) => name),
    ["asked"],
  );
  state.approve(interruptions[0]);
  await runAgent(agent, state, options);
  assert.equal(JSON.parse(textOf(outputsOf(script)[0])).totalItems, 400);
}

async function aTrace() {
  const ended = [];
  const nothing = async () => {};
  const onSpanEnd = async ({ spanData }) => void ended.push(spanData);
  setTraceProcessors([
    {
      onTraceStart: nothing,
      onTraceEnd: nothing,
      onSpanStart: nothing,
      onSpanEnd,
      shutdown: nothing,
      forceFlush: nothing,
    },
  ]);
  setTracingDisabled(false);
  try {
    await run([[["rows"]]]);
  } finally {
    setTracingDisabled(true);
  }
  assert.deepEqual(
    ended.filter(({ type }) => type === "function").map(({ name }) => name),
    ["rows"],
  );
}

async function aStream() {
  const script = scripted([[["rows"]]]);
  const [agent, options] = agentOf(script);
  const streamed = await runAgent(agent, "go", { ...options, stream: true });
  const names = [];
  for await (const { name } of streamed) if (name) names.push(name);
  assert.deepEqual(names, ["tool_called", "tool_output", "message_output_created"]);
  assert.equal(JSON.parse(textOf(outputsOf(script)[0])).totalItems, 400);
}

async function aCancelledRun() {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 100);
  const [agent, options] = agentOf(scripted([[["slow"]]]));
  await assert.rejects(runAgent(agent, "go", { ...options, signal: abort.signal }), /abort/i);
}

const read = async (turns) =>
  (await run(turns)).outputs.map((output) => {
    const blocks = Array.isArray(output) ? output : [output];
    const text = blocks.map((block) => (typeof block === "string" ? block : (block.text ?? ""))).join("");
    return { text, hasImage: blocks.some(({ type }) => /image/.test(type)) };
  });

testRows("openai_agents", read, {
  "errors keep their meaning": errorsKeepTheirMeaning,
  "a retry": aRetry,
  "an interrupt passes": anInterruptPasses,
  "a trace": aTrace,
  "a stream": aStream,
  "a cancelled run": aCancelledRun,
});
