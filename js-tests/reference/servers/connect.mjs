// The SDK's own client, connected to a reference server as it is published, with the adapter or without.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const path = (specifier) => new URL(import.meta.resolve(specifier)).pathname;
const SHAPED = new URL("shaped.mjs", import.meta.url).href;

/** The programs of the reference servers. */
export const SERVERS = {
  everything: path("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: path("@modelcontextprotocol/server-filesystem/dist/index.js"),
};

const ROOT = { uri: "file:///nowhere", name: "nowhere" };
const ANSWERS = {
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "as asked" }, model: "none" },
  "elicitation/create": { action: "accept", content: { name: "Ada", interpretation: "technical" } },
};

/** A client that can do all that servers ask of one, and notes what it was asked. */
export function able(asked, taskStore, roots = [ROOT]) {
  const tasks = { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {}, tasks };
  const client = new Client({ name: "somebody", version: "1.0.0" }, { capabilities, taskStore });
  const answer = async ({ method, params }, { taskStore }) => {
    const { task: wanted, _meta, ...rest } = params;
    asked.push({ method, ...rest });
    if (wanted === undefined) return ANSWERS[method];
    const task = await taskStore.createTask({ ttl: wanted.ttl });
    await taskStore.storeTaskResult(task.taskId, "completed", ANSWERS[method]);
    return { task };
  };
  client.setRequestHandler(CreateMessageRequestSchema, answer);
  client.setRequestHandler(ElicitRequestSchema, answer);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  return client;
}

/**
 * A connected client: `isAble` to answer questions, to a server that is `shaped`, with a store if it `keeps` results.
 * `asked` is what the client was asked, `messages` what it got, before it checked it.
 */
export async function connect(
  program,
  { args = [], how = "naive", keeps = false, transport = "stdio", isAble = false } = {},
) {
  const asked = [];
  const messages = [];
  const tasks = new InMemoryTaskStore();
  const client = isAble ? able(asked, tasks) : new Client({ name: "somebody", version: "1.0.0" });
  const own = [...(how === "shaped" ? ["--import", keeps ? `${SHAPED}?store` : SHAPED] : []), program];
  const env = { PATH: process.env.PATH };
  const end = () => {
    tasks.cleanup();
    return client.close();
  };
  if (transport === "stdio") {
    const stdio = new StdioClientTransport({
      command: process.execPath,
      args: [...own, ...args],
      env,
      stderr: "ignore",
    });
    await client.connect(listened(stdio, messages));
    return { client, asked, messages, close: end };
  }
  const port = await freePort();
  const server = spawn(process.execPath, [...own, "streamableHttp"], {
    env: { ...env, PORT: String(port) },
    stdio: "ignore",
  });
  await answering(port, server);
  await client.connect(listened(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`)), messages));
  return {
    client,
    asked,
    messages,
    close: async () => {
      await end();
      server.kill();
    },
  };
}

/** The transport, noting each message; the client puts its own listener before one that is there. */
export function listened(transport, messages) {
  transport.onmessage = (message) => messages.push(message);
  return transport;
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function answering(port, server) {
  for (let tries = 0; tries < 600 && server.exitCode === null; tries++) {
    if (
      await fetch(`http://localhost:${port}/mcp`).then(
        () => true,
        () => false,
      )
    )
      return;
    await wait(50);
  }
  throw new Error("the server does not answer");
}
