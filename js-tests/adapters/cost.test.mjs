// Tokens of a server's tool list, without toolshape and with it: the rows of TypeScript in docs/measurements/tool_list.json.
// UPDATE_TABLE=1 writes them.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens, Shaper } from "toolshape";
import * as z from "zod";
import { inProcess } from "./in_process.mjs";
import { ROOT } from "./table.mjs";

const SIZES = [5, 50, 90];
const MOST_ADDED = 700;
const MOST_PER_TOOL = 45;
const TITLES = { v2: "TS server 2", v1: "TS sdk 1", "ts-fastmcp": "TS fastmcp" };
const RECORDED = join(ROOT, "docs/measurements/tool_list.json");

/** Tools as servers have them: two arguments, and what they promise. The tests in Python have the same. */
const toolsOf = (count, promises) =>
  Array.from({ length: count }, (_, at) => ({
    name: `list_things_${at}`,
    inputSchema: z.object({
      query: z.string().describe("Words to look for"),
      limit: z.int().optional().describe("The most things"),
    }),
    ...(promises && {
      outputSchema: z.object({ total: z.int(), things: z.array(z.object({ id: z.int(), name: z.string() })) }),
    }),
    run: () => ({ content: [] }),
  }));

async function weighed(sdk, tools, options) {
  const { client, close } = await inProcess[sdk]({}, tools, options);
  const { tools: listed } = await client.listTools();
  await close();
  return { tokens: countTokens(JSON.stringify(listed)), names: listed.map(({ name }) => name) };
}

/** Token counts for each size, and the row of them: the tokens without toolshape, and how many it adds. */
async function measured(sdk, promises, options, what) {
  const cells = [];
  for (const size of SIZES) {
    const tools = toolsOf(size, promises);
    const naive = await weighed(sdk, tools, { isNaive: true });
    const shaped = await weighed(sdk, tools, options);
    cells.push({ naive: naive.tokens, added: shaped.tokens - naive.tokens, size, names: shaped.names });
  }
  return { cells, row: [TITLES[sdk] + what, ...cells.flatMap(({ naive, added }) => [naive, added])] };
}

const rows = [];
for (const sdk of Object.keys(inProcess)) {
  test(`${sdk}: the tools of a list are planned once`, async (t) => {
    const plan = t.mock.method(Shaper.prototype, "plan");
    const { client, close } = await inProcess[sdk]({}, toolsOf(50, true), {});
    const first = await client.listTools();
    assert.deepEqual(await client.listTools(), first);
    assert.equal(plan.mock.callCount(), 50);
    await close();
  });

  test(`${sdk}: a server of ${SIZES.at(-1)} tools grows by under ${MOST_ADDED} tokens`, async () => {
    const plain = await measured(sdk, false, {}, "");
    for (const { added, names } of plain.cells) {
      assert.ok(added > 0 && added < MOST_ADDED, `${added} tokens`);
      assert.ok(names.includes("read_result"));
    }
    rows.push(plain.row);
  });

  test(`${sdk}: an output schema is widened in few tokens, and the controls on tools take few`, async () => {
    const promised = await measured(sdk, true, {}, ", output schemas");
    const without = await measured(sdk, false, { store: null }, ", `store: null`");
    for (const { cells } of [promised, without]) {
      const [few, , many] = cells;
      const each = (many.added - few.added) / (many.size - few.size);
      assert.ok(each <= MOST_PER_TOOL, `${each} tokens a tool`);
    }
    rows.push(promised.row, without.row);
  });
}

test("the recorded rows of TypeScript are these", () => {
  const recorded = JSON.parse(readFileSync(RECORDED, "utf8"));
  const [table] = recorded.tables;
  const [python, typescript] = [true, false].map((isPython) =>
    table.rows.filter(([server]) => server.startsWith("Python") === isPython),
  );
  if (process.env.UPDATE_TABLE) {
    table.rows = [...rows, ...python];
    writeFileSync(RECORDED, `${JSON.stringify(recorded, null, 1)}\n`);
  } else {
    assert.deepEqual(typescript, rows, "run again with UPDATE_TABLE=1 to record them");
  }
});
