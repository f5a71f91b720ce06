// Two servers in one process, as a host with two instances has them: a name for each tool, and each its own results.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expand, MemoryStore } from "toolshape";
import { inProcess } from "./in_process.mjs";

const NAMES = ["library", "archive"];

/** A list of a server's own, too large to show. */
const listOf = (name) =>
  Array.from({ length: 900 }, (_, id) => ({ id, title: `Row ${id} of the ${name}, which nobody else has` }));

function toolsOf(name) {
  const content = [{ type: "text", text: JSON.stringify(listOf(name)) }];
  return [{ name: "list", run: () => ({ content }) }];
}

const read = ({ content: [{ text }] }) => JSON.parse(expand(text));

async function pairOf(connect, options) {
  const servers = NAMES.map((name) => connect({}, toolsOf(name), { name, ...options() }));
  return (await Promise.all(servers)).map(({ client, close }, at) => ({ client, close, name: NAMES[at] }));
}

for (const [sdk, connect] of Object.entries(inProcess)) {
  test(`${sdk}: two servers have tools of two names, and neither reads what the other keeps`, async () => {
    const pair = await pairOf(connect, () => ({ store: new MemoryStore() }));
    const shown = [];
    for (const { client, name } of pair) {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), ["list", `read_result_${name}`]);
      shown.push(read(await client.callTool({ name: "list", arguments: {} })));
    }
    for (const [at, { client, name }] of pair.entries()) {
      const tool = { name: `read_result_${name}` };
      const [own, other] = [shown[at], shown[1 - at]];
      assert.ok(own.note.includes(tool.name), own.note);
      const { items } = read(await client.callTool({ ...tool, arguments: { cursor: own.nextCursor } }));
      assert.ok(items.length > 0 && items.every(({ title }) => title.includes(name)));
      for (const asked of [{ handle: other.uri }, { cursor: other.nextCursor }]) {
        const refused = await client.callTool({ ...tool, arguments: asked });
        assert.equal(refused.isError, true);
        assert.ok(!refused.content[0].text.includes("nobody else has"));
      }
    }
    await Promise.all(pair.map(({ close }) => close()));
  });

  test(`${sdk}: without a store of their own they share the memory of the process`, async () => {
    const pair = await pairOf(connect, () => ({}));
    const [one, other] = pair;
    const { uri } = read(await one.client.callTool({ name: "list", arguments: {} }));
    const asked = { name: `read_result_${other.name}`, arguments: { handle: uri, pointer: "/3/title" } };
    const { content } = await other.client.callTool(asked);
    assert.ok(content[0].text.includes(listOf(one.name)[3].title));
    await Promise.all(pair.map(({ close }) => close()));
  });
}
