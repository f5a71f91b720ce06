// The hosts' configuration in the README and in docs/hosts.md: what it starts is the relay in front of the server that it names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeRepository, scratchFolder } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { Session } from "./session.mjs";
import { relays } from "./ways.mjs";

/** The entries of a page, in JSON and in TOML. */
function entriesOf(page) {
  const text = readFileSync(join(process.env.TOOLSHAPE_ROOT, page), "utf8");
  const blocks = (language) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, block]) => block);
  const files = blocks("json")
    .filter((block) => block.includes('"mcpServers"'))
    .map((block) => JSON.parse(block));
  const tables = blocks("toml").filter((block) => block.startsWith("[mcp_servers."));
  return {
    mcpServers: Object.assign({}, ...files.map(({ mcpServers }) => mcpServers)),
    toml: Object.fromEntries(tables.map((block) => [/^\[mcp_servers\.(\w+)\]$/m.exec(block)[1], fromToml(block)])),
  };
}

const fromToml = (block) => ({
  command: JSON.parse(/^command = (.*)$/m.exec(block)[1]),
  args: JSON.parse(/^args = (.*)$/m.exec(block)[1]),
});

const README = entriesOf("README.md");
const PAGE = entriesOf("docs/hosts.md");

/** How a host's entry starts our package and the server's, and what is installed here in their places. */
const LAUNCHERS = { npx: ["npx", "-y", "toolshape-cli"], uvx: ["uvx", "toolshape"] };
const PACKAGES = { memory: ["npx", "-y", "@modelcontextprotocol/server-memory"], git: ["uvx", "mcp-server-git"] };

test("each entry starts the relay in front of the server that it names", async (t) => {
  const entries = [README, PAGE].flatMap(({ mcpServers }) => Object.entries(mcpServers));
  assert.ok(entries.length >= 2, `${entries.length}`);
  for (const [name, { command, args }] of entries) {
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
      assert.equal(tools.at(-1).name.slice(0, 11), "read_result");
      await session.close();
      remove();
    });
  }
});

test("the host with another format starts the same", () => {
  const entries = Object.entries(PAGE.toml);
  assert.ok(entries.length > 0);
  for (const [name, entry] of entries) assert.deepEqual(entry, PAGE.mcpServers[name], name);
});

const cut = (list, at) => [list.slice(0, at), list.slice(at)];
