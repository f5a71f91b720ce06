// The gateway in front of a server that prints its address: node gateway.mjs <toolshape> <command of the server>. Prints its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [program, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
const [url] = await once(createInterface(server.stdout), "line");
const folder = mkdtempSync(join(tmpdir(), "gateway-"));
const config = join(folder, "toolshape.json");
writeFileSync(config, JSON.stringify({ listen: "127.0.0.1:0", upstreams: { up: { url } } }));
const gateway = spawn(program, ["serve", "--config", config], { stdio: ["ignore", "ignore", "pipe"] });
const [listening] = await once(createInterface(gateway.stderr), "line");
console.log(`${/http:\S+/.exec(listening)[0]}/up`);
process.on("SIGTERM", () => {
  for (const child of [server, gateway]) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
