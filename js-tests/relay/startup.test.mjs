// The client waits for the server, so the server starts before the core is compiled, which takes as long.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const program = join(
  dirname(createRequire(import.meta.url).resolve("toolshape/package.json")),
  "dist/cjs/relay/bin.js",
);

/** Writes what happens to standard error, in its order. */
const traced = `
  const { ChildProcess } = require("node:child_process");
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (...given) { console.error("started"); return spawn.apply(this, given); };
  const { Module } = WebAssembly;
  WebAssembly.Module = function (...given) { console.error("compiled"); return new Module(...given); };`;

test("in Node the server starts before the core is compiled", () => {
  const trace = `data:text/javascript,${encodeURIComponent(`import { createRequire } from "node:module"; const require = createRequire("file:///");${traced}`)}`;
  const server = [process.execPath, "-e", "process.stdin.resume()"];
  const { stderr, status } = spawnSync(process.execPath, ["--import", trace, program, "--", ...server], { input: "" });
  assert.equal(status, 0);
  assert.deepEqual(String(stderr).match(/started|compiled/g), ["started", "compiled"]);
});
