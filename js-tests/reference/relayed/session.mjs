// One conversation of an SDK's own client with a server, through a relay or without one: what was asked, and all that came.

import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { able, answering, freePort, listened } from "../servers/connect.mjs";

/** Where a host gives no locale, a relay in Python, as all of Python, sets one (PEP 538), which the server inherits. */
const LOCALE = { LC_ALL: "C.UTF-8" };

/** How long a notification may take that a step waits for. */
const PATIENCE = 10_000;

export class Session {
  /** It takes every step. */
  static canTake = () => true;

  #messages = [];
  #asked = [];
  #tasks = new InMemoryTaskStore();
  #process;

  /** A client of `server` that is connected by `way`, which may serve it at an address. */
  static async open(way, server) {
    const session = new Session();
    session.client = able(session.#asked, session.#tasks, server.roots);
    session.client.onerror = () => {};
    const env = { ...getDefaultEnvironment(), ...LOCALE, ...server.env };
    const port = way.isHttp ? await freePort() : undefined;
    const [command, ...args] = way.command([...server.command], port);
    let transport;
    if (way.isHttp) {
      session.#process = spawn(command, args, { env, stdio: "ignore" });
      await answering(port, session.#process);
      transport = new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`));
    } else {
      transport = new StdioClientTransport({
        command,
        args,
        env,
        stderr: process.env.TOOLSHAPE_LOUD ? "inherit" : "ignore",
      });
    }
    await session.client.connect(listened(transport, session.#messages));
    const initialized = session.#messages.find(({ result }) => result?.serverInfo !== undefined);
    session.initialized = { response: { result: initialized.result } };
    return session;
  }

  /** What came for one step of a script: the answer, and the server's requests and notifications meanwhile. */
  async take({ method, params, until, abortAfter, isTask }) {
    const [from, asked] = [this.#messages.length, this.#asked.length];
    const aborted = new AbortController();
    if (abortAfter !== undefined) setTimeout(() => aborted.abort("no longer wanted"), abortAfter);
    const options = { onprogress: () => {}, signal: aborted.signal, timeout: 60_000 };
    let thrown;
    await this.#send(method, params, options, isTask).catch((error) => (thrown = String(error.message)));
    if (abortAfter !== undefined) await wait(2000);
    const since = () => this.#messages.slice(from);
    if (until !== undefined) await this.#reported(until, since);
    const answer = since().findLast((message) => "result" in message || "error" in message);
    const progress = since().filter(({ method }) => method === "notifications/progress");
    return {
      response: answer && ("result" in answer ? { result: answer.result } : { error: answer.error }),
      // An error that the server did not send is the client's own, such as of a schema that does not hold.
      ...(thrown !== undefined && !(answer && "error" in answer) && { thrown }),
      asked: this.#asked.slice(asked),
      // How far a call came before it was cancelled is not the server's to say.
      progress: abortAfter === undefined ? progress.map(({ params: { progressToken, ...step } }) => step) : [],
      ...(until !== undefined && { reported: since().find((message) => message.method === until) ?? null }),
    };
  }

  #send(method, params, options, isTask) {
    if (isTask) return this.#task(params);
    // The client learns the schemas of results from its own call alone.
    if (method === "tools/list") return this.client.listTools(params, options);
    return method === "tools/call"
      ? this.client.callTool(params, undefined, options)
      : this.client.request({ method, params }, ResultSchema, options);
  }

  async #task(params) {
    for await (const _ of this.client.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } }));
  }

  async #reported(method, since) {
    for (const started = Date.now(); Date.now() - started < PATIENCE; await wait(20)) {
      if (since().some((message) => message.method === method)) return;
    }
  }

  list(method) {
    return pages((params) => this.take({ method, params }));
  }

  async close() {
    this.#tasks.cleanup();
    await this.client.close();
    this.#process?.kill();
  }
}

/** Every page of a list, as one step. */
export async function pages(take) {
  const all = [];
  let cursor;
  do {
    all.push(await take(cursor === undefined ? {} : { cursor }));
    cursor = all.at(-1).response?.result?.nextCursor;
  } while (cursor !== undefined && all.length < 50);
  return all;
}
