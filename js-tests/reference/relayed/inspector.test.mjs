// MCP Inspector's command line before servers, without the relay and behind each: it prints the same, except for what is shaped.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { fits, textOf, unshaped } from "../servers/same.mjs";
import { NODE, PACKAGES } from "../newer_node.mjs";
import { normal } from "./compare.mjs";
import { scratchFolder } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { PLAIN, relays } from "./ways.mjs";

const INSPECTOR = join(PACKAGES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const home = mkdtempSync(join(tmpdir(), "inspector-"));
after(() => rmSync(home, { recursive: true, force: true }));

// What takes several values would take the server's command too, so the method is last.
const method = (name, ...more) => [...more, "--method", name];
const tool = (name, args = {}) =>
  method(
    "tools/call",
    "--tool-name",
    name,
    ...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]),
  );

/** What is asked of each server. */
const ASKED = {
  everything: [
    method("tools/list"),
    tool("get-sum", { a: 2, b: 40 }),
    tool("get-structured-content", { location: "Chicago" }),
    tool("get-tiny-image"),
    tool("echo", { message: "word ".repeat(5000) }),
    method("resources/list"),
    method("resources/templates/list"),
    method("resources/read", "--uri", "demo://resource/dynamic/text/2"),
    method("prompts/list"),
    method("prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Oslo"),
    method("logging/setLevel", "--log-level", "debug"),
  ],
  time: [
    method("tools/list"),
    tool("convert_time", { source_timezone: "Europe/Oslo", time: "16:30", target_timezone: "Asia/Kathmandu" }),
  ],
};

/** Runs one command of the Inspector; gives its exit code, and what it printed as JSON. */
async function inspect(way, server, asked) {
  const args = [INSPECTOR, "--cli", ...asked, ...way.command(server)];
  const env = { ...process.env, MCP_CATALOG_PATH: join(home, "servers.json") };
  const {
    code = 0,
    stdout,
    stderr,
  } = await promisify(execFile)(NODE, args, { cwd: home, env, maxBuffer: 1e8 }).catch((error) => error);
  assert.ok(stdout.trim() !== "", `nothing printed: ${stderr}`);
  return { code, value: JSON.parse(stdout) };
}

/** What the Inspector prints without what the relay adds. */
function without({ code, value }) {
  const { tools, resourceTemplates, ...rest } = value;
  const own = tools
    ?.filter(({ name }) => !name.startsWith("read_result"))
    .map((tool) => ({
      ...unshaped(tool),
      outputSchema: tool.outputSchema && Object.entries(unshaped(tool).outputSchema).sort(),
    }));
  return {
    code,
    ...rest,
    tools: own,
    resourceTemplates: resourceTemplates?.filter(({ name }) => name !== "toolshape-result"),
  };
}

for (const [name, asked] of Object.entries(ASKED)) {
  test(name, { concurrency: 2 }, (t) =>
    Promise.all(
      asked.map(async (options) => {
        const { folder, remove } = scratchFolder();
        const server = ALL[name].command(folder);
        const plain = await inspect(PLAIN, server, options);
        // Each takes seconds; what passes is the same code in all relays.
        for (const way of relays().slice(0, options.includes("tools/list") ? undefined : 1)) {
          await t.test(`${options.join(" ").slice(0, 80)}, behind the ${way.name} relay`, async () => {
            const relayed = await inspect(way, server, options);
            if (relayed.value._meta?.["toolshape/receipt"] === undefined) {
              return assert.equal(normal(without(relayed), folder), normal(without(plain), folder));
            }
            fits(relayed.value);
            assert.ok(textOf(relayed.value).includes("toolshape://result/"));
          });
        }
        remove();
      }),
    ),
  );
}
