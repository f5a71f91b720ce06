// What the gateway adds to a call: a server that answers at once, called directly and through one gateway, by clients that keep
// a connection each. Prints milliseconds, calls a second, and their ratios. Usage: run.mjs --program <toolshape> [--seconds <s>]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const ROWS = JSON.stringify(
  Array.from({ length: 4000 }, (_, id) => ({ id, name: `name ${id}`, note: "n".repeat(50) })),
);
const TEXTS = { small: "few words", large: ROWS };
const CLIENTS = [1, 16, 64];

if (isMainThread) await main();
else serve();

/** A server without an SDK, so that it takes little of the time. */
function serve() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { id, params } = JSON.parse(body);
    const text = TEXTS[params.name];
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  server.listen(workerData.port, "127.0.0.1");
}

async function main() {
  const { values } = parseArgs({ options: { program: { type: "string" }, seconds: { type: "string", default: "5" } } });
  const seconds = Number(values.seconds);
  const [upstream, port] = [await freePort(), await freePort()];
  const worker = new Worker(new URL(import.meta.url), { workerData: { port: upstream } });
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const config = join(folder, "toolshape.json");
  const url = `http://127.0.0.1:${upstream}/up`;
  writeFileSync(config, JSON.stringify({ listen: `127.0.0.1:${port}`, upstreams: { up: { url } } }));
  const gateway = spawn(values.program, ["serve", "--config", config], { stdio: ["ignore", "ignore", "pipe"] });
  await once(createInterface(gateway.stderr), "line");
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  for (const tool of Object.keys(TEXTS)) {
    for (const clients of CLIENTS) {
      const direct = await measure(upstream, tool, clients, seconds);
      const through = await measure(port, tool, clients, seconds);
      const shown = ({ median, p99, rate }) => `${median.toFixed(2)} ms, p99 ${p99.toFixed(2)}, ${Math.round(rate)}/s`;
      const ratio = (through.median / direct.median).toFixed(2);
      console.log(`${tool}, ${clients} clients: ${shown(direct)}; through ${shown(through)}; ${ratio} times`);
    }
  }
  console.log(`memory of the gateway: ${memory().toFixed(0)} MB`);
  gateway.kill();
  await worker.terminate();
  rmSync(folder, { recursive: true });
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Calls one tool for some seconds. */
async function measure(port, tool, clients, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } });
  const headers = { "content-type": "application/json", "content-length": body.length };
  const call = async () => {
    const began = performance.now();
    const asked = request({ port, host: "127.0.0.1", path: "/up", method: "POST", agent, headers }).end(body);
    const [answer] = await once(asked, "response");
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    for await (const _ of answer);
    return performance.now() - began;
  };
  for (let warm = 0; warm < 20; warm++) await call();
  const times = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) times.push(await call());
    }),
  );
  const rate = times.length / ((performance.now() - began) / 1000);
  times.sort((a, b) => a - b);
  agent.destroy();
  return { median: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)], rate };
}
