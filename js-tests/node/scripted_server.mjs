// A server that does what the tool of a call says: the least that a relay needs behind it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
const answer = (id, result) => write({ jsonrpc: "2.0", id, result });
const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));

const TOOLS = {
  rows: (id, { count = 500 }) => answer(id, { content: [{ type: "text", text: JSON.stringify(rows(count)) }] }),
  say: (_, { lines }) => lines.forEach(write),
  end: (_, { code }) => process.exit(code),
  kill: (_, { signal }) => process.kill(process.pid, signal),
  half: (id) =>
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 1, message: "" } }), () =>
      process.exit(0),
    ),
  silent: () => {},
  // A child of its own that outlives it, and does not end when it is asked to.
  stubborn: (id) => {
    const ignore = "process.on('SIGTERM', () => {}); process.stdout.write('.'); setInterval(() => {}, 1000)";
    const child = spawn(process.execPath, ["-e", ignore], { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", () => answer(id, { content: [{ type: "text", text: String(child.pid) }] }));
  },
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(40));

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  if (method === "tools/call") TOOLS[params.name](id, params.arguments ?? {});
  else if (method === "tools/list") answer(id, { tools: [{ name: "rows", inputSchema: { type: "object" } }] });
  else if (id !== undefined) answer(id, {});
}
process.exit(0);
