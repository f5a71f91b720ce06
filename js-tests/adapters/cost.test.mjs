// What installing costs: the tokens of the JSON of `tools`, as clients list it, of servers without the line and with it. The
// lines of TypeScript in the table of the docs, which UPDATE_TABLE writes anew.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { countTokens } from "toolshape";
import * as z from "zod";
import { inProcess } from "./in_process.mjs";
import { DOCUMENT } from "./table.mjs";

const SIZES = [5, 50, 90];
const MOST_ADDED = 700;
const MOST_PER_TOOL = 45;
const TITLES = { v2: "TS server 2", v1: "TS sdk 1", "ts-fastmcp": "TS fastmcp" };
const [BEGIN, END] = ["<!-- cost -->\n", "\n<!-- /cost -->"];

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

/** A line of the table: the tokens without the line, and what the line adds. */
async function line(sdk, promises, options, what) {
  const cells = [];
  for (const size of SIZES) {
    const tools = toolsOf(size, promises);
    const naive = await weighed(sdk, tools, { isNaive: true });
    const shaped = await weighed(sdk, tools, options);
    cells.push({ naive: naive.tokens, added: shaped.tokens - naive.tokens, size, names: shaped.names });
  }
  const told = cells.map(({ naive, added }) => `${naive.toLocaleString("en")} + ${added.toLocaleString("en")}`);
  return { cells, text: `| ${[TITLES[sdk] + what, ...told].join(" | ")} |` };
}

const lines = [];
for (const sdk of Object.keys(inProcess)) {
  test(`${sdk}: a server of ${SIZES.at(-1)} tools grows by under ${MOST_ADDED} tokens`, async () => {
    const plain = await line(sdk, false, {}, "");
    for (const { added, names } of plain.cells) {
      assert.ok(added > 0 && added < MOST_ADDED, `${added} tokens`);
      assert.ok(names.includes("read_result"));
    }
    lines.push(plain.text);
  });

  test(`${sdk}: an output schema is widened in few tokens, and the controls on tools take few`, async () => {
    const promised = await line(sdk, true, {}, ", output schemas");
    const without = await line(sdk, false, { store: null }, ", `store: null`");
    for (const { cells } of [promised, without]) {
      const [few, , many] = cells;
      const each = (many.added - few.added) / (many.size - few.size);
      assert.ok(each <= MOST_PER_TOOL, `${each} tokens a tool`);
    }
    lines.push(promised.text, without.text);
  });
}

test("the table of the docs has these figures", () => {
  const document = readFileSync(DOCUMENT, "utf8");
  const [before, rest] = document.split(BEGIN);
  const [table, after] = rest.split(END);
  const head = [`| server | ${SIZES.map((size) => `${size} tools`).join(" | ")} |`, "| --- | --: | --: | --: |"];
  const others = table.split("\n").filter((line) => line.startsWith("| Python"));
  const wanted = [...head, ...lines, ...others].join("\n");
  if (process.env.UPDATE_TABLE) writeFileSync(DOCUMENT, before + BEGIN + wanted + END + after);
  else assert.equal(table, wanted, "run again with UPDATE_TABLE=1 to write it anew");
});
