// MCP's conformance tests of servers, run against one.

import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { NODE, PACKAGES } from "../newer_node.mjs";

const suite = (name) => join(PACKAGES, name, "dist/index.js");
const RELEASED = [suite("@modelcontextprotocol/conformance"), "server", "--suite", "all"];
const NEXT = [suite("conformance-next"), "server", "--suite", "all", "--spec-version", "2026-07-28"];

/** Each server with the tests that are for it. */
export const COLUMNS = { v1: RELEASED, v2: RELEASED, modern: NEXT };

/** The server of these tests. */
export const server = (name, how) => [process.execPath, join(import.meta.dirname, "server.mjs"), name, how];

/** Each scenario's checks against a server that prints its address: their ids with their statuses. */
export async function run(command, [program, ...args]) {
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const [url] = await Promise.race([
      once(server.stdout),
      new Promise((_, reject) => server.once("exit", () => reject(new Error("the server ended")))),
    ]);
    // The command fails where a scenario does; what counts is what it wrote.
    await promisify(execFile)(NODE, [...command, "--url", url, "--output-dir", folder], { maxBuffer: 1e8 }).catch(
      () => {},
    );
    return Object.fromEntries(
      readdirSync(folder)
        .sort()
        .map((name) => [scenarioOf(name), checks(join(folder, name, "checks.json"))]),
    );
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const once = async (stdout) => {
  for await (const line of createInterface(stdout)) return [line];
  throw new Error("the server ended before it printed its address");
};
const scenarioOf = (folder) => folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
const checks = (file) => JSON.parse(readFileSync(file, "utf8")).map(({ id, status }) => `${id}: ${status}`);
export const failed = (checks) => checks.some((check) => check.endsWith(": FAILURE"));
