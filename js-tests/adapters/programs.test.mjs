// Programs that call tools, as a model writes them in a host that runs code: over a server as it is and over the same server
// behind the adapter they give the same answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { inProcess } from "./in_process.mjs";

const orders = Array.from({ length: 3000 }, (_, id) => ({
  id,
  customer: `customer ${id % 47}`,
  total: (id * 37) % 1000,
  open: id % 3 === 0,
}));
const log = Array.from({ length: 4000 }, (_, at) => `${at} ${at % 500 === 7 ? "ERROR disk" : "INFO all is well"}`);
const text = (value) => ({ content: [{ type: "text", text: value }] });

const TOOLS = [
  { name: "list_orders", run: () => text(JSON.stringify(orders)) },
  {
    name: "find_orders",
    outputSchema: z.object({ orders: z.array(z.any()) }),
    run: () => ({ ...text(JSON.stringify({ orders })), structuredContent: { orders } }),
  },
  { name: "read_log", run: () => text(log.join("\n")) },
];

// The tools of a program return the whole CallToolResult.
const PROGRAMS = {
  "counts the rows of a text": async (tools) =>
    JSON.parse((await tools.list_orders()).content[0].text).filter(({ open }) => open).length,
  "sums a column of structured content": async (tools) =>
    (await tools.find_orders()).structuredContent.orders.reduce((sum, { total }) => sum + total, 0),
  "groups rows": async (tools) => {
    const { structuredContent } = await tools.find_orders();
    return new Set(structuredContent.orders.map(({ customer }) => customer)).size;
  },
  "searches a text": async (tools) =>
    (await tools.read_log()).content[0].text.split("\n").filter((line) => line.includes("ERROR")).length,
  "joins two results": async (tools) => {
    const [listed, found] = await Promise.all([tools.list_orders(), tools.find_orders()]);
    const rows = new Map(JSON.parse(listed.content[0].text).map((row) => [row.id, row]));
    return found.structuredContent.orders.filter(({ id, total }) => rows.get(id)?.total === total).length;
  },
};
const ANSWERS = [1000, 1498500, 47, 8, 3000];

for (const sdk of ["v2", "v1"]) {
  test(`${sdk}: programs compute with what a tool returned`, async (t) => {
    const tools = async (options) => {
      const { client, close } = await inProcess[sdk]({ maxTokens: 400 }, TOOLS, options);
      t.after(close);
      let calls = 0;
      const call = (name) => () => client.callTool({ name, arguments: {}, _meta: { callId: `exec-${++calls}` } });
      return { client, ...Object.fromEntries(TOOLS.map(({ name }) => [name, call(name)])) };
    };
    const [naive, shaped] = [await tools({ isNaive: true }), await tools({})];
    const answers = (of) => Promise.all(Object.values(PROGRAMS).map((program) => program(of)));
    assert.deepEqual(await answers(naive), ANSWERS);
    assert.deepEqual(await answers(shaped), ANSWERS);
    // A model is shown a page.
    const page = await shaped.client.callTool({ name: "list_orders", arguments: {} });
    assert.equal(JSON.parse(page.content[0].text).paginated, true);
  });
}
