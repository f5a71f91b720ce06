// A server behind streamable HTTP. The core says what to send, and what the answers mean; here they are sent and read.
//
// Requests are made by `node:http`, because `fetch` ends an answer that is quiet for five minutes.

import {
  Agent,
  type AgentOptions,
  request as plainRequest,
  validateHeaderName,
  validateHeaderValue,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { constants } from "node:os";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { HttpRequest, HttpStep } from "../core.js";
import type { Members, Parts } from "../request.js";
import { Lines, type Block, type LongPart } from "./block.js";
import { Misuse } from "./misuse.js";
import { SIGNALS, type Ending, type Upstream } from "./upstream.js";

/** Servers close a connection that is idle for five seconds: it is not used again as late as that. */
const IDLE_MS = 4000;
/** Proxies are those of the environment, where Node knows of them (22.21, 24.5); its types do not yet. */
const AGENT: AgentOptions & { proxyEnv: NodeJS.ProcessEnv } = {
  keepAlive: true,
  timeout: IDLE_MS,
  proxyEnv: process.env,
};
/** How long the client's last messages are waited for: as long as a process may take to end. */
const LAST_WORDS_MS = 1000;
/** How long the end of a session is waited for. */
const GOODBYE_MS = 1000;
/** How much may wait to be sent before no more is taken from the client. */
const MOST_UNSENT = 1 << 20;

/** The end that nobody minds. */
const DISMISSED: Ending = { code: 0, reason: "the relay has ended" };

/** Calls a method of the core about this server. */
export type CallHttp = <T>(method: string, members?: Members, parts?: Parts) => T;

/** A request that has no whole answer yet. */
interface Exchange {
  readonly stop: () => void;
  answer?: IncomingMessage;
}

export class Remote implements Upstream {
  readonly name: string;
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<Ending>;
  signalled: NodeJS.Signals | undefined;
  readonly #address: URL;
  readonly #headers: readonly Header[];
  readonly #agent: Agent;
  readonly #call: CallHttp;
  readonly #lines = new Lines();
  readonly #open = new Map<number, Exchange>();
  #unsent = 0;
  /** Takes more from the client. */
  #takeMore: (() => void) | undefined;
  /** Whether nobody reads the server's messages so far. */
  #isFull = false;
  #isOver = false;
  /** Whether the relay ends as soon as the server has the client's messages. */
  #isDismissed = false;
  /** Whether the client's last line is here. */
  #hasAll = false;
  #tellEnd: (ending: Ending) => void = () => {};
  readonly #unlisten: () => void;

  /** @throws {Error} for an invalid address, and for an invalid header. */
  constructor(address: string, headers: readonly string[], call: CallHttp) {
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
      // What cannot be read may be a secret too.
      throw new Misuse("invalid server URL: must start with http:// or https://");
    }
    this.#address = new URL(address);
    // Its user, password, path and query may have secrets.
    this.name = this.#address.origin;
    this.#headers = headers.map(headerOf);
    this.#agent = new (this.#isTls ? TlsAgent : Agent)(AGENT);
    this.#call = call;
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve));
    this.output = new Readable({ read: () => this.#readOn() });
    this.input = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        this.#send([...this.#lines.take(chunk)]);
        if (this.#unsent > MOST_UNSENT) this.#takeMore = done;
        else done();
      },
      final: (done) => {
        this.#send([...this.#lines.rest()]);
        done();
        this.#hasAll = true;
        this.#finishOnceDelivered();
      },
    });
    const handlers = SIGNALS.map((signal) => [signal, (): void => this.#hear(signal)] as const);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    this.#unlisten = () => handlers.forEach(([signal, handler]) => process.off(signal, handler));
  }

  dismiss(): void {
    this.#isDismissed = true;
    setTimeout(() => this.#finish(DISMISSED), LAST_WORDS_MS);
    this.#finishOnceDelivered();
  }

  /** Ends the session. */
  async end(): Promise<void> {
    this.#finish(DISMISSED);
    this.#unlisten();
    try {
      const goodbye = this.#call<HttpRequest | null>("httpClose");
      if (goodbye !== null) await Promise.race([this.#saidGoodbye(goodbye), delay(GOODBYE_MS)]);
    } catch {
      // A core that has failed has no session to end.
    }
    for (const { stop } of this.#open.values()) stop();
    this.#open.clear();
    this.#agent.destroy();
  }

  get #isTls(): boolean {
    return this.#address.protocol === "https:";
  }

  #hear(signal: NodeJS.Signals): void {
    this.signalled = signal;
    this.#finish({ code: 128 + constants.signals[signal], reason: "the relay has ended" });
  }

  #finish(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.output.push(null);
    this.#tellEnd(ending);
  }

  #finishOnceDelivered(): void {
    if (this.#isDismissed && this.#hasAll && this.#call<boolean>("httpIsDelivered")) this.#finish(DISMISSED);
  }

  /** Sends the lines of blocks. */
  #send(blocks: readonly (Block | LongPart)[]): void {
    const lines = Buffer.concat(blocks.flatMap((block) => ("part" in block ? [] : block.pieces)))
      .toString("utf8")
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
    for (const line of lines) if (line.trim() !== "") this.#follow("httpToServer", {}, { line });
  }

  #follow(method: string, members: Members, parts?: Parts): void {
    if (this.#isOver) return;
    try {
      for (const step of this.#call<HttpStep[]>(method, members, parts)) this.#do(step);
      this.#finishOnceDelivered();
    } catch (error) {
      this.#finish({ code: 1, reason: (error as Error).message });
    }
  }

  #do(step: HttpStep): void {
    if ("fromServer" in step) {
      if (!this.#isOver && !this.output.push(Buffer.from(`${step.fromServer}\n`))) this.#pause();
    } else if ("stop" in step) {
      this.#open.get(step.stop)?.stop();
      this.#open.delete(step.stop);
    } else {
      const { number, after, request } = step.send;
      if (after === 0) return this.#exchange(number, request);
      const timer = setTimeout(() => this.#exchange(number, request), after);
      this.#open.set(number, { stop: () => clearTimeout(timer) });
    }
  }

  #exchange(number: number, request: HttpRequest): void {
    const sent = this.#request(request);
    const exchange: Exchange = { stop: () => sent.destroy() };
    this.#open.set(number, exchange);
    const end = (failure?: string): void => {
      if (this.#open.delete(number)) this.#follow("httpEnded", { number, failure });
    };
    sent.on("error", (error) => end(`cannot reach ${this.name}: ${reasonOf(error)}`));
    sent.on("response", (answer) => {
      exchange.answer = answer;
      const head = (name: string): string | undefined => [answer.headers[name]].flat()[0];
      const { statusCode = 0 } = answer;
      const [session, content, retryAfter] = ["mcp-session-id", "content-type", "retry-after"].map(head);
      this.#follow("httpAnswered", { number, status: statusCode, session, content, retryAfter });
      answer.on("data", (bytes: Uint8Array) => this.#follow("httpBody", { number }, { bytes }));
      answer.on("end", () => end());
      answer.on("error", (error) => end(`the answer of ${this.name} broke off: ${reasonOf(error)}`));
      if (this.#isFull) answer.pause();
    });
  }

  /** Sends a request, whose bytes count until they are gone. */
  #request({ method, headers, body }: HttpRequest): ClientRequest {
    const request = this.#isTls ? tlsRequest : plainRequest;
    const sent = request(this.#address, {
      method,
      headers: together([...headers, ...this.#headers]),
      agent: this.#agent,
    });
    // Headers before a text are written as UTF-8, and before bytes as Latin-1.
    const bytes = Buffer.from(body ?? "");
    this.#unsent += bytes.length;
    let isGone = false;
    const gone = (): void => {
      if (isGone) return;
      isGone = true;
      this.#unsent -= bytes.length;
      if (this.#unsent > MOST_UNSENT) return;
      this.#takeMore?.();
      this.#takeMore = undefined;
    };
    sent.on("finish", gone).on("close", gone);
    return sent.end(body === null ? undefined : bytes);
  }

  #saidGoodbye(goodbye: HttpRequest): Promise<void> {
    return new Promise((resolve) => {
      this.#request(goodbye)
        .on("response", (answer) => answer.resume())
        .on("error", () => {})
        .on("close", resolve);
    });
  }

  /** A client that does not read holds up the server, as with a pipe. */
  #pause(): void {
    this.#isFull = true;
    for (const { answer } of this.#open.values()) answer?.pause();
  }

  #readOn(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    for (const { answer } of this.#open.values()) answer?.resume();
  }
}

type Header = readonly [name: string, value: string];

/** A header that is written as `Name: value`. */
function headerOf(header: string): Header {
  const colon = header.indexOf(":");
  // What is written may be a secret.
  if (colon < 0) throw new Misuse("invalid header: must be 'Name: value'");
  const name = header.slice(0, colon).trim();
  // A header has bytes, for which Node has characters up to U+00FF.
  const value = Buffer.from(header.slice(colon + 1).trim()).toString("latin1");
  check(() => validateHeaderName(name), "invalid header name");
  check(() => validateHeaderValue(name, value), "invalid header value");
  return [name, value];
}

function check(validate: () => void, fault: string): void {
  try {
    validate();
  } catch {
    throw new Misuse(fault);
  }
}

/** Headers as Node takes them: those of one name together. */
function together(headers: readonly Header[]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  const names = new Map<string, string>();
  for (const [name, value] of headers) {
    const known = names.get(name.toLowerCase()) ?? name;
    names.set(name.toLowerCase(), known);
    (all[known] ??= []).push(value);
  }
  return all;
}

/** Of several addresses that were tried in vain, the reason of the first. */
function reasonOf(error: Error & { errors?: readonly Error[] }): string {
  return error.errors?.[0]?.message ?? error.message;
}
