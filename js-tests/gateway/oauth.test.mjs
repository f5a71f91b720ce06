// OAuth from end to end, by the clients of both SDKs: discovery, registration, a code with its proof (PKCE), a token, a call; 401 and
// 403 stay what they are.

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { textOf } from "./clients.mjs";
import { freePort, startReplica, startServer, stop } from "./processes.mjs";

let server, login, guarded, replica;
/** What was asked for with each code: the proof's hash, and the resource. */
const codes = new Map();
const listen = async (handler) => {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { url: `http://127.0.0.1:${server.address().port}` });
};
const json = (response, status, value) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
const bodyOf = async (request) => {
  let text = "";
  for await (const part of request) text += part;
  return text;
};

before(async () => {
  server = await startServer();
  // An authorization server (RFC 8414, 7591, 6749, 7636) that issues one token.
  login = await listen(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url, login.url);
    const body = await bodyOf(request);
    if (pathname === "/.well-known/oauth-authorization-server") {
      return json(response, 200, {
        issuer: login.url,
        authorization_endpoint: `${login.url}/authorize`,
        token_endpoint: `${login.url}/token`,
        registration_endpoint: `${login.url}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    }
    if (pathname === "/register") return json(response, 201, { ...JSON.parse(body), client_id: "c" });
    if (pathname === "/authorize") {
      assert.equal(query.get("code_challenge_method"), "S256");
      const code = randomUUID();
      codes.set(code, { challenge: query.get("code_challenge"), resource: query.get("resource") });
      const to = new URL(query.get("redirect_uri"));
      to.searchParams.set("code", code);
      return response.writeHead(302, { location: to.href }).end();
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(body);
      const { challenge, resource } = codes.get(form.get("code")) ?? {};
      const proof = createHash("sha256").update(form.get("code_verifier")).digest("base64url");
      const isRight = proof === challenge && form.get("resource") === resource;
      if (!isRight) return json(response, 400, { error: "invalid_grant" });
      return json(response, 200, { access_token: "good", token_type: "Bearer", expires_in: 3600 });
    }
    return json(response, 404, {});
  });
  // The server, behind what checks tokens.
  guarded = await listen(async (request, response) => {
    const [, path] = /^\/\.well-known\/oauth-protected-resource(\/.*)$/.exec(request.url) ?? [];
    if (path) return json(response, 200, { resource: `${guarded.url}${path}`, authorization_servers: [login.url] });
    if (!["/sessions", "/modern"].includes(request.url)) return json(response, 404, {});
    const { authorization } = request.headers;
    if (authorization !== "Bearer good") {
      const metadata = `${guarded.url}/.well-known/oauth-protected-resource${request.url}`;
      response.setHeader("www-authenticate", `Bearer error="invalid_token", resource_metadata="${metadata}"`);
      return json(response, authorization === "Bearer weak" ? 403 : 401, { error: "invalid_token" });
    }
    const answer = await fetch(`http://127.0.0.1:${server.port}${request.url}`, {
      method: request.method,
      headers: Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name)),
      ),
      body: request.method === "POST" ? await bodyOf(request) : undefined,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return response.end();
    return pipeline(answer.body, response).catch(() => {});
  });
  replica = await startReplica(
    { maxTokens: 500, upstreams: { up: { url: `${guarded.url}/sessions` }, modern: { url: `${guarded.url}/modern` } } },
    await freePort(),
  );
});
after(async () => {
  await stop(server, replica);
  for (const one of [login, guarded]) {
    one.closeAllConnections();
    one.close();
  }
});

/** What the SDK's client remembers of a login. */
class Provider {
  redirectUrl = "http://127.0.0.1:1/callback";
  clientMetadata = { redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens) => void (this.saved = tokens);
  redirectToAuthorization = (url) => void (this.sentTo = url);
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  saveDiscoveryState = (state) => void (this.discovered = state);
  discoveryState = () => this.discovered;
}

for (const [era, path, AnyClient, Transport, options] of [
  ["2025-11-25", "up", ClientV1, TransportV1],
  ["2026-07-28", "modern", Client, StreamableHTTPClientTransport, { versionNegotiation: { mode: "auto" } }],
]) {
  test(`${era}: a client logs in at the server's login, for the gateway's address`, async () => {
    const authProvider = new Provider();
    const url = new URL(`${replica.url}/${path}`);
    const open = async () => {
      const client = new AnyClient({ name: "c", version: "1" }, options);
      const transport = new Transport(url, { authProvider });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = await open();
    await assert.rejects(first.connected, /Unauthorized/);
    assert.equal(authProvider.sentTo.origin, login.url);
    const { headers } = await fetch(authProvider.sentTo, { redirect: "manual" });
    const code = new URL(headers.get("location")).searchParams.get("code");
    assert.equal(codes.get(code).resource, url.href);
    await first.transport.finishAuth(code);
    const { client, connected } = await open();
    await connected;
    const shaped = JSON.parse(textOf(await client.callTool({ name: "list_rows", arguments: { topic: "a" } })));
    assert.equal(shaped.paginated, true);
    await client.close();
  });
}

test("401 and 403 stay what they are, and name the gateway's metadata", async () => {
  for (const [authorization, status] of [
    ["Bearer bad", 401],
    ["Bearer weak", 403],
  ]) {
    const answer = await fetch(`${replica.url}/up`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "small" } }),
    });
    assert.equal(answer.status, status);
    assert.deepEqual(await answer.json(), { error: "invalid_token" });
    const challenge = answer.headers.get("www-authenticate");
    const metadata = `${replica.url}/.well-known/oauth-protected-resource/up`;
    assert.equal(challenge, `Bearer error="invalid_token", resource_metadata="${metadata}"`);
    assert.deepEqual(await (await fetch(metadata)).json(), {
      resource: `${replica.url}/up`,
      authorization_servers: [login.url],
    });
  }
});
