// Agents of the AI SDK with its own fake model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, simulateReadableStream, stepCountIs, streamText, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { countTokens, expand, MemoryStore } from "toolshape";
import { toolshape } from "toolshape/ai-sdk";
import { z } from "zod";
import { failsOnce, LOG, PIXELS, POLICY, rows, TooMany } from "./material.mjs";
import { testRows } from "./table.mjs";

const inputSchema = z.object({});
const running = (execute, more = {}) => tool({ inputSchema, execute, ...more });
const thrown = (error) => async () => {
  throw error;
};
const image = { type: "image-data", data: PIXELS, mediaType: "image/png" };
const tools = {
  rows: running(async () => rows),
  odd: running(async () => rows.map((row) => ({ ...row, big: 2n ** 70n, when: new Date(0) }))),
  log: running(async () => LOG),
  few: running(async () => [1, 2, 3]),
  blocks: running(async () => "word ".repeat(500), {
    toModelOutput: ({ output }) => ({ type: "content", value: [{ type: "text", text: output }] }),
  }),
  limited: running(thrown(new TooMany("Too Many Requests"))),
  fails: running(thrown(new Error("no such article"))),
  failsAtLength: running(thrown(new Error("no such article ".repeat(3000)))),
  shot: running(async () => LOG, {
    toModelOutput: ({ output }) => ({ type: "content", value: [image, { type: "text", text: output }] }),
  }),
  yields: running(async function* () {
    yield [];
    yield rows;
  }),
  failsInTheEnd: running(async function* () {
    yield [];
    throw new Error("no such article ".repeat(3000));
  }),
  slow: running(
    (_, { abortSignal }) =>
      new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason))),
  ),
};
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that calls the tools of each turn, and notes what it reads. A turn may be a function of what was read. */
function scripted(turns) {
  const read = [];
  const names = [];
  const next = ({ prompt, tools = [] }) => {
    names.splice(0, Infinity, ...tools.map(({ name }) => name));
    const last = prompt.at(-1);
    if (last.role === "tool") read.push(prompt.filter(({ role }) => role === "tool").map(({ content }) => content));
    const turn = turns[read.length];
    const calls = typeof turn === "function" ? turn(read.at(-1)) : turn;
    return calls?.map(([toolName, input], at) => ({
      type: "tool-call",
      toolCallId: `${read.length}-${at}`,
      toolName,
      input: JSON.stringify(input ?? {}),
    }));
  };
  const model = new MockLanguageModelV3({
    doGenerate: async (params) => {
      const calls = next(params);
      const finishReason = { unified: calls ? "tool-calls" : "stop" };
      return { finishReason, usage, warnings: [], content: calls ?? [{ type: "text", text: "done" }] };
    },
    doStream: async (params) => {
      const calls = next(params);
      const done = [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "done" },
        { type: "text-end", id: "1" },
      ];
      const finish = { type: "finish", finishReason: { unified: calls ? "tool-calls" : "stop" }, usage };
      return { stream: simulateReadableStream({ chunks: [...(calls ?? done), finish] }) };
    },
  });
  return { model, read, names };
}

const go = [{ role: "user", content: "go" }];

/** The options of a run with a script. */
function options({ model }, own = tools) {
  const shape = toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
  return { model: shape.model(model), tools: shape.tools(own), messages: go, stopWhen: stepCountIs(20) };
}

const outputsOf = ({ read }) => (read.at(-1) ?? []).flat().map(({ output }) => output);

async function run(...turns) {
  const script = scripted(turns);
  const result = await generateText(options(script));
  return { ...script, result, outputs: outputsOf(script) };
}

test("a page, and a question of read_result; the user interface keeps the whole", async () => {
  const { outputs, names, result } = await run([["rows"]], ([[{ output }]]) => [
    ["read_result", { cursor: JSON.parse(output.value).nextCursor }],
  ]);
  const [page, next] = outputs.map(({ value }) => value);
  assert.ok(names.includes("read_result") && countTokens(page) <= 600);
  assert.deepEqual(JSON.parse(expand(next)).items[0], rows[JSON.parse(expand(page)).items.length]);
  assert.deepEqual(result.steps[0].toolResults[0].output, rows);
});

test("something else than a model or tools is refused", () => {
  const { model, tools } = toolshape();
  for (const wrong of ["openai/gpt-5", undefined, {}]) assert.throws(() => model(wrong), { path: "/model" });
  for (const wrong of [undefined, [], "tools"]) assert.throws(() => tools(wrong), { path: "/tools" });
  assert.throws(() => tools({ rows: undefined }), { code: "INVALID_CALL", message: /tool rows is undefined/ });
});

test("a tool with the name of ours is refused, and ours is not", () => {
  const own = { read_result: running(async () => rows) };
  assert.throws(() => toolshape().tools(own), { code: "INVALID_CALL", message: /readTool/ });
  const { read_result: first, ...named } = toolshape({ readTool: "read_stored" }).tools(own);
  assert.deepEqual([Object.keys(named), Object.keys(toolshape().tools(named))], [["read_stored"], ["read_result"]]);
  assert.equal(typeof first.execute, "function");
});

test("a model without the tools reads no handle, and both are warnings", async () => {
  const warnings = [];
  const policy = { ...POLICY, tools: { row: { maxTokens: 300 } } };
  const made = () => toolshape(policy, { onReceipt: () => {}, onWarning: (warning) => warnings.push(warning) });
  const { model, read } = scripted([[["log"], ["log"]]]);
  await generateText({ model: made().model(model), tools, messages: go, stopWhen: stepCountIs(3) });
  assert.equal(read[0][0][1].output.value, LOG);
  const shape = made();
  await generateText({ model: shape.model(scripted([]).model), tools: shape.tools(tools), messages: go });
  assert.deepEqual([warnings.length, /shape\.tools/.test(warnings[0]), /"rows"\?/.test(warnings[1])], [2, true, true]);
});

test("values, media and preliminary outputs", async () => {
  const { outputs } = await run([["odd"]], [["log"]], [["few"]], [["shot"]], [["yields"]]);
  const [odd, log, few, shot, yields] = outputs;
  assert.match(odd.value, /1180591620717411303424/);
  assert.ok(countTokens(odd.value) <= 600 && countTokens(log.value) <= 600);
  assert.deepEqual(few, { type: "text", value: "[1,2,3]" });
  assert.deepEqual(shot.value[0], image);
  assert.ok(countTokens(shot.value[1].text) <= 600);
  assert.equal(JSON.parse(yields.value).totalItems, 400);
});

const errorsKeepTheirMeaning = async () => {
  const { outputs } = await run([["limited"]], [["fails"]], [["failsAtLength"]], [["failsInTheEnd"]]);
  const [limited, fails, long, late] = outputs;
  assert.ok(outputs.every(({ type }) => type === "error-text"));
  assert.equal(JSON.parse(limited.value).retryAfterSeconds, 30);
  assert.equal(fails.value, "no such article");
  assert.ok(countTokens(long.value) <= 600 && countTokens(late.value) <= 600);
};

test("results of one turn are within their sum, and stay so", async () => {
  const { read } = await run([["rows"], ["odd"], ["blocks"], ["blocks"], ["few"]], [["few"]]);
  const textOf = ({ value }) => (Array.isArray(value) ? value.map(({ text }) => text).join("") : value);
  const [first, second] = read.map(([turn]) => turn.map(({ output }) => textOf(output)));
  assert.ok(first.reduce((sum, text) => sum + countTokens(text), 0) <= 1500);
  assert.equal(first[4], "[1,2,3]");
  assert.deepEqual(second, first);
});

async function aStream() {
  const script = scripted([[["rows"]]]);
  const { textStream } = streamText(options(script));
  const texts = [];
  for await (const text of textStream) texts.push(text);
  assert.equal(texts.join(""), "done");
  assert.ok(countTokens(outputsOf(script)[0].value) <= 600);
}

async function aRetry() {
  const script = scripted([[["flaky"]], [["flaky"]]]);
  await generateText(options(script, { flaky: running(failsOnce()) }));
  const [failed, page] = outputsOf(script).map(({ value }) => value);
  assert.equal(failed, "try again");
  assert.equal(JSON.parse(page).totalItems, 400);
}

async function anInterruptPasses() {
  const script = scripted([[["asked"]]]);
  const given = options(script, { asked: running(async () => rows, { needsApproval: true }) });
  const stopped = await generateText(given);
  const { approvalId } = stopped.content.find(({ type }) => type === "tool-approval-request");
  const said = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
  await generateText({ ...given, messages: [...go, ...stopped.response.messages, said] });
  assert.equal(JSON.parse(outputsOf(script)[0].value).totalItems, 400);
}

async function aTrace() {
  const spans = [];
  const span = new Proxy({}, { get: () => () => span });
  const startActiveSpan = (_, { attributes }, work) => {
    spans.push(attributes["ai.toolCall.name"]);
    return work(span);
  };
  const telemetry = { isEnabled: true, tracer: { startActiveSpan } };
  await generateText({ ...options(scripted([[["rows"]]])), experimental_telemetry: telemetry });
  assert.deepEqual(spans.filter(Boolean), ["rows"]);
}

async function aCancelledRun() {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const given = options(scripted([[["slow"]]]));
  await assert.rejects(generateText({ ...given, abortSignal: abort.signal }), { name: "AbortError" });
}

const read = async (turns) =>
  (await run(...turns)).outputs.map(({ value }) => {
    const blocks = Array.isArray(value) ? value : [{ type: "text", text: value }];
    return {
      text: blocks.map(({ text = "" }) => text).join(""),
      hasImage: blocks.some(({ type }) => type === "image-data"),
    };
  });

testRows("ai_sdk", read, {
  "errors keep their meaning": errorsKeepTheirMeaning,
  "a retry": aRetry,
  "an interrupt passes": anInterruptPasses,
  "a trace": aTrace,
  "a cancelled run": aCancelledRun,
  "a stream": aStream,
});
