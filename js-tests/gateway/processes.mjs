// Processes that the tests start and end: the server, Redis, replicas of the gateway, and nginx in front of them, with the
// configuration of examples/serve.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const { TOOLSHAPE_PROGRAM, TOOLSHAPE_NGINX, TOOLSHAPE_REDIS_SERVER, TOOLSHAPE_ROOT } = process.env;
const EXAMPLE = join(TOOLSHAPE_ROOT, "examples/serve");
export const example = (name) => readFileSync(join(EXAMPLE, name), "utf8");

const running = new Set();
const folder = mkdtempSync(join(tmpdir(), "gateway-"));
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts a program; its output is read by lines. */
function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  running.add(child);
  const ended = once(child, "exit").then(([code, signal]) => (running.delete(child), signal ?? code));
  child.stderr.setEncoding("utf8");
  let errors = "";
  child.stderr.on("data", (part) => (errors += part));
  return { child, ended, errors: () => errors };
}

/** Waits until something is true. */
export async function until(isTrue, what, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  throw new Error(`${what} was waited for in vain`);
}

const answers = (url) =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** Whether something listens. */
const accepts = (port) =>
  new Promise((heard) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => (socket.destroy(), heard(true)));
    socket.on("error", () => heard(false));
  });

/** A server, of which `server.mjs` says more. */
export async function startServer(port = 0) {
  const server = start(process.execPath, [join(import.meta.dirname, "server.mjs"), String(port)]);
  const lines = createInterface(server.child.stdout);
  const [line] = await Promise.race([once(lines, "line"), server.ended.then(() => [])]);
  if (line === undefined) throw new Error(`the server ended: ${server.errors()}`);
  return { ...server, port: Number(line) };
}

/** A Redis of its own, which a test may end and start again: its values are in a file. */
export async function startRedis(port) {
  const redis = start(TOOLSHAPE_REDIS_SERVER, [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--dir",
    folder,
  ]);
  redis.child.stdout.resume();
  await until(() => accepts(port), "Redis");
  return { ...redis, port };
}

/** A replica of the gateway. `lines` are the lines that it logs. */
export async function startReplica(options, port) {
  const file = join(folder, `${port}.json`);
  writeFileSync(file, JSON.stringify(options));
  const replica = start(TOOLSHAPE_PROGRAM, ["serve", "--config", file, "--listen", `127.0.0.1:${port}`]);
  const lines = [];
  createInterface(replica.child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  await until(() => answers(`http://127.0.0.1:${port}/healthz`), `a replica (${replica.errors()})`);
  return { ...replica, port, lines, url: `http://127.0.0.1:${port}` };
}

/** The options of the example, for these processes. `own` replace some. */
export function exampleOptions({ server, redis, ...own }) {
  const options = JSON.parse(example("toolshape.json"));
  options.upstreams = {
    sessions: { ...options.upstreams.everything, url: `http://127.0.0.1:${server}/sessions` },
    modern: { ...options.upstreams.everything, url: `http://127.0.0.1:${server}/modern` },
  };
  return { ...options, store: `redis://127.0.0.1:${redis}`, ...own };
}

/** nginx as in the example, in front of replicas; `tenants` are their names by key. */
export async function startNginx(replicas, tenants, port) {
  const site = example("nginx.conf")
    .replace("replica-1:8080", `127.0.0.1:${replicas[0]}`)
    .replace("replica-2:8080", `127.0.0.1:${replicas[1]}`)
    .replace("listen 8000", `listen 127.0.0.1:${port}`)
    .replace("/etc/nginx/tenants.conf", join(folder, "tenants.conf"));
  writeFileSync(
    join(folder, "tenants.conf"),
    Object.entries(tenants)
      .map(([key, name]) => `${key} ${name};\n`)
      .join(""),
  );
  writeFileSync(join(folder, "site.conf"), site);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // A worker would outlive the process that is killed.
  const main = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr error;
    events { worker_connections 4096; }
    http { access_log off; ${paths.join(" ")} include ${folder}/site.conf; }`;
  writeFileSync(join(folder, "nginx.conf"), main);
  const nginx = start(TOOLSHAPE_NGINX, ["-c", join(folder, "nginx.conf"), "-p", folder]);
  nginx.child.stdout.resume();
  await until(() => answers(`http://127.0.0.1:${port}/`), `nginx (${nginx.errors()})`);
  return { ...nginx, url: `http://127.0.0.1:${port}` };
}

/** Ends what was started. */
export async function stop(...processes) {
  for (const { child } of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ ended }) => ended));
}
