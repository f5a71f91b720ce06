/** A relay of which a test holds both ends: what the client writes and reads, and what the server does. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isGone, lives } from "./processes.mjs";
import { PATIENCE, Received } from "./received.mjs";

const SERVER = join(import.meta.dirname, "server.mjs");
const MOST_PIECE = 1 << 20;
/** Where relays of tests keep results by default: not with those of the user. */
const CACHE = join(tmpdir(), "toolshape-tests");

/** A listening socket in a folder, and the first connection to it. */
async function listen(path) {
  const server = createServer({ allowHalfOpen: true });
  const connected = new Promise((resolve) => server.once("connection", resolve));
  await new Promise((resolve) => server.listen(path, resolve));
  return { server, connected };
}

/** The command of a server that a test holds, and its end of it once it is started. */
export async function heldServer({ piece = MOST_PIECE } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "relay-"));
  const [data, control] = await Promise.all(["data", "control"].map((name) => listen(join(folder, name))));
  const command = [process.execPath, SERVER, folder, String(piece)];
  const started = Promise.all([data.connected, control.connected]).then(async ([socket, orders]) => {
    const server = new Server(socket, orders);
    await server.heard("pid");
    return server;
  });
  const close = () => {
    data.server.close();
    control.server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { command, started, close };
}

/** The test's end of a server. */
class Server {
  #reported = [];
  #waiting = new Set();

  constructor(socket, orders) {
    this.socket = socket.on("error", () => {});
    this.orders = orders.on("error", () => {});
    this.received = new Received(socket, "the server");
    createInterface(orders).on("line", (line) => {
      this.#reported.push(JSON.parse(line));
      for (const look of this.#waiting) look();
    });
  }

  /** The first report of the server under this name. */
  async heard(name, value) {
    const find = () =>
      this.#reported.find((reported) => name in reported && (value === undefined || reported[name] === value));
    if (find() === undefined) {
      await new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`the server does not report ${name}`)), PATIENCE);
        const look = () => {
          if (find() === undefined) return;
          clearTimeout(late);
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
    return find()[name];
  }

  get pid() {
    return this.#reported.find(({ pid }) => pid).pid;
  }

  write(bytes) {
    return new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  /** Tells the server to do something. One that ends by it answers no more. */
  order(what, options = {}) {
    this.orders.write(`${JSON.stringify({ do: what, ...options })}\n`);
  }

  /** Ends it, and what it started. */
  async end() {
    this.orders.destroy();
    this.socket.destroy();
    const born = this.#reported.find(({ born }) => born)?.born;
    if (born !== undefined && lives(born)) process.kill(born, "SIGKILL");
    await isGone(this.pid);
  }

  async obey(what, options) {
    this.order(what, options);
    await this.heard("done", what);
  }
}

export class Conversation {
  /** Starts a pump before a server. Whatever is left of either ends with `end`. */
  static async start(pump, { options = [], piece, ...surroundings } = {}) {
    const held = await heldServer({ piece });
    const conversation = new Conversation([...pump, ...options, "--", ...held.command], surroundings);
    conversation.#close = held.close;
    const failed = conversation.ended.then(({ code, signal }) => {
      throw new Error(`the relay ended before its server began: ${code ?? signal}: ${conversation.errors.bytes()}`);
    });
    conversation.server = await Promise.race([held.started, failed]);
    return conversation;
  }

  #close = () => {};

  /** A relay by its whole command line. */
  constructor([program, ...args], { cwd, env = {} } = {}) {
    this.relay = spawn(program, args, { stdio: "pipe", cwd, env: { ...process.env, XDG_CACHE_HOME: CACHE, ...env } });
    this.ended = new Promise((resolve, reject) => {
      this.relay.once("error", reject);
      this.relay.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.ended.catch(() => {});
    this.relay.stdin.on("error", () => {});
    this.received = new Received(this.relay.stdout, "the client");
    this.errors = new Received(this.relay.stderr, "standard error");
  }

  write(bytes) {
    return new Promise((resolve) => this.relay.stdin.write(bytes, resolve));
  }

  /** A request of the client reaches the server as it is. */
  async asks(line) {
    const before = this.server.received.length;
    await this.write(`${line}\n`);
    await this.server.received.bytesCount(before + Buffer.byteLength(line) + 1);
    assert.equal(this.server.received.bytes().subarray(before).toString(), `${line}\n`);
  }

  /** What the client receives next: a whole line. */
  async answered(line) {
    const before = this.received.lines().length;
    await this.server.write(`${line}\n`);
    await this.received.linesCount(before + 1);
    return this.received.lines()[before];
  }

  /** How the relay ended, once it has: its exit code, or what a shell makes of a signal. */
  async exit() {
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new Error("the relay does not end")), PATIENCE).unref(),
    );
    return Promise.race([this.ended, late]);
  }

  /** Ends whatever is left, after a test; nothing of a server stays. */
  async end() {
    this.relay.kill("SIGKILL");
    for (const stream of this.relay.stdio) stream.destroy();
    this.#close();
    await this.server?.end();
  }
}

/** Runs a test in a conversation, which ends with it. */
export async function talk(pump, options, test) {
  const conversation = await Conversation.start(pump, options);
  try {
    return await test(conversation);
  } finally {
    await conversation.end();
  }
}
