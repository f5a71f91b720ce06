// The hosts' configuration in the README: what it starts is the relay before the server that it names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeRepository, scratchFolder } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { Session } from "./session.mjs";
import { relays } from "./ways.mjs";

const README = readFileSync(join(process.env.TOOLSHAPE_ROOT, "README.md"), "utf8");
const SECTION = README.split("## Before a server that you do not own")[1].split("\n## ")[0];
const blocks = (language) =>
  [...SECTION.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text]) => text);

const [claude, code] = blocks("json").map((text) => JSON.parse(text));
const [codex] = blocks("toml");

/** How a host's entry starts our package and the server's, and what is installed here in their places. */
const LAUNCHERS = { npx: ["npx", "-y", "toolshape"], uvx: ["uvx", "toolshape"] };
const PACKAGES = { memory: ["npx", "-y", "@modelcontextprotocol/server-memory"], git: ["uvx", "mcp-server-git"] };

test("each entry starts the relay before the server that it names", async (t) => {
  for (const [name, { command, args }] of Object.entries({ ...claude.mcpServers, ...code.servers })) {
    await t.test(name, async () => {
      const { folder, remove } = scratchFolder();
      const [launcher, rest] = cut([command, ...args], LAUNCHERS[command].length);
      const [separator, server] = cut(rest, 1);
      const [known, own] = cut(server, PACKAGES[name].length);
      assert.deepEqual([launcher, separator, known], [LAUNCHERS[command], ["--"], PACKAGES[name]]);
      if (name === "git") makeRepository(join(folder, "repository"));
      const installed = name === "git" ? ALL.git.command(folder) : [...ALL[name].command(folder), ...own];
      const session = await Session.open(relays()[0], { command: installed, env: ALL[name].env?.(folder) });
      const { tools } = (await session.list("tools/list"))[0].response.result;
      assert.equal(tools.at(-1).name, "read_result");
      if (name === "git") assert.equal(own[0], installed.at(-2), "the option is the server's");
      await session.close();
      remove();
    });
  }
});

test("hosts with another format start the same", () => {
  const { command, args } = claude.mcpServers.memory;
  assert.deepEqual(code.servers.memory, { type: "stdio", command, args });
  assert.match(codex, /^\[mcp_servers\.memory\]$/m);
  assert.equal(JSON.parse(/^command = (.*)$/m.exec(codex)[1]), command);
  assert.deepEqual(JSON.parse(/^args = (.*)$/m.exec(codex)[1]), args);
});

const cut = (list, at) => [list.slice(0, at), list.slice(at)];
