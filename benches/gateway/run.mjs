// What the gateway adds to a call: a server that answers at once, alone, behind proxies and behind the gateway, in turns; then the
// same for a server and clients of the SDK, and the gateway's memory while clients call it.
// Usage: run.mjs <toolshape> <nginx> <haproxy> <envoy, or nothing> <folder of the documentation> <seconds of those calls>

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  // Proxies keep connections between their turns, and cannot tell whether it is about to close one.
  server.keepAliveTimeout = 0;
  server.listen(workerData.port, "127.0.0.1");
}

async function main() {
  const [program, nginx, haproxy, envoy, docs, soaking] = process.argv.slice(2);
  const [alone, through] = [await freePort(), await freePort()];
  const worker = new Worker(new URL(import.meta.url), { workerData: { port: alone } });
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const server = await startServer(SDK, "naive");
  const upstreams = { up: { url: `http://127.0.0.1:${alone}/up` }, sdk: { url: server.url } };
  const gateway = await startGateway(program, folder, through, upstreams);
  const proxies = {
    nginx: [nginx, nginxArguments],
    HAProxy: [haproxy, haproxyArguments],
    "bytes alone": [haproxy, (at) => haproxyArguments(at, "tcp")],
    ...(envoy && { Envoy: [envoy, envoyArguments] }),
  };
  const contenders = { [ALONE]: { port: alone, pid: process.pid } };
  for (const [name, [command, options]] of Object.entries(proxies)) {
    const port = await freePort();
    const child = spawn(command, options({ folder: mkdtempSync(join(folder, "proxy-")), port, to: alone }), {
      stdio: ["ignore", "ignore", "inherit"],
    });
    process.on("exit", () => child.kill());
    await answering(child, port);
    contenders[name] = { port, pid: child.pid };
  }
  process.on("exit", () => gateway.kill());
  contenders[GATEWAY] = { port: through, pid: gateway.pid };
  const found = [];
  for (const tool of Object.keys(TEXTS)) {
    for (const clients of CLIENTS) {
      const rounds = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, { port, pid }] of Object.entries(contenders)) {
          rounds[name].push(await measure(port, pid, tool, clients, SECONDS));
        }
      }
      found.push({ call: tool === "small" ? "small" : `${Math.round(ROWS.length / 1000)} KB`, clients, rounds });
    }
  }
  const whole = await ofSdk(server.url, `http://127.0.0.1:${through}/sdk`);
  const memory = await soak(through, gateway.pid, Number(soaking));
  const tables = [processors(found), latencies(found), rates(found), whole, memories(memory)];
  record("gateway", { command: `cargo xtask bench gateway --seconds ${soaking}`, tables }, { folder: ".", docs });
  await worker.terminate();
  rmSync(folder, { recursive: true });
  // What it has started ends with it.
  process.exit();
}

/** A figure of each round, as a cell. */
function cell(rounds, of) {
  return spreadCell(spread(rounds.map(of)));
}

function processors(found) {
  const names = Object.keys(found[0].rounds).filter((name) => name !== ALONE);
  const of = ({ call, clients, rounds }) => [
    call,
    clients,
    ...names.map((name) => cell(rounds[name], ({ processor }) => processor)),
    cell(rounds[GATEWAY], ({ processor }, round) => processor / rounds.nginx[round].processor),
  ];
  return {
    title: "Processor time",
    about:
      "Microseconds of a call that the process of each proxy takes. nginx writes a line for each call, as the gateway does; `bytes alone` is HAProxy without HTTP.",
    columns: ["call", "clients", ...names, "the gateway / nginx"],
    rows: found.map(of),
  };
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

/** nginx, with a line for each call like the gateway's. */
function nginxArguments({ folder, port, to }) {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const line = `'{"at":$msec,"method":"$request_method","upstream":"up","status":$status,"ms":$request_time}'`;
  const main = `daemon off; worker_processes auto; pid ${folder}/nginx.pid; error_log stderr error;
    events { worker_connections 1024; }
    http { log_format line escape=json ${line}; access_log ${folder}/log line; proxy_buffering off; ${paths.join(" ")}
      upstream server { server 127.0.0.1:${to}; keepalive 64; }
      server { listen 127.0.0.1:${port}; location / {
        proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`;
  writeFileSync(join(folder, "nginx.conf"), main);
  return ["-c", join(folder, "nginx.conf"), "-p", folder];
}

function haproxyArguments({ folder, port, to }, mode = "http") {
  const main = `defaults
  mode ${mode}
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend in
  bind 127.0.0.1:${port}
  default_backend out
backend out
  server only 127.0.0.1:${to}
`;
  writeFileSync(join(folder, "haproxy.cfg"), main);
  return ["-db", "-f", join(folder, "haproxy.cfg")];
}

function envoyArguments({ folder, port, to }) {
  const at = (port) => ({ socket_address: { address: "127.0.0.1", port_value: port } });
  const type = (name) => `type.googleapis.com/envoy.extensions.filters.${name}`;
  const router = { name: "envoy.filters.http.router", typed_config: { "@type": type("http.router.v3.Router") } };
  const routes = [{ match: { prefix: "/" }, route: { cluster: "server", timeout: "0s" } }];
  const manager = {
    "@type": type("network.http_connection_manager.v3.HttpConnectionManager"),
    stat_prefix: "in",
    route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
    http_filters: [router],
  };
  const filters = [{ name: "envoy.filters.network.http_connection_manager", typed_config: manager }];
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: at(to) } }] }];
  const main = {
    static_resources: {
      listeners: [{ address: at(port), filter_chains: [{ filters }] }],
      clusters: [{ name: "server", type: "STATIC", load_assignment: { cluster_name: "server", endpoints } }],
    },
  };
  writeFileSync(join(folder, "envoy.json"), JSON.stringify(main));
  return ["-c", join(folder, "envoy.json"), "--disable-hot-restart", "--log-level", "error"];
}

async function answering(child, port) {
  const agent = new Agent();
  const answers = () =>
    call(agent, port, "small").then(
      () => true,
      () => false,
    );
  while (child.exitCode === null && !(await answers())) await wait(20);
}

/** The microseconds that a process and its children have used so far. */
function used(pid) {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parent(name) === pid);
  const tasks = [pid, ...children].flatMap((one) =>
    readdirSync(`/proc/${one}/task`).map((task) => `/proc/${one}/task/${task}/schedstat`),
  );
  return tasks.reduce((sum, task) => sum + Number(readFileSync(task, "utf8").split(" ")[0]) / 1000, 0);
}

function parent(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1]);
  } catch {
    return 0; // It has ended.
  }
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
async function measure(port, pid, tool, clients, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  for (let warm = 0; warm < 20; warm++) await call(agent, port, tool);
  const times = [];
  const before = used(pid);
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) times.push(await call(agent, port, tool));
    }),
  );
  const rate = times.length / ((performance.now() - began) / 1000);
  const processor = (used(pid) - before) / times.length;
  times.sort((a, b) => a - b);
  agent.destroy();
  return { median: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)], rate, processor };
}
