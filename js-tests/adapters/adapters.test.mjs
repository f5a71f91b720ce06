// Every behaviour of every adapter, against the SDK's own client; a table of all at the end.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BEHAVIOURS } from "./behaviours.mjs";
import { COLUMNS, connect } from "./clients.mjs";

const table = new Map(Object.keys(BEHAVIOURS).map((name) => [name, []]));

for (const column of COLUMNS) {
  const title = `${column.sdk} ${column.transport} ${column.era}`;
  test(title, async (t) => {
    const [shaped, naive] = await Promise.all([connect(column), connect(column, { how: "naive" })]);
    const setting = { ...column, ...shaped, naive: naive.client, connectAs: (name) => connect(column, { name }) };
    for (const [name, behaves] of Object.entries(BEHAVIOURS)) {
      await t.test(name, async () => {
        const at = table.get(name).push("FAILS") - 1;
        const reason = await behaves(setting);
        table.get(name)[at] = reason === undefined ? "yes" : `no: ${reason}`;
      });
    }
    await Promise.all([shaped.close(), naive.close()]);
  });
}

after(() => {
  const heads = COLUMNS.map(({ sdk, transport, era }) => [sdk, transport, era.slice(0, 4)]);
  const reasons = [...new Set([...table.values()].flat().filter((cell) => cell.startsWith("no: ")))];
  const cell = (text) => (text.startsWith("no: ") ? `(${reasons.indexOf(text) + 1})` : text);
  const width = Math.max(...[...table.keys()].map((name) => name.length));
  const line = (name, cells) => `${name.padEnd(width)} ${cells.map((text) => text.padStart(8)).join("")}`;
  console.log([0, 1, 2].map((at) => line("", heads.map((head) => head[at]))).join("\n"));
  for (const [name, cells] of table) console.log(line(name, cells.map(cell)));
  reasons.forEach((reason, at) => console.log(`(${at + 1}) ${reason.slice(4)}`));
  for (const cells of table.values()) assert.equal(cells.length, COLUMNS.length, "a row has a gap");
});
