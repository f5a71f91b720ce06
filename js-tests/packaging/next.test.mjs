// The package in an application of Next.js, in its two runtimes: built for production, started, and asked.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const app = join(dirname(fileURLToPath(import.meta.url)), "next");
const program = createRequire(import.meta.url).resolve("next/dist/bin/next");
const WANTED = [100, 4, 11];

let server;
let address;

before(async () => {
  await built();
  ({ server, address } = await started());
});
after(() => server?.kill());

test("a route in Node", async () => assert.deepEqual(await (await fetch(`${address}/node`)).json(), WANTED));
test("a route in the edge runtime", async () =>
  assert.deepEqual(await (await fetch(`${address}/edge`)).json(), WANTED));

function next(words, stdio) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  return spawn(process.execPath, [program, ...words, app], { cwd: app, env, stdio });
}

async function built() {
  const build = next(["build"], ["ignore", "pipe", "pipe"]);
  let printedText = "";
  for (const stream of [build.stdout, build.stderr]) stream.on("data", (part) => (printedText += part));
  const code = await new Promise((resolve) => build.on("close", resolve));
  assert.equal(code, 0, printedText);
}

async function started() {
  const server = next(["start", "--port", "0", "--hostname", "127.0.0.1"], ["ignore", "pipe", "inherit"]);
  for await (const line of createInterface({ input: server.stdout })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address) return { server, address };
  }
  throw new Error("Next.js ended before it listened");
}
