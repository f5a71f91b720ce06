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

function ran(code, env) {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
    cwd,
    env: { ...process.env, ...env },
  });
}

/** The tools that the lines name. */
async function said(env) {
  const { stderr } = await ran(SERVER, env);
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => line.match(/^toolshape (\w+): .* ms$/)?.[1]);
}

for (const [log, tools] of [
  ["", ["large"]],
  ["all", ["small", "large"]],
  ["off", []],
]) {
  test(`TOOLSHAPE_LOG=${log}: ${tools.length} lines`, async () => {
    assert.deepEqual(await said({ TOOLSHAPE_LOG: log }), tools);
  });
}

const ORDER = `
const order = [];
console.error = () => order.push("line");
${SERVER}
order.push("result");
await new Promise(setImmediate);
console.log(order.join());`;

test("no result waits for its line, but in a Worker, which may end with its response", async () => {
  const orders = [];
  for (const agent of ["Node.js/22", "Cloudflare-Workers"]) {
    const { stdout } = await ran(
      `Object.defineProperty(globalThis, "navigator", { value: { userAgent: "${agent}" } });${ORDER}`,
      { TOOLSHAPE_LOG: "" },
    );
    orders.push(stdout.trim());
  }
  assert.deepEqual(orders, ["result,line", "line,result"]);
});

test("a line that cannot be written ends neither the call nor the server", async () => {
  const { stdout } = await ran(
    `console.error = () => { throw new Error("closed"); };${SERVER} await new Promise(setImmediate); console.log("alive");`,
    { TOOLSHAPE_LOG: "all" },
  );
  assert.equal(stdout.trim(), "alive");
});
