// OAuth from end to end, by the SDK's own client: discovery, registration, a code, a token, a call; 401 and 403 stay what they are.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { textOf } from "./clients.mjs";
import { freePort, startReplica, startServer, stop } from "./processes.mjs";

let server, login, guarded, replica;
const asked = [];
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
  // An authorization server (RFC 8414, 7591, 6749) that issues one token.
  login = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, login.url);
    const body = await bodyOf(request);
    asked.push(`${request.method} ${pathname}`);
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
    if (pathname === "/token") {
      const form = new URLSearchParams(body);
      asked.push(`resource ${form.get("resource")}, code ${form.get("code")}`);
      return json(response, 200, { access_token: "good", token_type: "Bearer", expires_in: 3600 });
    }
    return json(response, 404, {});
  });
  // The server, behind what checks tokens.
  guarded = await listen(async (request, response) => {
    if (request.url === "/.well-known/oauth-protected-resource/sessions") {
      return json(response, 200, { resource: `${guarded.url}/sessions`, authorization_servers: [login.url] });
    }
    if (request.url !== "/sessions") return json(response, 404, {});
    const { authorization } = request.headers;
    if (authorization !== "Bearer good") {
      const metadata = `${guarded.url}/.well-known/oauth-protected-resource/sessions`;
      response.setHeader("www-authenticate", `Bearer error="invalid_token", resource_metadata="${metadata}"`);
      return json(response, authorization === "Bearer weak" ? 403 : 401, { error: "invalid_token" });
    }
    const answer = await fetch(`http://127.0.0.1:${server.port}/sessions`, {
      method: request.method,
      headers: Object.fromEntries(
        ["accept", "content-type", "mcp-session-id", "mcp-protocol-version"]
          .filter((name) => name in request.headers)
          .map((name) => [name, request.headers[name]]),
      ),
      body: request.method === "POST" ? await bodyOf(request) : undefined,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return response.end();
    return pipeline(answer.body, response).catch(() => {});
  });
  replica = await startReplica(
    { maxTokens: 500, upstreams: { up: { url: `${guarded.url}/sessions` } } },
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
}

test("a client logs in at the server's login, for the gateway's address", async () => {
  const authProvider = new Provider();
  const url = new URL(`${replica.url}/up`);
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await assert.rejects(new Client({ name: "c", version: "1" }).connect(first), /Unauthorized/);
  assert.equal(authProvider.sentTo.origin, login.url);
  assert.equal(authProvider.sentTo.searchParams.get("resource"), url.href);
  await first.finishAuth("the-code");
  assert.ok(asked.includes(`resource ${url.href}, code the-code`), asked.join("\n"));
  const client = new Client({ name: "c", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  const shaped = JSON.parse(textOf(await client.callTool({ name: "list_rows", arguments: { topic: "a" } })));
  assert.equal(shaped.paginated, true);
  await client.close();
});

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
