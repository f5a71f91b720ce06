// Real clients in front of one address: the TypeScript SDK's in this process, and FastMCP's in one of Python.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** A client of the TypeScript SDK, of either era of the protocol. */
export async function openTypeScriptClient(url, tenant, mode) {
  const client = new Client({ name: "walker", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-tenant": tenant } } }),
  );
  return {
    name: `TypeScript, ${client.getNegotiatedProtocolVersion()}`,
    call: (name, args) => client.callTool({ name, arguments: args }),
    /** The name of the tool that reads stored results. */
    async readTool() {
      const names = (await client.listTools()).tools.map(({ name }) => name);
      return names.find((name) => name.startsWith("read_result"));
    },
    close: () => client.close(),
  };
}

/** FastMCP's client. */
export async function openPythonClient(python, url, tenant) {
  const script = fileURLToPath(new URL("client.py", import.meta.url));
  const child = spawn(python, [script, url, tenant], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name: "Python",
    async call(name, args) {
      child.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("the client in Python ended");
      return JSON.parse(value);
    },
    close: () => (child.stdin.end(), ended),
  };
}
