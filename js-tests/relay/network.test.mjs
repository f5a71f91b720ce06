// What is between the relay and a server behind HTTP: TLS with an authority of one's own, and proxies.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as pass } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { overEach } from "./pumps.mjs";
import { ask, leave, overHttp } from "./remote.mjs";

const REQUEST = { id: 1, method: "x/request" };
const answer = ({ result }) => result({ from: "the server" });
const answered = async (talk) => {
  assert.deepEqual((await ask(talk, REQUEST)).result, { from: "the server" });
  assert.deepEqual(await leave(talk), { code: 0, signal: null });
};

const NAMES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
/** No proxy but those that a test names. */
const DIRECT = Object.fromEntries(NAMES.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, ""]));

/** Whether the Node of this machine takes proxies from the environment. */
const [major, minor] = process.versions.node.split(".").map(Number);
const takesProxies = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

let folder, certificate, trusting;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "relay-"));
  const extensions = [
    { name: "basicConstraints", cA: false },
    { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
  ];
  const made = await generate([{ name: "commonName", value: "toolshape" }], { algorithm: "sha256", extensions });
  certificate = { key: made.private, cert: made.cert };
  const file = join(folder, "authority.pem");
  writeFileSync(file, made.cert);
  trusting = { ...DIRECT, SSL_CERT_FILE: file, SSL_CERT_DIR: "", NODE_EXTRA_CA_CERTS: file };
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A proxy on loopback, which keeps what it is asked for. */
async function withProxy(test) {
  const asked = [];
  const sockets = new Set();
  const proxy = createServer((request, response) => {
    asked.push({ way: "passed", address: request.url, says: request.headers["proxy-authorization"] });
    const { method, headers } = request;
    request.pipe(
      pass(request.url, { method, headers }, (answer) =>
        answer.pipe(response.writeHead(answer.statusCode, answer.headers)),
      ),
    );
  });
  proxy.on("connect", (request, socket, head) => {
    asked.push({ way: "tunnel", address: request.url, says: request.headers["proxy-authorization"] });
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [socket, onward]) sockets.add(one.on("error", () => {}));
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    return await test(`http://user:pass%20word@127.0.0.1:${proxy.address().port}`, asked);
  } finally {
    for (const socket of sockets) socket.destroy();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
}

const SAYS = `Basic ${Buffer.from("user:pass word").toString("base64")}`;

overEach("the network between", (pump, name) => {
  const skip = name === "node" && !takesProxies ? "this Node takes no proxy from the environment" : false;

  test("a certificate of an authority that the environment names", () =>
    overHttp(pump, answer, answered, [], { certificate, env: trusting }));

  test("a certificate of an authority that nobody names is refused", () => {
    const env = { ...DIRECT, SSL_CERT_FILE: "", SSL_CERT_DIR: "", NODE_EXTRA_CA_CERTS: "" };
    return overHttp(
      pump,
      answer,
      async (talk, { url, requests }) => {
        const { message } = (await ask(talk, REQUEST)).error;
        assert.ok(message.startsWith(`cannot reach ${new URL(url).origin}: `) && /certificate/i.test(message), message);
        assert.equal(requests.length, 0);
      },
      [],
      { certificate, env },
    );
  });

  test("a tunnel through a proxy to a server with TLS", { skip }, () =>
    withProxy((proxy, asked) =>
      overHttp(
        pump,
        answer,
        async (talk, { url }) => {
          await answered(talk);
          assert.deepEqual(asked[0], { way: "tunnel", address: new URL(url).host, says: SAYS });
        },
        [],
        { certificate, env: { ...trusting, HTTPS_PROXY: proxy, HTTP_PROXY: "http://127.0.0.1:9" } },
      ),
    ),
  );

  test("a proxy to a server without TLS", { skip }, () =>
    withProxy((proxy, asked) =>
      overHttp(
        pump,
        answer,
        async (talk, { url }) => {
          await answered(talk);
          assert.equal(asked[0].says, SAYS);
          assert.ok([url, new URL(url).host].includes(asked[0].address), asked[0].address);
        },
        [],
        { env: { ...DIRECT, HTTP_PROXY: proxy, HTTPS_PROXY: "http://127.0.0.1:9" } },
      ),
    ),
  );

  for (const [about, env] of [
    ["NO_PROXY names the server", { HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "example.com,127.0.0.1" }],
    ["the proxy is for servers with TLS", { HTTPS_PROXY: "http://127.0.0.1:9" }],
  ]) {
    test(`no proxy where ${about}`, () => overHttp(pump, answer, answered, [], { env: { ...DIRECT, ...env } }));
  }
});
