// Streamable HTTP before a server on stdio, for the conformance tests, which speak HTTP alone: node bridge.mjs <sessions|single>
// <command …>. With sessions each has a server of its own, as of 2025-11-25; without, one server has all requests, as of
// 2026-07-28. Prints its address.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { listen } from "../listen.mjs";

const [kind, command, ...args] = process.argv.slice(2);
const REVISION = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** The server: what it says goes to `hear`. */
function start(hear) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  createInterface(child.stdout).on("line", (line) => hear(JSON.parse(line)));
  return { say: (message) => child.stdin.write(`${JSON.stringify(message)}\n`), end: () => child.stdin.end() };
}

/** The requests that wait, so that notifications of the server go with the request that they belong to. */
class Waiting {
  #requests = new Map();

  add({ id, params }, more = {}) {
    this.#requests.set(id, { id, token: params?._meta?.progressToken, ...more });
  }

  /** The request that a message of the server's answers or belongs to. */
  of({ id, method, params }) {
    if (method === undefined) {
      const found = this.#requests.get(id);
      this.#requests.delete(id);
      return found;
    }
    const all = [...this.#requests.values()];
    const listening = params?._meta?.[SUBSCRIPTION];
    if (listening !== undefined) return all.find(({ id }) => id === listening);
    return (
      all.find(({ token }) => token !== undefined && token === params?.progressToken) ??
      all.findLast(({ isListening }) => !isListening)
    );
  }
}

const sessions = new Map();

async function inSession(request, host) {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
  const waiting = new Waiting();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableDnsRebindingProtection: true,
    allowedHosts: [host, host.replace("localhost", "127.0.0.1")],
    allowedOrigins: [`http://${host}`, `http://${host.replace("localhost", "127.0.0.1")}`],
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = start((message) =>
    transport.send(message, { relatedRequestId: waiting.of(message)?.id }).catch(() => {}),
  );
  transport.onmessage = (message) => {
    if (message.id !== undefined && message.method !== undefined) waiting.add(message);
    server.say(message);
  };
  transport.onclose = () => server.end();
  await transport.start();
  return transport.handleRequest(request);
}

const all = new Waiting();
const one = kind === "single" ? start((message) => record(message)) : undefined;
let ids = 0;

function record(message) {
  const request = all.of(message);
  if (request === undefined) return;
  const isAnswer = message.method === undefined;
  const meta = message.params?._meta;
  const own = {
    ...message,
    ...(isAnswer && { id: request.own }),
    ...(meta?.[SUBSCRIPTION] !== undefined && {
      params: { ...message.params, _meta: { ...meta, [SUBSCRIPTION]: request.own } },
    }),
  };
  request.write(own, isAnswer);
}

/** Ids are of the bridge, because several clients count alike. */
async function alone(request) {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const message = await request.json();
  // A server on stdio takes the first message's revision for all.
  if (message.params?._meta?.[REVISION] === undefined && message.method !== undefined) {
    return Response.json(
      { jsonrpc: "2.0", id: message.id ?? null, error: { code: -32600, message: "no revision" } },
      { status: 400 },
    );
  }
  if (message.id === undefined) {
    one.say(message);
    return new Response(null, { status: 202 });
  }
  const id = `${++ids}`;
  const stream = new ReadableStream({
    start(controller) {
      const write = (message, isLast) => {
        controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
        if (isLast) controller.close();
      };
      all.add({ ...message, id }, { own: message.id, isListening: message.method === "subscriptions/listen", write });
      one.say({ ...message, id });
    },
    cancel: () => one.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }),
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

listen((request, host) => (kind === "single" ? alone(request) : inSession(request, host)));
