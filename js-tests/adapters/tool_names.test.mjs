// The server's log warns once of an unknown tool in the policy's `tools`, and of a field that no row has.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { shapeServer } from "toolshape/mcp";
import { inProcess } from "./in_process.mjs";

const POLICY = {
  tools: {
    read_result: { maxTokens: 500 },
    secrt: false,
    LISTARTICLES: false,
    list_articles: { maxTokens: 500 },
    nothing_like_it: false,
  },
};
const tools = ["secret", "list_articles"].map((name) => ({
  name,
  run: () => ({ content: [{ type: "text", text: "a" }] }),
}));
const WARNINGS = [
  'the policy has options for a tool "secrt", which is not in the list of tools; did you mean "secret"?',
  'the policy has options for a tool "LISTARTICLES", which is not in the list of tools; did you mean "list_articles"?',
  'the policy has options for a tool "nothing_like_it", which is not in the list of tools',
];

for (const [sdk, connect] of Object.entries(inProcess)) {
  test(`${sdk}: names that no tool has`, async () => {
    const warnings = [];
    const { client, close } = await connect(POLICY, tools, { onWarning: (warning) => warnings.push(warning) });
    for (let times = 0; times < 2; times++) {
      await client.listTools();
      await client.callTool({ name: "list_articles", arguments: {} });
    }
    assert.deepEqual(warnings, WARNINGS);
    await close();
  });
}

test("without `onWarning` the words go to standard error, and a failing one breaks nothing", async () => {
  const written = mock.method(console, "error", () => {});
  for (const options of [
    {},
    {
      onWarning() {
        throw new Error("no");
      },
    },
  ]) {
    const { client, close } = await inProcess.v1(POLICY, tools, options);
    await client.listTools();
    assert.equal((await client.callTool({ name: "secret" })).content[0].text, "a");
    await close();
  }
  const lines = written.mock.calls.map(({ arguments: [line] }) => line).filter((line) => line.includes("policy"));
  written.mock.restore();
  assert.deepEqual(
    lines,
    WARNINGS.map((warning) => `toolshape: ${warning}`),
  );
});

test("a policy whose names are all there warns of nothing, and `onWarning` is a function", async () => {
  const warnings = [];
  const { client, close } = await inProcess.v1({ tools: { secret: false } }, tools, {
    onWarning: (warning) => warnings.push(warning),
  });
  await client.listTools();
  assert.deepEqual(warnings, []);
  await close();
  const server = new McpServer({ name: "a", version: "1" });
  assert.throws(() => shapeServer(server, {}, { onWarning: "yes" }), { code: "INVALID_CALL", path: "/onWarning" });
});

for (const [sdk, connect] of Object.entries(inProcess)) {
  test(`${sdk}: fields that no row has`, async () => {
    const warnings = [];
    const rows = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` })));
    const run = () => ({ content: [{ type: "text", text: rows }] });
    const policy = { maxTokens: 400, fields: ["id", "nmae"] };
    const onWarning = (warning) => warnings.push(warning);
    const { client, close } = await connect(policy, [{ name: "rows", run }], { onWarning });
    for (let times = 0; times < 2; times++) await client.callTool({ name: "rows", arguments: {} });
    assert.deepEqual(warnings, ['no row of a result of "rows" has "nmae", which is one of the policy\'s fields']);
    await close();
  });
}
