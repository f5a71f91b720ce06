// Who calls: in 2026 every request tells it, before only the first one of a connection did.

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

/** What an SDK tells of a call, as far as it names the client. */
interface Context {
  mcpReq?: { envelope?: { [CLIENT_INFO]?: { name?: unknown } | undefined } | undefined } | undefined;
}

/** The part of a low-level `Server` that knows it of a connection. */
export interface KnowsClient {
  getClientVersion?(): { name: string } | undefined;
}

/** The client's name, where it is told. */
export function clientOf(server: KnowsClient, context: unknown): string | undefined {
  const name = (context as Context | undefined)?.mcpReq?.envelope?.[CLIENT_INFO]?.name;
  return typeof name === "string" ? name : server.getClientVersion?.()?.name;
}
