/** Who is measured: the pipe alone, each pump of the relay, and proxies of others that speak stdio on both sides. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { processes } from "./processes.mjs";
import { PIPE } from "./works.mjs";

export const SERVER = [process.execPath, join(import.meta.dirname, "server.mjs")];
const PUMPS = JSON.parse(process.env.TOOLSHAPE_PUMPS);
const PEERS = { "FastMCP's proxy": "fastmcp", "jmunch-mcp": "jmunch", "mcp-proxy (PyPI), twice": "mcp_proxy" };
const peer = (which) => [process.execPath, join(import.meta.dirname, "peer.mjs"), process.env.TOOLSHAPE_PEERS, which];

/** Their command lines, by name. */
export const CONTENDERS = {
  [PIPE]: SERVER,
  ...Object.fromEntries(Object.entries(PUMPS).map(([name, command]) => [name, [...command, "--", ...SERVER]])),
  ...Object.fromEntries(Object.entries(PEERS).map(([name, which]) => [name, [...peer(which), ...SERVER]])),
};
export const isPeer = (name) => name in PEERS;

/** The longest that a contender may take for an answer, in milliseconds. Some proxies of others never answer. */
const LONGEST = 120_000;

/** A contender that runs, and a client of it that does not read what it is sent but where its lines end. */
export class Link {
  #lines = 0;
  #pieces = [];
  #waiting = null;
  #id = 0;
  hasEnded = false;

  constructor(name) {
    const [program, ...args] = CONTENDERS[name];
    this.name = name;
    this.process = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.process.once("exit", () => {
      this.hasEnded = true;
      this.#waiting?.reject(new Error(`${name} ended`));
    });
    this.process.stdin.on("error", () => {});
    this.process.stdout.on("data", (bytes) => this.#take(bytes));
  }

  /** Connected as a client of MCP, or ended. */
  static async start(name) {
    const link = new Link(name);
    await link.#connect().catch((error) => link.failed(error));
    return link;
  }

  async #connect() {
    await this.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    await this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    await this.ask("tools/list", {});
  }

  #take(bytes) {
    const waiting = this.#waiting;
    if (waiting === null) return;
    if (waiting.keeps) this.#pieces.push(bytes);
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) this.#lines++;
    if (this.#lines < waiting.lines) return;
    this.#waiting = null;
    waiting.resolve(performance.now());
  }

  /** Resolves after this many more lines. */
  lines(lines, keeps = false) {
    if (this.hasEnded) return Promise.reject(new Error(`${this.name} ended`));
    this.#lines = 0;
    this.#pieces = [];
    const late = setTimeout(() => this.kill(), LONGEST);
    const came = new Promise((resolve, reject) => (this.#waiting = { lines, keeps, resolve, reject }));
    const settled = came.finally(() => clearTimeout(late));
    // Whoever waits for it may still be writing when the contender ends.
    settled.catch(() => {});
    return settled;
  }

  async write(bytes) {
    if (!this.process.stdin.write(bytes)) await once(this.process.stdin, "drain").catch(() => {});
  }

  request(method, params) {
    return `${JSON.stringify({ jsonrpc: "2.0", id: ++this.#id, method, params })}\n`;
  }

  /** The result of a request. */
  async ask(method, params) {
    const line = this.request(method, params);
    const came = this.lines(1, true);
    await this.write(line);
    await came;
    const { result, error } = JSON.parse(Buffer.concat(this.#pieces));
    if (error) throw new Error(`${this.name}: ${error.message}`);
    return result;
  }

  /** Milliseconds from a request to its answer. */
  async time(method, params, lines = 1) {
    const line = this.request(method, params);
    const came = this.lines(lines);
    const start = performance.now();
    this.process.stdin.write(line);
    return (await came) - start;
  }

  /** Resident memory of the contender without its server, in bytes: now, and its highest so far. */
  memory() {
    const own = processes(this.process.pid).filter(({ script }) => !["server.mjs", "peer.mjs"].includes(script));
    const sum = (of) => own.reduce((bytes, each) => bytes + each[of], 0);
    return { now: sum("now"), peak: sum("peak") };
  }

  /** A proxy of others that fails has no more figures; a pump of ours may not fail. */
  failed(error) {
    if (!isPeer(this.name)) throw error;
    console.log(`  relay: ${error.message}`);
    this.kill();
    this.hasEnded = true;
  }

  kill() {
    for (const { pid } of processes(this.process.pid)) process.kill(pid, "SIGKILL");
  }

  async end() {
    if (this.hasEnded) return;
    const ended = once(this.process, "exit");
    this.process.stdin.end();
    const late = setTimeout(() => this.kill(), 5000);
    await ended;
    clearTimeout(late);
  }
}
