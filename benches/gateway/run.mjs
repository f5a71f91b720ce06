// What the gateway adds to a call: a server that answers at once, alone, behind nginx as a plain proxy, and behind the gateway, in
// turns; then the same for a server and clients of the SDK, and the gateway's memory while clients call it.
// Usage: run.mjs <toolshape> <nginx> <folder of the documentation> <seconds of those calls>

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Worker, isMainThread, workerData } from "node:worker_threads";
import { connect, startServer } from "../shape/end_to_end/clients.mjs";
import { SIZES } from "../shape/end_to_end/rows.mjs";
import { spread } from "../shape/figures.mjs";
import { record, rounded, spreadCell } from "../shape/measurements.mjs";

const ROWS = JSON.stringify(
  Array.from({ length: 4000 }, (_, id) => ({ id, name: `name ${id}`, note: "n".repeat(50) })),
);
/** Each large result is another text. */
const TEXTS = { small: () => "few words", large: (call) => ROWS.replace("name 0", `call ${call}`) };
const CLIENTS = [1, 16, 64];
/** The rounds of each contender, and the seconds of a round. */
const [ROUNDS, SECONDS] = [5, 1];
/** The clients of the long run, and the milliseconds that each waits after a call. */
const [SOAKING, PAUSE] = [16, 250];
/** The SDK of a whole call, and its calls in each round. */
const [SDK, CALLS] = ["TypeScript SDK 2", 40];
const ALONE = "the server alone";
const GATEWAY = "the gateway";

if (isMainThread) await main();
else serve();

/** A server without an SDK, so that it takes little of the time. */
function serve() {
  let calls = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { id, params } = JSON.parse(body);
    const text = TEXTS[params.name](calls++);
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    response
      .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) })
      .end(answer);
  });
  server.listen(workerData.port, "127.0.0.1");
}

async function main() {
  const [program, proxy, docs, soaking] = process.argv.slice(2);
  const [alone, through, proxied] = [await freePort(), await freePort(), await freePort()];
  const worker = new Worker(new URL(import.meta.url), { workerData: { port: alone } });
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const server = await startServer(SDK, "naive");
  const upstreams = { up: { url: `http://127.0.0.1:${alone}/up` }, sdk: { url: server.url } };
  const gateway = await startGateway(program, folder, through, upstreams);
  const nginx = await startNginx(proxy, folder, proxied, alone);
  process.on("exit", () => [nginx, gateway].forEach((child) => child.kill()));
  const contenders = { [ALONE]: alone, nginx: proxied, [GATEWAY]: through };
  const found = [];
  for (const tool of Object.keys(TEXTS)) {
    for (const clients of CLIENTS) {
      const rounds = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, port] of Object.entries(contenders)) {
          rounds[name].push(await measure(port, tool, clients, SECONDS));
        }
      }
      found.push({ call: tool === "small" ? "small" : `${Math.round(ROWS.length / 1000)} KB`, clients, rounds });
    }
  }
  const whole = await ofSdk(server.url, `http://127.0.0.1:${through}/sdk`);
  const memory = await soak(through, gateway.pid, Number(soaking));
  const tables = [latencies(found), rates(found), whole, memories(memory)];
  record("gateway", { command: `cargo xtask bench gateway --seconds ${soaking}`, tables }, { folder: ".", docs });
  await worker.terminate();
  rmSync(folder, { recursive: true });
}

/** A figure of each round, as a cell. */
function cell(rounds, of) {
  return spreadCell(spread(rounds.map(of)));
}

function latencies(found) {
  const of = ({ call, clients, rounds }) => {
    const more = (name) => cell(rounds[name], ({ median }, round) => median - rounds[ALONE][round].median);
    const late = (name) => cell(rounds[name], ({ p99 }) => p99);
    const alone = cell(rounds[ALONE], ({ median }) => median);
    return [call, clients, alone, more("nginx"), more(GATEWAY), ...[ALONE, "nginx", GATEWAY].map(late)];
  };
  return {
    title: "From a call to its answer",
    about:
      "Milliseconds of the server alone, and how many more a proxy adds, round by round; and the 99th percentiles of all three. The gateway shapes large results to 2,000 tokens.",
    columns: ["call", "clients", ALONE, "nginx, more", "the gateway, more", "99 %: alone", "nginx", "the gateway"],
    rows: found.map(of),
  };
}

function rates(found) {
  const of = ({ call, clients, rounds }) => {
    const ratio = (name) => cell(rounds[name], ({ rate }, round) => rate / rounds[ALONE][round].rate);
    return [
      call,
      clients,
      ...[ALONE, GATEWAY].map((name) => cell(rounds[name], ({ rate }) => rate)),
      ratio("nginx"),
      ratio(GATEWAY),
    ];
  };
  return {
    title: "Calls a second",
    about:
      "Of the server alone and through the gateway; and what nginx and the gateway carry in proportion to the server alone.",
    columns: ["call", "clients", ALONE, GATEWAY, "nginx, ratio", "the gateway, ratio"],
    rows: found.map(of),
  };
}

/** From a call of the SDK's client to its result: its server alone, and behind the gateway. */
async function ofSdk(alone, through) {
  const clients = [await connect(SDK, "naive", alone), await connect(SDK, "shaped", through)];
  const rows = [];
  let version = 0;
  for (const [size, count] of Object.entries(SIZES)) {
    const rounds = clients.map(() => []);
    for (let round = -1; round < ROUNDS; round++) {
      for (const [at, client] of clients.entries()) {
        const began = performance.now();
        for (let nth = 0; nth < CALLS; nth++) await client.call(count, version++);
        if (round >= 0) rounds[at].push((performance.now() - began) / CALLS);
      }
    }
    const [naive, shaped] = rounds;
    rows.push([size, cell(naive, Number), cell(shaped, Number), cell(shaped, (time, round) => time / naive[round])]);
  }
  await Promise.all(clients.map((client) => client.close()));
  return {
    title: "From a client of the SDK to its result",
    about: `Milliseconds of a call with a server and a client of ${SDK}, the server alone and behind the gateway, one client.`,
    columns: ["result", ALONE, GATEWAY, "ratio"],
    rows,
  };
}

function memories(rows) {
  return {
    title: "Memory of the gateway",
    about: `Resident memory after the calls above and while ${SOAKING} clients go on, which wait ${PAUSE} ms after each call; each large result is another text. The store holds 128 MiB.`,
    columns: ["seconds", "calls", "MB"],
    rows,
  };
}

/** What the memory of the gateway is, ten times in some seconds of calls. */
async function soak(port, pid, seconds) {
  const memory = () => rounded(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
  const rows = [[0, 0, memory()]];
  let [calls, isOver] = [0, false];
  const agent = new Agent({ keepAlive: true, maxSockets: SOAKING });
  const work = Array.from({ length: SOAKING }, async (_, client) => {
    while (!isOver) {
      await call(agent, port, (calls + client) % 2 ? "small" : "large");
      calls++;
      await wait(PAUSE);
    }
  });
  for (let step = 1; step <= 10; step++) {
    await wait(seconds * 100);
    rows.push([rounded((step * seconds) / 10), calls, memory()]);
  }
  isOver = true;
  await Promise.all(work);
  agent.destroy();
  return rows;
}

async function startGateway(program, folder, port, upstreams) {
  const config = join(folder, "toolshape.json");
  writeFileSync(config, JSON.stringify({ listen: `127.0.0.1:${port}`, upstreams }));
  const gateway = spawn(program, ["serve", "--config", config], { stdio: ["ignore", "ignore", "pipe"] });
  await once(createInterface(gateway.stderr), "line");
  return gateway;
}

async function startNginx(program, folder, port, to) {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; worker_processes auto; pid ${folder}/nginx.pid; error_log stderr error;
    events { worker_connections 1024; }
    http { access_log off; ${paths.join(" ")}
      upstream server { server 127.0.0.1:${to}; keepalive 64; }
      server { listen 127.0.0.1:${port}; location / {
        proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`;
  writeFileSync(join(folder, "nginx.conf"), main);
  const nginx = spawn(program, ["-c", join(folder, "nginx.conf"), "-p", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const agent = new Agent();
  const answers = () =>
    call(agent, port, "small").then(
      () => true,
      () => false,
    );
  while (nginx.exitCode === null && !(await answers())) await wait(20);
  return nginx;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The milliseconds that a call takes. */
async function call(agent, port, tool) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } });
  const headers = { "content-type": "application/json", "content-length": body.length };
  const began = performance.now();
  const asked = request({ port, host: "127.0.0.1", path: "/up", method: "POST", agent, headers }).end(body);
  const [answer] = await once(asked, "response");
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  for await (const _ of answer);
  return performance.now() - began;
}

/** Calls one tool for some seconds. */
async function measure(port, tool, clients, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  for (let warm = 0; warm < 20; warm++) await call(agent, port, tool);
  const times = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) times.push(await call(agent, port, tool));
    }),
  );
  const rate = times.length / ((performance.now() - began) / 1000);
  times.sort((a, b) => a - b);
  agent.destroy();
  return { median: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)], rate };
}
