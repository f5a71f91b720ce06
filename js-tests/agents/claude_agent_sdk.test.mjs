// The options for the Claude Agent SDK: its hook as the SDK calls it, and its server with MCP's own client.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { countTokens, MemoryStore } from "toolshape";
import { toolshape } from "toolshape/claude-agent-sdk";
import { LOG, PIXELS, POLICY, rows } from "./material.mjs";

const made = () => toolshape(POLICY, { store: new MemoryStore(), onReceipt: () => {} });
const image = { type: "image", source: { type: "base64", data: PIXELS } };

/** What the hook replaces the result of a tool by. */
async function hooked(shape, tool, response) {
  const { hooks } = shape.options();
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

test("what is in a file is read from there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolshape-"));
  try {
    const file = join(folder, "printed.txt");
    writeFileSync(file, LOG);
    const cut = { stdout: LOG.slice(0, 3000), stderr: "", persistedOutputPath: file, persistedOutputSize: 9 };
    const updated = await hooked(made(), "Bash", cut);
    assert.deepEqual(Object.keys(updated).sort(), ["stderr", "stdout"]);
    assert.match(updated.stdout, /articles\/2999/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the rest is read by a server in this process; other options stay", async () => {
  const shape = made();
  const own = {
    model: "m",
    allowedTools: ["Bash"],
    hooks: { Stop: [], PostToolUse: [{ hooks: [] }] },
    mcpServers: { db: {} },
  };
  const options = shape.options(own);
  assert.deepEqual([options.model, options.allowedTools], ["m", ["Bash", "mcp__toolshape__read_result"]]);
  assert.deepEqual(Object.keys(options.mcpServers), ["db", "toolshape"]);
  assert.deepEqual([options.hooks.PostToolUse.length, options.hooks.Stop], [2, []]);
  const updated = await hooked(shape, "Bash", { stdout: JSON.stringify(rows), stderr: "" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await options.mcpServers.toolshape.instance.connect(theirs);
  await client.connect(ours);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["read_result"],
  );
  const handle = updated.stdout.match(/result.([a-z]{16})/)[1];
  const answer = await client.callTool({
    name: "read_result",
    arguments: { handle, sql: "SELECT max(id) FROM result" },
  });
  assert.deepEqual(JSON.parse(answer.content[0].text).rows, [[399]]);
  await assert.rejects(client.callTool({ name: "other", arguments: {} }), /unknown tool/);
  await client.close();
});
