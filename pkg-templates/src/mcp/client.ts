// The calling client. Since protocol 2026 every request names it; before, only the first request of a connection did.

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

/** The part of an SDK's context of a call that names the client. */
interface Context {
  mcpReq?: { _meta?: unknown; envelope?: { [CLIENT_INFO]?: { name?: unknown } | undefined } | undefined } | undefined;
}

/** The part of a low-level `Server` that knows the client of a connection. */
export interface KnowsClient {
  getClientVersion?(): { name: string } | undefined;
}

/** `_meta` of the request. */
export function metaOf(context: unknown): unknown {
  return (context as Context | undefined)?.mcpReq?._meta;
}

/** The client's name, if it is known. */
export function clientOf(server: KnowsClient, context: unknown): string | undefined {
  const name = (context as Context | undefined)?.mcpReq?.envelope?.[CLIENT_INFO]?.name;
  return typeof name === "string" ? name : server.getClientVersion?.()?.name;
}
