/**
 * The TypeScript SDK's own client in front of one server over stdio: a call a line comes in, its result a line
 * goes out.
 *
 * Usage: client.mjs <command of the server> <its arguments...>
 */
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "demo", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));

// The name of the tool that reads stored results carries the server's.
const { tools } = await client.listTools();
const listed = (asked) =>
  (tools.find(({ name }) => name === asked) ?? tools.find(({ name }) => name.startsWith(`${asked}_`)))?.name ?? asked;

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  const result = await client.callTool({ ...call, name: listed(call.name) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
await client.close();
