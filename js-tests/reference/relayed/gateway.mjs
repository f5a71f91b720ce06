// The gateway in front of a server that prints its address: node gateway.mjs <command of the server>. Prints its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { GATEWAY_REMOTE } from "./ways.mjs";

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
const [url] = await once(createInterface(server.stdout), "line");
const [program, ...options] = GATEWAY_REMOTE.command(url, 0);
const gateway = spawn(program, options, { stdio: ["ignore", "ignore", "pipe"] });
const [listening] = await once(createInterface(gateway.stderr), "line");
console.log(`${/http:\S+/.exec(listening)[0]}/mcp`);
process.on("SIGTERM", () => {
  for (const child of [server, gateway]) child.kill("SIGKILL");
  process.exit();
});
