// The lines about results on standard error, by what TOOLSHAPE_LOG says.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SERVER = `
import { Adapter } from "toolshape/mcp";
const adapter = new Adapter({ maxTokens: 400 });
for (const [name, length] of [["small", 3], ["large", 300]]) {
  const value = Array.from({ length }, (_, id) => ({ id }));
  await adapter.run(adapter.plan({ name }), {}, {}, async () => ({ content: [{ type: "text", text: JSON.stringify(value) }] }));
}`;

/** The tools that the lines name. */
async function said(env) {
  const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", SERVER], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    env: { ...process.env, ...env },
  });
  return stderr.split("\n").filter(Boolean).map((line) => line.match(/^toolshape (\w+): .* ms$/)?.[1]);
}

for (const [log, tools] of [["", ["large"]], ["all", ["small", "large"]], ["off", []]]) {
  test(`TOOLSHAPE_LOG=${log}: ${tools.length} lines`, async () => {
    assert.deepEqual(await said({ TOOLSHAPE_LOG: log }), tools);
  });
}
