// The rows that data cannot express: many calls at once, and what a server writes.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { call, json, receiptOf, rowsOf, upTo } from "./results.mjs";

export const CODED = {
  "concurrent calls do not mix": async ({ client }) => {
    const asked = async (count) => {
      const [promised, paged] = await Promise.all([
        call(client, "promised", { count }),
        call(client, "list_rows", { count }),
      ]);
      assert.deepEqual(rowsOf(json(promised)), rowsOf(promised.structuredContent));
      return [json(promised).total, json(paged).totalItems];
    };
    const counts = upTo(20).map((at) => 100 + at);
    assert.deepEqual(
      await Promise.all(counts.map(asked)),
      counts.map((count) => [count, count]),
    );
  },
  "each result writes one line to standard error": async ({ client, errors }) => {
    const before = errors.length;
    await call(client, "described", { count: 400 });
    const lines = () =>
      errors
        .slice(before)
        .join("")
        .split("\n")
        .filter((line) => line.includes("described"));
    for (let tries = 0; tries < 100 && lines().length === 0; tries++) await sleep(20);
    await sleep(20);
    assert.equal(lines().length, 1);
    assert.match(
      lines()[0],
      /^toolshape described: about \d+ tokens, \d+ of 600 shown \(columns, paginate\), [\d.]+ ms(, [^,]+)?(, request \S+)?$/,
    );
  },
  "`onReceipt` replaces that line": async ({ bare: { client, errors } }) => {
    const result = await call(client, "list_rows", { count: 400 });
    assert.deepEqual(receiptOf(result).steps, ["columns", "paginate"]);
    await sleep(20);
    assert.doesNotMatch(errors.join(""), /toolshape/);
  },
};
