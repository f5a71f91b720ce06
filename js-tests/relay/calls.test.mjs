// Calls of tools among everything else: equal ids in both directions, results that fit, and results that are shaped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { talk } from "./conversation.mjs";
import { overEach } from "./pumps.mjs";

const call = (id, name = "list") =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"n":1.0}}}`;
const rows = Array.from({ length: 2000 }, (_, id) => `{"id":${id},"name":"row ${id}","big":9007199254740993}`);
const large = `[${rows.join()}]`;
const result = (id, text) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":${JSON.stringify(text)}}]}}`;

/** What a model reads of an answer: fewer characters than any text within the budget has, and of the right call. */
function shaped(line, id) {
  assert.ok(line.length < 40_000, line.slice(0, 300));
  assert.ok(line.includes(`"id":${id},`), line.slice(0, 300));
  return JSON.parse(JSON.parse(line).result.content[0].text);
}

overEach("calls", (pump) => {
  test("ids differ by their type, and by who sent the request", () =>
    talk(pump, {}, async (talk) => {
      for (const id of ["0", '"0"', "1e2", '"\\u0061"']) await talk.asks(call(id));
      // The server's own requests have the same ids, and the client answers them.
      for (const id of ["0", '"0"', "1e2"]) {
        const asked = `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"x":-0}}`;
        assert.equal(await talk.answered(asked), asked);
        await talk.asks(result(id, large));
      }
      for (const id of ["1e2", '"0"', "0", '"\\u0061"'])
        assert.equal(shaped(await talk.answered(result(id, large)), id).totalItems, rows.length);
      // A second answer to a call does not reach the client.
      const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
      for (const id of ["0", '"0"']) {
        talk.server.write(`${result(id, large)}\n`);
        assert.equal(await talk.answered(note), note);
      }
    }));

  test("a result that fits arrives as the bytes that it was", () =>
    talk(pump, {}, async (talk) => {
      const answers = [
        '{"jsonrpc":"2.0","id":7, "result":{"content":[{"type":"text","text":"\\u0041\\/\\ud83d\\ude00"}],"structuredContent":{"n":1.0,"big":123456789012345678901234567890}} }',
        '{"id":7,"result":{"content":[],"isError":false,"_meta":{"x":-0}},"jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}}',
        '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such tool"}}',
        '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}}',
      ];
      for (const answer of answers) {
        await talk.asks(call(7));
        assert.equal(await talk.answered(answer), answer);
      }
    }));

  test("what is shaped is stored, and asked for in the same conversation", () =>
    talk(pump, {}, async (talk) => {
      await talk.asks('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      const tool =
        '{"name":"list", "inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1.0e3}}},"annotations":{"readOnlyHint":true}}';
      const listed = await talk.answered(`{"jsonrpc":"2.0","id":1,"result":{"tools":[${tool}]}}`);
      assert.ok(listed.includes(tool) && listed.includes('"name":"read_result"'), listed);
      await talk.asks(call(2));
      const page = shaped(await talk.answered(result(2, large)), 2);
      const shown = page.items.rows.length;
      assert.ok(shown > 0);
      assert.ok(talk.received.lines().at(-1).includes("9007199254740993"), "no digit is lost");
      const ask = async (id, args) => {
        const before = talk.received.lines().length;
        await talk.write(
          `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read_result", arguments: args } })}\n`,
        );
        await talk.received.linesCount(before + 1);
        return shaped(talk.received.lines()[before], id);
      };
      const before = talk.server.received.length;
      const handle = page.uri.split("/").at(-1);
      assert.deepEqual((await ask(3, { handle, sql: "SELECT count(*) FROM result" })).rows, [[rows.length]]);
      const next = await ask(4, { cursor: page.nextCursor, format: "json" });
      assert.equal(next.items[0].id, shown);
      assert.equal(talk.server.received.length, before, "the server is not asked");
    }));
});
