// tee.mjs FOLDER COMMAND…: passes lines between a host and a server, and writes them to a file of this process.

import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , folder, command, ...args] = process.argv;
mkdirSync(folder, { recursive: true });
const file = join(folder, `${process.pid}.jsonl`);
appendFileSync(file, "");
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

function pass(from, source, target) {
  const reader = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  reader.on("line", (line) => {
    appendFileSync(file, `${JSON.stringify({ from, line })}\n`);
    target.write(`${line}\n`);
  });
  reader.on("close", () => target.end());
}

pass("client", process.stdin, server.stdin);
pass("server", server.stdout, process.stdout);
for (const stream of [server.stdin, process.stdout]) stream.on("error", () => {});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code) => process.exit(code ?? 1));
