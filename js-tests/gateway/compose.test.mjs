// The example as it is: each service of compose.yaml by its own command, and what builds the image.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readToolOf, textOf } from "./clients.mjs";
import { EXAMPLE, Example, containerfile, stop } from "./processes.mjs";

let example;
const running = new Map();
before(async () => {
  example = await Example.open();
  for (const name of example.order) running.set(name, await example.start(name));
});
after(() => stop(...running.values()));

async function connected(key) {
  const client = new Client({ name: "tests", version: "1.0.0" });
  const requestInit = { headers: { "x-api-key": key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${example.url}/everything`), { requestInit }));
  return client;
}

test("clients call the server, and read its results, each as its own tenant", async () => {
  const [one, two] = [await connected("key-of-one"), await connected("key-of-two")];
  const message = Array.from({ length: 3000 }, (_, at) => `line ${at}\n`).join("");
  const shaped = textOf(await one.callTool({ name: "echo", arguments: { message } }));
  assert.ok(shaped.length < 10_000);
  const handle = /toolshape:\/\/result\/([a-z]{16})/.exec(shaped)[1];
  const read = async (client) =>
    textOf(await client.callTool({ name: await readToolOf(client), arguments: { handle, search: "line 2345" } }));
  for (let round = 0; round < 4; round++) {
    assert.match(await read(one), /line 2345/);
    assert.doesNotMatch(await read(two), /line \d/);
  }
  for (const name of ["replica-1", "replica-2"]) assert.ok(running.get(name).lines.length > 0, `${name} is not asked`);
  await Promise.all([one.close(), two.close()]);
});

test("the image has the program that its instructions build", () => {
  const { context, dockerfile } = example.services["replica-1"].build;
  const root = resolve(EXAMPLE, context);
  assert.ok(existsSync(join(root, dockerfile)));
  const argsOf = (kind) => containerfile.filter(([instruction]) => instruction === kind).map(([, args]) => args);
  const build = argsOf("RUN").find((run) => run.startsWith("cargo "));
  const [, profile, options] = /^cargo build --profile (\w+) (--locked .*)$/.exec(build);
  // Cargo refuses an unknown package or feature, and a lock file that is not up to date.
  const tree = execFileSync("cargo", ["tree", "--depth", "0", ...options.split(" ")], { cwd: root, encoding: "utf8" });
  const [, name] = /^(\S+) v/.exec(tree);
  const { packages } = JSON.parse(
    execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1e8,
    }),
  );
  const programs = packages.find((one) => one.name === name).targets.filter(({ kind }) => kind.includes("bin"));
  const [folder] = argsOf("WORKDIR");
  const [, built] = /^--from=build (\S+) /.exec(argsOf("COPY").at(-1));
  assert.ok(programs.some((program) => built === `${folder}/target/${profile}/${program.name}`));
  assert.equal(JSON.parse(argsOf("ENTRYPOINT")[0])[0], `/${basename(built)}`);
});
