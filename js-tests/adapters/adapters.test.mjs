// Every row of docs/behaviours.json, for every SDK of TypeScript with its own client and server over both transports, and for a
// server in Rust, which the client of TypeScript's SDK calls.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connect, stop } from "./clients.mjs";
import { CODED } from "./coded.mjs";
import { tryRow } from "./steps.mjs";
import { COLUMNS, ROWS, reasonAgainst } from "./table.mjs";

test("every row is tried", () => {
  assert.deepEqual(
    ROWS.filter(({ steps }) => !steps?.length)
      .map(({ name }) => name)
      .sort(),
    Object.keys(CODED).sort(),
  );
});

for (const column of COLUMNS) {
  test(`${column.sdk} ${column.transport} ${column.era}`, async (t) => {
    // `client` is one of a server with the line and a store, `naive` of one without the line, `bare` of one with the
    // line alone, known to it as VS Code. What a server says without the line is the same over each transport.
    const [shaped, naive, bare] = await Promise.all([
      connect(column, { how: "shaped" }),
      connect({ ...column, transport: "http" }, { how: "naive" }),
      connect(column, { how: "bare", name: "Visual Studio Code" }),
    ]);
    const setting = { ...column, ...shaped, naive: naive.client, bare };
    for (const row of ROWS) {
      const skip = reasonAgainst(row, column) ?? false;
      await t.test(row.name, { skip }, () => (row.steps ? tryRow(row, setting) : CODED[row.name](setting)));
    }
    await Promise.all([shaped, naive, bare].map(({ close }) => close()));
  });
}

after(stop);
