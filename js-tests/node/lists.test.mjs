// Lists that a caller pages as the notes say, also by keys, and links.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Shaper, ToolshapeError } from "toolshape";

for (const [maxTokens, most] of [
  [200, 1250],
  [1000, 500],
  [2000, 500],
]) {
  for (const overflow of ["shape", "error"]) {
    test(`a caller that follows the notes reaches the last of 10,000 rows in ${maxTokens} tokens, ${overflow}`, (t) => {
      const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row number ${id}` }));
      const shaper = new Shaper({ maxTokens, overflow });
      let [args, calls, seen] = [{}, 0, []];
      do {
        const page = shaper.shape(rows, { tool: "t", arguments: args }).value;
        calls++;
        if (page.suggest) {
          assert.equal(calls, 1, "a suggestion that was followed did not fit");
          args = { ...args, ...page.suggest };
          continue;
        }
        seen.push(...page.items.map(({ id }) => id));
        args = { ...args, cursor: page.nextCursor };
      } while (args.cursor !== null);
      assert.deepEqual(
        seen,
        rows.map(({ id }) => id),
      );
      assert.ok(calls <= most, `${calls} calls`);
      t.diagnostic(`${calls} calls`);
    });
  }
}

test("pages by keys give every row that was there throughout once", () => {
  const shaper = new Shaper({ maxTokens: 300, cursorKey: "a secret of sixteen bytes and more" });
  const keys = [{ name: "updated", order: "desc" }, "id"];
  let table = Array.from({ length: 90 }, (_, id) => ({ id, updated: id % 3 ? `2026-0${1 + (id % 3)}-01` : null }));
  const place = ({ id, updated }) => [updated === null ? 1 : 0, updated === null ? 0 : -Date.parse(updated), id];
  const compare = (a, b) => place(a).reduce((order, part, at) => order || part - place(b)[at], 0);
  const [seen, gone] = [[], new Set()];
  let cursor;
  for (let turn = 0; cursor !== null; turn++) {
    const call = { tool: "list", arguments: { cursor } };
    const after = shaper.decodeKeyset(cursor, call);
    const limit = shaper.pageSize(call);
    const rows = table
      .sort(compare)
      .filter((row) => after === null || compare(row, { updated: after[0], id: after[1] }) > 0)
      .slice(0, limit + 1);
    const page = shaper.keysetPage(rows, { keys }, call).value;
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    // Rows come and go before, at and after the place of the cursor.
    const last = seen.at(-1);
    const dropped = [last, (turn * 37) % 90, (turn * 53) % 90];
    for (const id of dropped) gone.add(id);
    table = table.filter(({ id }) => !dropped.includes(id));
    table.push({ id: 1000 + turn, updated: "2026-02-01" }, { id: 2000 + turn, updated: null });
  }
  assert.equal(new Set(seen).size, seen.length);
  for (let id = 0; id < 90; id++) assert.ok(seen.includes(id) || gone.has(id), `row ${id} never came`);
});

test("values of sort keys travel exactly", () => {
  const shaper = new Shaper();
  const values = [null, true, -3, 0.1, 2n ** 63n, 1e300, 'é"\\\n日本👩‍👩‍👧'];
  const row = Object.fromEntries(values.map((value, at) => [`k${at}`, value]));
  const other = Object.fromEntries(values.map((_, at) => [`k${at}`, null]));
  const keys = values.map((value, at) => ({ name: `k${at}`, nulls: value === null ? "first" : "last" }));
  const { nextCursor } = shaper.keysetPage([row, other], { keys, limit: 1 }, { tool: "t" }).value;
  assert.deepEqual(shaper.decodeKeyset(nextCursor, { tool: "t" }), values);
});

test("cursors expire by the clock or by what the call says", () => {
  const shaper = new Shaper({ cursorTtl: 60 });
  const page = (call) => shaper.keysetPage([{ id: 1 }, { id: 2 }], { keys: ["id"], limit: 1 }, call).value.nextCursor;
  assert.deepEqual(shaper.decodeKeyset(page({ tool: "t" }), { tool: "t" }), [1]);
  const cursor = page({ tool: "t", now: 1000 });
  assert.deepEqual(shaper.decodeKeyset(cursor, { tool: "t", now: 1059.9 }), [1]);
  assert.throws(() => shaper.decodeKeyset(cursor, { tool: "t", now: 1060 }), {
    code: "INVALID_CURSOR",
    path: "/cursor",
  });
});

for (const [cursor, reason] of [
  ["x".repeat(1_000_000), "longer than any cursor"],
  ["", "empty"],
  ["%%%", "malformed"],
  ["AAAA", "another version"],
  ["\ud83d", "malformed"],
]) {
  test(`a hostile cursor: ${reason}`, () => {
    const shaper = new Shaper();
    const asked = { tool: "t" };
    assert.throws(
      () => shaper.decodeKeyset(cursor, asked),
      (error) => {
        const refusal = shaper.refusal(error, asked);
        return refusal.isError && refusal.value.error === "INVALID_CURSOR" && refusal.value.message.includes(reason);
      },
    );
    assert.equal(shaper.decodeKeyset(undefined, asked), null);
    assert.equal(shaper.decodeKeyset(null, asked), null);
  });
}

test("what is not the fault of the caller is not refused", () => {
  const shaper = new Shaper();
  assert.equal(shaper.refusal(new Error("x")), null);
  assert.throws(
    () => shaper.keysetPage([{ id: 2 }, { id: 1 }], { keys: ["id"] }),
    (error) => error instanceof ToolshapeError && error.path === "/rows/1/id" && shaper.refusal(error) === null,
  );
  assert.throws(() => shaper.decodeKeyset(7), { code: "INVALID_CALL" });
});

test("links are MCP content", () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({
    slug: `crème/${at}`,
    title: `Number ${at}`,
    body: "x".repeat(5000),
  }));
  const mapping = { uri: "article:///{slug}", name: "{slug}", title: "{title}", mimeType: "text/plain" };
  const { value, tokens } = new Shaper().links(rows, mapping, { tool: "t" });
  const [about, ...links] = value;
  const { totalItems, hasMore } = JSON.parse(about.text);
  assert.deepEqual({ totalItems, hasMore, links: links.length }, { totalItems: 60, hasMore: true, links: 20 });
  const title = "Number 0";
  assert.deepEqual(links[0], {
    type: "resource_link",
    uri: "article:///cr%C3%A8me%2F0",
    name: "crème/0",
    title,
    mimeType: "text/plain",
  });
  assert.ok(tokens < 1000);
});
