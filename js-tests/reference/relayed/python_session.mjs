// A conversation of the Python SDK's own client with a server, as `Session` is one of TypeScript's. It speaks the newest
// revision of MCP that the server knows.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pages } from "./session.mjs";

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

  static canTake = ({ method, isTask, until, abortAfter }) =>
    METHODS.includes(method) && !isTask && until === undefined && abortAfter === undefined;

  static async open(way, { command, env, roots = [] }) {
    const session = new PythonSession();
    const python = join(process.env.TOOLSHAPE_PYTHON_BIN, "python");
    session.#client = spawn(python, [join(import.meta.dirname, "client.py")], {
      stdio: ["pipe", "pipe", process.env.TOOLSHAPE_LOUD ? "inherit" : "ignore"],
    });
    session.#lines = createInterface(session.#client.stdout)[Symbol.asyncIterator]();
    const [program, ...args] = way.command([...command]);
    session.#say({ command: program, args, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, roots });
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
  }
}
