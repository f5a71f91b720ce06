/**
 * Puts a proxy of others before a server, with stdio on both sides, as its documentation says.
 *
 * Usage: peer.mjs <folder of the programs of a Python environment> <which> <the server's command line>
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const [programs, which, ...server] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "peer-"));
const program = (name) => join(programs, name);
const between = { stdio: ["inherit", "inherit", "ignore"] };

const PEERS = {
  fastmcp: () => {
    const [command, ...args] = server;
    const script = `
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
create_proxy(StdioTransport(command=${JSON.stringify(command)}, args=${JSON.stringify(args)})).run("stdio", show_banner=False)`;
    return spawn(process.env.TOOLSHAPE_PYTHON, ["-c", script], between);
  },
  jmunch: () => {
    const [command, ...args] = server;
    const config = join(scratch, "config.json");
    writeFileSync(config, JSON.stringify({ upstream: { command, args } }));
    return spawn(program("jmunch-mcp"), ["--config", config], between);
  },
  /** It speaks stdio on one side, and HTTP on the other: so there are two of it. */
  mcp_proxy: async () => {
    const port = await freePort();
    const before = spawn(program("mcp-proxy"), ["--port", String(port), "--", ...server], { stdio: "ignore" });
    process.on("exit", () => before.kill());
    while (!(await answers(port))) await pause(50);
    return spawn(program("mcp-proxy"), ["--transport", "streamablehttp", `http://127.0.0.1:${port}/mcp`], between);
  },
};

const proxy = await PEERS[which]();
const [code] = await once(proxy, "exit");
rmSync(scratch, { recursive: true });
process.exit(code ?? 1);

async function freePort() {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address();
  listening.close();
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.end());
  });
}
