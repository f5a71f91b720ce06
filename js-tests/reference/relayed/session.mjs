// One conversation of an SDK's own client with a server, through a relay or without one: what was asked, and all that came.

import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { able, listened } from "../servers/connect.mjs";
import { started } from "./started.mjs";

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
  #end;
  #isRemote;

  /** A client of `server` that is connected by `way`, which may serve it at an address. */
  static async open(way, server) {
    const session = new Session();
    session.client = able(session.#asked, session.#tasks, server.roots);
    session.client.onerror = () => {};
    const env = { ...getDefaultEnvironment(), ...LOCALE, ...server.env };
    const { url, command, end } = await started(way, server, env);
    session.#end = end;
    session.#isRemote = way.isRemote;
    const [program, ...args] = command ?? [];
    const stderr = process.env.TOOLSHAPE_LOUD ? "inherit" : "ignore";
    const transport = url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: program, args, env, stderr });
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
    // A client ignores the answer to a request that it has cancelled.
    const isAnswer = (message) => abortAfter === undefined && ("result" in message || "error" in message);
    const answer = since().findLast(isAnswer);
    // A call that was cancelled before may still report. A request's own id is its token.
    const isOwn = ({ progressToken }) => isTask || progressToken === answer?.id;
    const steps = since().filter(({ method, params }) => method === "notifications/progress" && isOwn(params));
    const progress = steps.filter((step) => !this.#isRemote || isFirst(step, steps));
    return {
      response: answer && ("result" in answer ? { result: answer.result } : { error: answer.error }),
      // An error that the server did not send is the client's own, such as of a schema that does not hold.
      ...(thrown !== undefined && !(answer && "error" in answer) && { thrown }),
      asked: this.#asked.slice(asked).filter((question) => !this.#isRemote || isFirst(question, this.#asked)),
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
    this.#end();
  }
}

/** A server at an address repeats its questions and notifications on streams that are resumed. */
const isFirst = (message, all) => all.find((other) => isDeepStrictEqual(other, message)) === message;

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
