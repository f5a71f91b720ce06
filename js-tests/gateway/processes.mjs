// Processes that the tests start and end: servers, replicas of the gateway, and the services of examples/serve.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";

const { TOOLSHAPE_PROGRAM, TOOLSHAPE_NGINX, TOOLSHAPE_REDIS_SERVER, TOOLSHAPE_ROOT } = process.env;
export const EXAMPLE = join(TOOLSHAPE_ROOT, "examples/serve");
const example = (name) => readFileSync(join(EXAMPLE, name), "utf8");

const running = new Set();
const folder = mkdtempSync(join(tmpdir(), "gateway-"));
process.on("exit", () => {
  for (const child of running) kill(child);
  rmSync(folder, { recursive: true, force: true });
});

/** Ends a process with those that it has started, as `npx` does. */
function kill(child) {
  if (running.has(child)) process.kill(-child.pid, "SIGKILL");
}

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts a program; `lines` are those that it prints. */
function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true, ...options });
  running.add(child);
  const lines = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const ended = once(child, "exit").then(([code, signal]) => (running.delete(child), signal ?? code));
  child.stderr.setEncoding("utf8");
  let errors = "";
  child.stderr.on("data", (part) => (errors += part));
  return { child, ended, lines, errors: () => errors };
}

/** Waits until something is true. */
export async function until(isTrue, what, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  throw new Error(`${what} was waited for in vain`);
}

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
  await until(() => server.lines.length > 0, `the server (${server.errors()})`);
  return { ...server, port: Number(server.lines[0]) };
}

/** A replica of the gateway. `logged` are the lines that it logs. */
export async function startReplica(options, port) {
  const file = join(folder, `${port}.json`);
  writeFileSync(file, JSON.stringify(options));
  const replica = start(TOOLSHAPE_PROGRAM, ["serve", "--config", file, "--listen", `127.0.0.1:${port}`]);
  await until(() => accepts(port), `a replica (${replica.errors()})`);
  return {
    ...replica,
    port,
    url: `http://127.0.0.1:${port}`,
    logged: () => replica.lines.map((line) => JSON.parse(line)),
  };
}

/** The instructions of the example's Containerfile, with their arguments. */
export const containerfile = example("Containerfile")
  .split("\n")
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1))
  .filter(Boolean);

/** The ports at which the services of the example listen. */
const PORTS = { nginx: 8000, "replica-1": 8080, "replica-2": 8080, redis: 6379, upstream: 3001 };
const PROGRAMS = { "/toolshape": TOOLSHAPE_PROGRAM, "redis-server": TOOLSHAPE_REDIS_SERVER, nginx: TOOLSHAPE_NGINX };

/** The services of compose.yaml as processes: their own commands and files, at other ports. */
export class Example {
  services = parse(example("compose.yaml")).services;
  ports = {};

  /** `edits` change the texts of files, by their names. */
  static async open(edits = {}) {
    const one = new Example();
    one.edits = edits;
    for (const name of Object.keys(one.services)) one.ports[name] = await freePort();
    one.url = `http://localhost:${one.ports.nginx}`;
    return one;
  }

  /** The names of the services, each after those that it depends on. */
  get order() {
    const after = (name) => [...(this.services[name].depends_on ?? []).flatMap(after), name];
    return [...new Set(Object.keys(this.services).flatMap(after))];
  }

  async start(name) {
    const { volumes = [], command = commandOf(this.services[name]) } = this.services[name];
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    const files = volumes.map((volume) => volume.split(":")).map(([from, to]) => [from, to, join(own, basename(to))]);
    const local = (text) => {
      const moved = files.reduce((text, [, to, here]) => text.replaceAll(to, here), text);
      return Object.entries(PORTS)
        .reduce((text, [other, port]) => text.replaceAll(`${other}:${port}`, `127.0.0.1:${this.ports[other]}`), moved)
        .replaceAll(`localhost:${PORTS.nginx}`, `localhost:${this.ports.nginx}`)
        .replaceAll(`0.0.0.0:${PORTS[name]}`, `127.0.0.1:${this.ports[name]}`)
        .replaceAll(`listen ${PORTS[name]};`, `listen ${this.ports[name]};`);
    };
    for (const [from, , here] of files) {
      const text = example(from);
      writeFileSync(here, local(this.edits[basename(from)]?.(text) ?? text));
    }
    const [program, ...args] = command.map(local);
    const more = { nginx: () => ofNginx(own), redis: () => ofRedis(own, this.ports.redis) }[name]?.() ?? [];
    const env = { ...process.env, PORT: `${this.ports[name]}` };
    const service = start(PROGRAMS[program] ?? program, [...args, ...more], { env, cwd: import.meta.dirname });
    await until(() => accepts(this.ports[name]), `${name} (${service.errors()})`);
    return service;
  }
}

/** The command of a service's image. */
function commandOf({ image, build }) {
  if (build === undefined) return [image.split(":")[0]];
  const of = (kind) => JSON.parse(containerfile.findLast(([instruction]) => instruction === kind)[1]);
  return [...of("ENTRYPOINT"), ...of("CMD")];
}

const ofRedis = (own, port) => ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", own];

/** The image's own configuration includes what is mounted; one process would outlive another that is killed. */
function ofNginx(own) {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${own}/${name};`);
  const main = `daemon off; master_process off; pid ${own}/nginx.pid; error_log stderr error;
    events { worker_connections 4096; }
    http { access_log off; ${paths.join(" ")} include ${own}/default.conf; }`;
  writeFileSync(join(own, "nginx.conf"), main);
  return ["-c", join(own, "nginx.conf"), "-p", own];
}

/** Ends what was started. */
export async function stop(...processes) {
  for (const { child } of processes) kill(child);
  await Promise.all(processes.map(({ ended }) => ended));
}
