// A conversation of the Python SDK's own client with a server, as `Session` is one of TypeScript's. It speaks the newest
// revision of MCP that the server knows.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pages } from "./session.mjs";
import { started } from "./started.mjs";

/** Waits for a server that answers: one that takes longer than ten seconds the client asks in the older revision. */
const discovered = (url) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "server/discover",
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    }),
  }).then((response) => response.text());

/** What the client can be asked for. */
const METHODS = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
];

export class PythonSession {
  #lines;
  #client;
  #end;

  static canTake = ({ method, isTask, until, abortAfter }) =>
    METHODS.includes(method) && !isTask && until === undefined && abortAfter === undefined;

  static async open(way, server) {
    const session = new PythonSession();
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...server.env };
    const { url, command: [program, ...args] = [], end } = await started(way, server, env);
    session.#end = end;
    if (url) await discovered(url);
    const python = join(process.env.TOOLSHAPE_PYTHON_BIN, "python");
    session.#client = spawn(python, [join(import.meta.dirname, "client.py")], {
      stdio: ["pipe", "pipe", process.env.TOOLSHAPE_LOUD ? "inherit" : "ignore"],
    });
    session.#lines = createInterface(session.#client.stdout)[Symbol.asyncIterator]();
    session.#say({ url, command: program, args, env, roots: server.roots ?? [] });
    session.initialized = { response: { result: await session.#hear() } };
    return session;
  }

  /** What came for one step. `last` is the line itself, in which integers are as they were. */
  async take({ method, params }) {
    this.#say({ method, params });
    return this.#hear();
  }

  list(method) {
    return pages((params) => this.take({ method, params }));
  }

  #say(message) {
    this.#client.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async #hear() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the client ended");
    this.last = value;
    return JSON.parse(value);
  }

  async close() {
    this.#client.stdin.end();
    await once(this.#client, "exit");
    this.#end();
  }
}
