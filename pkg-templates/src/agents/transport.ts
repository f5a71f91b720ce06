// The relay above the transport of an MCP client, in the same process. It depends on no SDK.

import { call as callCore, type RelayStep as Step } from "../core.js";
import { ToolshapeError } from "../error.js";
import { Lasting } from "../lasting.js";
import { checkObject, described } from "../options.js";
import { toStandardError } from "../receipt_log.js";
import { askSql } from "../sql.js";
import { Kept, then } from "../stores/kept.js";
import { sharedMemory } from "../stores/memory.js";
import { reason, type Store } from "../stores/store.js";
import type { Policy, Receipt } from "../types.js";

/** A message of JSON-RPC, as SDKs parse it. */
// biome-ignore lint/suspicious/noExplicitAny: each SDK has its own types of messages.
type Message = any;

/** A step that asks for something, and what the relay hears of it. */
type Wanted = Extract<Step, { read: unknown } | { write: unknown } | { ask: unknown }>;
type Heard = { number: number; value?: string | null; wasWritten?: boolean; failure?: string };

/** A client's transport, of any SDK. */
export interface ClientTransport {
  start(): Promise<void>;
  send(message: Message, options?: Message): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: Message, extra?: Message) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** The options of a client's transport, in addition to the policy. */
export interface TransportOptions {
  /** Where complete results are kept; null for nowhere. Default: the memory of this process, at most 128 MiB. */
  readonly store?: Store | null | undefined;
  /** Tools whose arguments may name a stored result, as `{"$result": "<handle>"}`. */
  readonly resultArguments?: readonly string[] | undefined;
  /** Called with the receipt of every shaped result. Default: a line about each that was changed, on standard error. */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
}

const OPTIONS = ["store", "resultArguments", "onReceipt"];

/**
 * The same transport, which shapes the results of the server's tools and adds the tool `read_result` to them:
 * `await client.connect(shapeTransport(transport))`. For the clients of `@modelcontextprotocol/sdk` 1.x and
 * `@modelcontextprotocol/client` 2.x, and for any other transport of this form.
 *
 * @throws {ToolshapeError} `INVALID_POLICY`; `INVALID_CALL` for an unknown option, or something else than a transport.
 */
export function shapeTransport<T extends ClientTransport>(
  transport: T,
  policy: Policy = {},
  options: TransportOptions = {},
): T {
  checkObject(policy, "INVALID_POLICY");
  const refuse = (message: string, path: string): never => {
    throw new ToolshapeError("INVALID_CALL", message, path);
  };
  if (typeof transport?.send !== "function" || typeof transport.start !== "function")
    refuse("the transport has no start and send: pass what client.connect takes", "/transport");
  for (const name of Object.keys(options))
    if (!OPTIONS.includes(name)) refuse(`unknown option ${name}; options are ${OPTIONS.join(", ")}`, `/${name}`);
  const { store = sharedMemory(), resultArguments, onReceipt = toStandardError() } = options;
  if (store !== null) callCore("archiveOptions", { options: described({ store }) });
  const ofRelay = { store: store !== null, ...(resultArguments && { resultArguments }) };
  const relay = new Lasting({ options: { ...policy, ...ofRelay } });
  return new Above(transport, relay, store === null ? undefined : new Kept(store), onReceipt).transport as T;
}

/** What the SDK gave with a message: the options of `send`, or the context of what was received. */
interface Beside {
  readonly toServer: Message;
  readonly toClient: Message;
}

/** Carries the messages of one transport. */
class Above {
  readonly transport: ClientTransport;
  readonly #inner: ClientTransport;
  readonly #relay: Lasting;
  readonly #kept: Kept | undefined;
  readonly #onReceipt: (receipt: Receipt) => void;
  #onMessage: ClientTransport["onmessage"];
  #onClose: ClientTransport["onclose"];

  constructor(inner: ClientTransport, relay: Lasting, kept: Kept | undefined, onReceipt: (receipt: Receipt) => void) {
    [this.#inner, this.#relay, this.#kept, this.#onReceipt] = [inner, relay, kept, onReceipt];
    // Who wraps a transport that another has set up takes its handlers over.
    [this.#onMessage, this.#onClose] = [inner.onmessage, inner.onclose];
    inner.onmessage = (message, extra) => {
      const pass = async (): Promise<void> => this.#onMessage?.(message, extra);
      void this.#handle("server", message, extra, pass).catch((error: Error) => inner.onerror?.(error));
    };
    inner.onclose = () => {
      this.#relay.end();
      this.#onClose?.();
    };
    this.transport = this.#above();
  }

  /** The inner transport, with its class and all of its members but those through which messages go. */
  #above(): ClientTransport {
    const send: ClientTransport["send"] = (message, options) =>
      this.#handle("client", message, options, () => this.#inner.send(message, options));
    return new Proxy(this.#inner, {
      get: (inner, name) => {
        if (name === "send") return send;
        if (name === "onmessage") return this.#onMessage;
        if (name === "onclose") return this.#onClose;
        const member: unknown = Reflect.get(inner, name, inner);
        // Private members are those of the inner object.
        return typeof member === "function" && name !== "constructor" ? member.bind(inner) : member;
      },
      set: (inner, name, value) => {
        if (name === "onmessage") this.#onMessage = value;
        else if (name === "onclose") this.#onClose = value;
        else return Reflect.set(inner, name, value, inner);
        return true;
      },
    });
  }

  /** What the relay does with a message of one side; `more` is what the SDK gave with it. */
  async #handle(side: "client" | "server", message: Message, more: Message, pass: () => Promise<void>): Promise<void> {
    const members = { isClient: side === "client", now: Math.floor(Date.now() / 1000) };
    const steps = this.#relay.call<Step[]>("relayLines", members, { lines: JSON.stringify(message) });
    const beside = { toServer: side === "client" ? more : undefined, toClient: side === "server" ? more : undefined };
    await this.#carryOut(steps, beside, pass);
  }

  async #carryOut(steps: readonly Step[], more: Beside, pass: () => Promise<void>): Promise<void> {
    for (const step of steps) {
      if ("pass" in step) await pass();
      else if ("toServer" in step) await this.#inner.send(JSON.parse(step.toServer), more.toServer);
      else if ("toClient" in step) this.#deliver(JSON.parse(step.toClient), more.toClient);
      else if ("shaped" in step) this.#report(step.shaped);
      else if ("log" in step) console.error(step.log);
      else {
        const asked = this.#ask(step);
        // What the memory of this process answers at once keeps the order of messages.
        const { value, ...members } = asked instanceof Promise ? await asked : asked;
        await this.#carryOut(this.#relay.call<Step[]>("relayHeard", members, { value }), more, pass);
      }
    }
  }

  /** What the relay hears of what it asks for. */
  #ask(step: Wanted): Heard | Promise<Heard> {
    const { number } = "read" in step ? step.read : "ask" in step ? step.ask : step.write;
    const failed = (error: unknown): Heard => ({ number, failure: reason(error) });
    const found = (value: string | null): Heard => ({ number, value });
    try {
      if ("ask" in step) return askSql(step.ask.question, step.ask.sources).then(found, failed);
      const kept = this.#kept;
      if (!kept) return { number, failure: "there is no store" };
      const heard =
        "read" in step
          ? then(kept.get(step.read.key), found)
          : then(kept.set(step.write.key, step.write.value, step.write.owner), () => ({ number, wasWritten: true }));
      return heard instanceof Promise ? heard.catch(failed) : heard;
    } catch (error) {
      return failed(error);
    }
  }

  #deliver(message: Message, more: Message): void {
    for (const one of Array.isArray(message) ? message : [message]) this.#onMessage?.(one, more);
  }

  #report(receipt: Receipt): void {
    try {
      this.#onReceipt(receipt);
    } catch {
      // A failing receipt callback must not break the result.
    }
  }
}
