// Clients of both SDKs in front of the gateway.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const INFO = { name: "tests", version: "1.0.0" };

/** A client of the older SDK, at a server with sessions. */
export async function olderClient(url, headers = {}, prepare = () => {}, options = {}) {
  const client = new ClientV1(INFO, { capabilities: { sampling: {} } });
  prepare(client);
  await client.connect(new TransportV1(new URL(`${url}/sessions`), { requestInit: { headers }, ...options }));
  return client;
}

/** A client of the newer SDK, at a server without sessions. */
export async function newerClient(url, headers = {}) {
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/modern`), { requestInit: { headers } }));
  return client;
}

/** The text of a result. */
export const textOf = ({ content }) => content[0].text;

/** The tool that reads stored results, by the name that the list of tools has. */
export const readToolOf = async (client) =>
  (await client.listTools()).tools.map(({ name }) => name).find((name) => name.startsWith("read_result"));
