// The SDKs' own clients, each connected to a server in a process of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const SERVERS = new URL("servers.mjs", import.meta.url).pathname;
export const [LEGACY, MODERN] = ["2025-11-25", "2026-07-28"];

/** Each SDK, transport and era that are tested together. */
export const COLUMNS = [
  { sdk: "v2", transport: "stdio", era: MODERN },
  { sdk: "v2", transport: "http", era: MODERN },
  { sdk: "v2", transport: "stdio", era: LEGACY },
  { sdk: "v2", transport: "http", era: LEGACY },
  { sdk: "v1", transport: "stdio", era: LEGACY },
  { sdk: "v1", transport: "http", era: LEGACY },
  { sdk: "fastmcp", transport: "stdio", era: LEGACY },
  { sdk: "fastmcp", transport: "http", era: LEGACY },
];

/** The address that a server prints, among whatever else it prints. */
async function address(stdout) {
  for await (const line of createInterface(stdout)) if (line.startsWith("http://")) return line;
  throw new Error("the server ended before it told its address");
}

/** A client of a server, what the server wrote to standard error, and how to end both. */
export async function connect({ sdk, transport, era }, { how = "shaped", name = "somebody" } = {}) {
  const info = { name, version: "1.0.0" };
  const isV2 = sdk === "v2";
  const client = isV2
    ? new Client(info, { versionNegotiation: { mode: era === MODERN ? { pin: MODERN } : "legacy" } })
    : new ClientV1(info);
  const errors = [];
  if (transport === "stdio") {
    const stdio = new (isV2 ? StdioClientTransport : StdioV1)({ command: process.execPath, args: [SERVERS, sdk, "stdio", how], stderr: "pipe" });
    stdio.stderr?.on("data", (chunk) => errors.push(String(chunk)));
    await client.connect(stdio);
    return { client, errors, close: () => client.close() };
  }
  const server = spawn(process.execPath, [SERVERS, sdk, "http", how], { stdio: ["ignore", "pipe", "pipe"] });
  server.stderr.on("data", (chunk) => errors.push(String(chunk)));
  const url = await address(server.stdout);
  await client.connect(new (isV2 ? StreamableHTTPClientTransport : HttpV1)(new URL(url)));
  return {
    client,
    errors,
    close: async () => {
      await client.close();
      server.kill();
    },
  };
}
