// A result of one short text that fits passes without its call, unless the call asks for a part or a hook is to see all texts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inProcess } from "./in_process.mjs";

const TEXT = '[{"id":1,"name":"a secret"}]';
const TOOLS = [{ name: "list", run: () => ({ content: [{ type: "text", text: TEXT }] }) }];
const redact = (text) => text.replace("secret", "word");

for (const sdk of Object.keys(inProcess)) {
  test(sdk, async () => {
    const answers = async (args, options) => {
      const { client, close } = await inProcess[sdk]({}, TOOLS, options);
      const { content } = await client.callTool({ name: "list", arguments: args });
      await close();
      return content[0].text;
    };
    for (const options of [{}, { store: null }]) {
      assert.equal(await answers({}, options), TEXT);
      assert.equal(await answers({ fields: ["id"] }, options), '[{"id":1}]');
    }
    assert.equal(await answers({}, { redact }), TEXT);
    assert.equal(await answers({}, { redact, redacts: "all" }), redact(TEXT));
  });
}
