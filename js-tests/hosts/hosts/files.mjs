// Configuration files of hosts.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes a text, or a value as JSON, to a file below `folder`; returns its path. */
export function put(folder, name, content) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return path;
}

/** The servers as most hosts configure them, each with more members. */
export const mcpServers = (servers, more = {}) =>
  Object.fromEntries(Object.entries(servers).map(([name, { command, args }]) => [name, { command, args, ...more }]));

export const PROMPT = "Use the tools as you see fit, then stop.";
