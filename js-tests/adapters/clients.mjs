// The SDKs' own clients, each connected to a server in a process of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MODERN } from "./table.mjs";

const SERVERS = new URL("servers.mjs", import.meta.url).pathname;
const REVISION = "2026-07-28";

/** The command of a server: a program of its own for Rust, which the step of the tests compiles. */
function commandOf(sdk, transport, how) {
  const program = process.env.TOOLSHAPE_RMCP_ROWS;
  return sdk === "rmcp" ? [program, [transport, how]] : [process.execPath, [SERVERS, sdk, transport, how]];
}

/** The servers over HTTP, one for all eras and clients, by SDK and how they are to be. */
const running = new Map();

/** A server over HTTP: its process, its address, and what it wrote to standard error. */
function started(sdk, how) {
  const key = `${sdk} ${how}`;
  if (!running.has(key)) {
    const server = spawn(...commandOf(sdk, "http", how), { stdio: ["ignore", "pipe", "pipe"] });
    const errors = [];
    server.stderr.on("data", (chunk) => errors.push(String(chunk)));
    running.set(key, { server, errors, url: address(server.stdout) });
  }
  return running.get(key);
}

/** Ends the servers over HTTP; those on stdio end with their clients. */
export function stop() {
  for (const { server } of running.values()) server.kill();
}

/** The address that a server prints, among whatever else it prints. */
async function address(stdout) {
  for await (const line of createInterface(stdout)) if (line.startsWith("http://")) return line;
  throw new Error("the server ended before it told its address");
}

/** What the user says to every question. */
const ANSWER = { action: "accept", content: { name: "Ada" } };

/**
 * A client of a server that is shaped, naive or bare (shaped without a store and without receipts); what the server
 * wrote to standard error and asked the user; and how to end both. `above` wraps the client's transport.
 */
export async function connect({ sdk, transport, era }, { how, name = "somebody", above = (transport) => transport }) {
  const info = { name, version: "1.0.0" };
  // Of the two clients, that of version 2 speaks both eras.
  const isV2 = sdk === "v2" || sdk === "rmcp";
  const questions = [];
  const client = isV2
    ? new Client(info, {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode: era === MODERN ? { pin: REVISION } : "legacy" },
      })
    : new ClientV1(info);
  if (isV2) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return ANSWER;
    });
  }
  const close = () => client.close();
  if (transport === "stdio") {
    const errors = [];
    const [command, args] = commandOf(sdk, "stdio", how);
    const server = { command, args, env: process.env, stderr: "pipe" };
    const stdio = new (isV2 ? StdioClientTransport : StdioV1)(server);
    stdio.stderr?.on("data", (chunk) => errors.push(String(chunk)));
    await client.connect(above(stdio));
    return { client, isV2, errors, questions, close };
  }
  const { url, errors } = started(sdk, how);
  await client.connect(above(new (isV2 ? StreamableHTTPClientTransport : HttpV1)(new URL(await url))));
  return { client, isV2, errors, questions, close };
}
