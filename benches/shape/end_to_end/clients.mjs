/** The SDKs' own clients, and the servers they call: each a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { BUDGET } from "../handlers.mjs";
import { SIZES } from "./rows.mjs";
import { NAME } from "./tool.mjs";

export const SDKS = ["TypeScript SDK 2", "TypeScript SDK 1", "TypeScript fastmcp"];
const SERVERS = new URL("servers.mjs", import.meta.url).pathname;
const INFO = { name: "bench", version: "1.0.0" };
/** No text within the budget is longer. */
const MOST_CHARS = BUDGET * 16;

/** A server over HTTP, which ends with this process: its address, and its resident memory in bytes where the system reports it. */
export async function startServer(sdk, how) {
  const server = spawn(process.execPath, [SERVERS, sdk, "http", how], { stdio: ["ignore", "pipe", "ignore"] });
  process.on("exit", () => server.kill());
  const resident = () => {
    if (process.platform !== "linux") return null;
    return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) * 1024;
  };
  for await (const line of createInterface(server.stdout)) {
    if (line.startsWith("http://")) return { url: line, resident };
  }
  throw new Error(`the server of ${sdk}, ${how}, ended before it printed its address`);
}

/** A client of the server at an address, or without one of a server that it starts on stdio. */
export async function connect(sdk, how, url) {
  const [OfSdk, Stdio, Http] =
    sdk === "TypeScript SDK 2"
      ? [Client, StdioClientTransport, StreamableHTTPClientTransport]
      : [ClientV1, StdioV1, HttpV1];
  const client = new OfSdk(INFO);
  const stdio = { command: process.execPath, args: [SERVERS, sdk, "stdio", how], env: process.env, stderr: "ignore" };
  await client.connect(url ? new Http(new URL(url)) : new Stdio(stdio));
  const call = async (count, version) => {
    const { content, isError } = await client.callTool({ name: NAME, arguments: { count, version } });
    check(content, isError, how, count);
  };
  return { call, close: () => client.close() };
}

/** A measure of results that are not what they should be would say nothing. */
function check(content, isError, how, count) {
  const { text } = content[0];
  const isWhole = how === "naive" || count === SIZES["2 KB"];
  if (isError || (isWhole ? text.length < count * 150 : text.length > MOST_CHARS)) {
    throw new Error(`${how}, ${count} rows: ${text.slice(0, 200)}`);
  }
}
