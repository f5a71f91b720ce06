// A schema of a tool may check arguments at once, or later: with a promise of this realm or of another one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { inProcess } from "./in_process.mjs";

const JSON_SCHEMA = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const checked = ({ id }) =>
  Number.isInteger(id) ? { value: { id: id + 1 } } : { issues: [{ message: "no id here", path: ["id"] }] };
const later = runInNewContext("async (check) => check()");
const WAYS = {
  "at once": checked,
  later: async (given) => checked(given),
  "in another realm": (given) => later(() => checked(given)),
};

for (const [when, validate] of Object.entries(WAYS)) {
  test(when, async () => {
    const convert = () => JSON_SCHEMA;
    const inputSchema = {
      "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input: convert, output: convert } },
    };
    const run = ({ id }) => ({ content: [{ type: "text", text: `[${id}]` }] });
    const { client, close } = await inProcess.v2({}, [{ name: "one", inputSchema, run }]);
    const answer = async (args) => {
      const { isError = false, content } = await client.callTool({ name: "one", arguments: args });
      return [isError, content[0].text];
    };
    assert.deepEqual(await answer({ id: 6 }), [false, "[7]"]);
    const [isError, text] = await answer({ id: "six" });
    assert.ok(isError && /no id here/.test(text), text);
    await close();
  });
}
