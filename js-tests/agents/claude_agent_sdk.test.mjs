// Agents of the Claude Agent SDK: its program, in front of a scripted model; and its hook, as the SDK calls it.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { countTokens, MemoryStore } from "toolshape";
import { toolshape } from "toolshape/claude-agent-sdk";
import { serve } from "../hosts/fake/endpoint.mjs";
import { ScriptedModel } from "../hosts/fake/model.mjs";
import { failsOnce, LOG, PIXELS, POLICY, rows } from "./material.mjs";
import { serversOf, testRows } from "./table.mjs";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const BIG = "1180591620717411303424";
const made = () => toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
const image = { type: "image", source: { type: "base64", data: PIXELS } };

/** What the hook replaces the result of a tool by. */
async function hooked(shape, tool, response, options = {}) {
  const { hooks } = shape.options(options);
  const event = { hook_event_name: "PostToolUse", tool_name: tool, tool_input: {}, tool_response: response };
  return (await hooks.PostToolUse.at(-1).hooks[0](event)).hookSpecificOutput?.updatedToolOutput;
}

test("a result keeps the form of its tool", async () => {
  const names = rows.map(({ id }) => `src/a/long/folder/of/files/file${id}.rs`);
  for (const [tool, response, text] of [
    ["Bash", { stdout: LOG, stderr: "few", interrupted: false }, ({ stdout }) => stdout],
    ["Read", { type: "text", file: { content: LOG, filePath: "a" } }, ({ file }) => file.content],
    ["Grep", { mode: "content", content: LOG, filenames: [] }, ({ content }) => content],
    ["Glob", { filenames: names, durationMs: 1 }, ({ filenames }) => filenames[0]],
    ["mcp__db__all", JSON.stringify(rows), (output) => output],
    ["mcp__db__all", [image, { type: "text", text: LOG }], (blocks) => blocks[1].text],
  ]) {
    const before = structuredClone(response);
    const updated = await hooked(made(), tool, response);
    assert.deepEqual(response, before, tool);
    assert.ok(countTokens(text(updated)) <= 600 && text(updated).includes("toolshape://result/"), tool);
    if (typeof response !== "string") assert.deepEqual(Object.keys(updated), Object.keys(response));
  }
  for (const [tool, response] of [
    ["Bash", { stdout: "few", stderr: "", interrupted: false }],
    ["Bash", { stdout: LOG, stderr: "", isImage: true }],
    ["Edit", { originalFile: LOG }],
    ["mcp__db__all", [image]],
    ["mcp__toolshape__read_result", LOG],
  ])
    assert.equal(await hooked(made(), tool, response), undefined, tool);
});

test("of the files that a result names, only those of the host are read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolshape-"));
  try {
    const own = join(folder, "claude/projects/p/s/tool-results");
    const other = join(folder, "other/tool-results");
    for (const one of [own, other]) mkdirSync(one, { recursive: true });
    for (const one of [own, other]) writeFileSync(join(one, "printed.txt"), LOG);
    writeFileSync(join(folder, "claude/credentials.txt"), LOG);
    symlinkSync(join(other, "printed.txt"), join(own, "link.txt"));
    const named = (file) => ({ stdout: "a few", stderr: "", persistedOutputPath: file, persistedOutputSize: 9 });
    const env = { CLAUDE_CONFIG_DIR: join(folder, "claude") };
    const read = (tool, file) => hooked(made(), tool, named(file), { env });
    const updated = await read("Bash", join(own, "printed.txt"));
    assert.deepEqual(Object.keys(updated).sort(), ["stderr", "stdout"]);
    assert.match(updated.stdout, /articles\/2999/);
    for (const file of [
      join(other, "printed.txt"),
      join(own, "link.txt"),
      join(own, "../../../../../other/tool-results/printed.txt"),
      join(folder, "claude/credentials.txt"),
      own,
      "/dev/zero",
      "\0",
    ])
      assert.equal(await read("Bash", file), undefined, file);
    assert.equal(await read("mcp__db__all", join(own, "printed.txt")), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("other options stay", () => {
  const own = {
    model: "m",
    allowedTools: ["Bash"],
    hooks: { Stop: [], PostToolUse: [{ hooks: [] }] },
    mcpServers: { db: {} },
  };
  const options = made().options(own);
  assert.deepEqual([options.model, options.allowedTools], ["m", ["Bash", "mcp__toolshape__read_result"]]);
  assert.deepEqual(Object.keys(options.mcpServers), ["db", "toolshape"]);
  assert.deepEqual([options.hooks.PostToolUse.length, options.hooks.Stop], [2, []]);
});

const printed = (text) => ({ content: [{ type: "text", text }] });
const named = (name, work) => tool(name, name, {}, work);
const ownTools = () => [
  named("rows", async () => printed(JSON.stringify(rows))),
  named("odd", async () =>
    printed(JSON.stringify(rows.map((row) => ({ ...row, big: "BIG", when: new Date(0) }))).replaceAll('"BIG"', BIG)),
  ),
  named("log", async () => printed(LOG)),
  named("few", async () => printed("[1,2,3]")),
  named(
    "flaky",
    (
      (fails) => async () =>
        printed(JSON.stringify(await fails()))
    )(failsOnce()),
  ),
  named("shot", async () => ({
    content: [
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "text", text: LOG },
    ],
  })),
  named("slow", () => new Promise((resolve) => setTimeout(resolve, 30_000, printed("late")).unref())),
];

/** What keeps the program from other hosts than the script. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1",
};

/** The model after a run of Claude Code, and the messages of the run. */
async function ran(turns, given = {}, onMessage = () => {}) {
  const home = mkdtempSync(join(tmpdir(), "toolshape-"));
  const script = turns.map((turn, at) => turn.map(([tool, args], place) => ({ as: `${at}-${place}`, tool, args })));
  const model = new ScriptedModel(script);
  const { url, close } = await serve(model, join(home, "requests"));
  const messages = [];
  try {
    const servers = Object.entries(serversOf(turns)).map(([name, each]) => [name, { ...each, alwaysLoad: true }]);
    const own = createSdkMcpServer({ name: "own", tools: ownTools(), alwaysLoad: true });
    const key = { ANTHROPIC_API_KEY: "sk-ant-dummy", CLAUDE_CONFIG_DIR: home };
    const options = made().options({
      mcpServers: { own, ...Object.fromEntries(servers) },
      allowedTools: ["Bash", "mcp__own", ...servers.map(([name]) => `mcp__${name}`)],
      settingSources: [],
      model: "claude-sonnet-4-5",
      cwd: home,
      env: { ...process.env, ANTHROPIC_BASE_URL: url, ...key, ...QUIET },
      ...given,
    });
    for await (const message of query({ prompt: said(), options })) {
      messages.push(message);
      onMessage(message);
    }
  } finally {
    close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
  const reads = script.flat().map(({ as }) => {
    const { text, images } = model.read(as);
    // Claude Code says where a picture is, and adds reminders.
    const own = text.replace(/\n?\[Image[^\n]*\n?/, "").replace(/\n*<system-reminder>[^]*/, "");
    return { text: own, hasImage: images > 0 };
  });
  return { reads, messages };
}

/** The prompt as a stream, which the SDK needs to ask a person. */
async function* said() {
  yield { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
}

const read = async (turns) => (await ran(turns)).reads;
const totalItems = ({ text }) => JSON.parse(text).totalItems;

test("the tools of Claude Code", async () => {
  const [counted] = await read([[["Bash", { command: "seq 100000", description: "Counts" }]]]);
  assert.ok(countTokens(counted.text) <= 600);
  assert.equal(JSON.parse(counted.text).totalLines, 100_000);
});

async function errorsKeepTheirMeaning() {
  const [failed, command] = await read([[["flaky"]], [["Bash", { command: "exit 3", description: "Fails" }]]]);
  assert.match(failed.text, /^try again/);
  assert.match(command.text, /^Exit code 3/);
}

async function aRetry() {
  const [failed, page] = await read([[["flaky"]], [["flaky"]]]);
  assert.match(failed.text, /^try again/);
  assert.equal(totalItems(page), 400);
}

async function aCancelledRun() {
  const abortController = new AbortController();
  const started = Date.now();
  const stop = ({ type }) => type === "assistant" && abortController.abort();
  await assert.rejects(ran([[["slow"]]], { abortController }, stop), /abort/i);
  assert.ok(Date.now() - started < 20_000);
}

async function anInterruptPasses() {
  const asked = [];
  const canUseTool = async (name, updatedInput) => (asked.push(name), { behavior: "allow", updatedInput });
  const { reads } = await ran([[["rows"]]], { allowedTools: [], canUseTool });
  assert.deepEqual(asked, ["mcp__own__rows"]);
  assert.equal(totalItems(reads[0]), 400);
}

async function aTrace() {
  const seen = [];
  const note = async ({ tool_name: name, tool_response: response }) => (
    seen.push([name, JSON.stringify(response)]), {}
  );
  await ran([[["rows"]]], { hooks: { PostToolUse: [{ hooks: [note] }] } });
  assert.deepEqual(
    seen.map(([name]) => name),
    ["mcp__own__rows"],
  );
  assert.match(seen[0][1], /the row of number 399/);
}

async function aStream() {
  const { messages } = await ran([[["rows"]]]);
  const types = messages.map(({ type }) => type).filter((type) => type !== "system");
  assert.deepEqual(types, ["assistant", "user", "assistant", "result"]);
}

// Without toolshape, Claude Code puts long results into files and shows their start.
testRows(
  "claude_agent_sdk",
  read,
  {
    "errors keep their meaning": errorsKeepTheirMeaning,
    "a retry": aRetry,
    "a cancelled run": aCancelledRun,
    "an interrupt passes": anInterruptPasses,
    "a trace": aTrace,
    "a stream": aStream,
  },
  0.1,
);
