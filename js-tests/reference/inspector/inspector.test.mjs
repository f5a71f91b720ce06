// MCP Inspector's command line before the example servers: it lists every tool and finds no fault with its schemas, and
// calls each, with arguments for shaping and without.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens, expand } from "toolshape";
import { NODE, PACKAGES } from "../newer_node.mjs";

const INSPECTOR = join(PACKAGES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const EXAMPLES = process.env.TOOLSHAPE_EXAMPLES;
const DATABASE = join(EXAMPLES, "data/articles.db");
const BUDGET = 2000;
/** The Inspector's exit code for a result that is an error. */
const TOOL_ERROR = 5;

const typescript = (file) => [process.execPath, "--import", "tsx", `typescript/${file}.ts`, DATABASE];
const python = (file) => [process.env.TOOLSHAPE_PYTHON, `python/${file}.py`, DATABASE];
const EXAMPLE_SERVERS = {
  "TypeScript, naive": typescript("naive"),
  "TypeScript, shaped": typescript("shaped"),
  "Python, naive": python("naive"),
  "Python, shaped": python("shaped"),
};

const SHAPED = new URL("../servers/shaped.mjs", import.meta.url).href;
const filesystem = [join(PACKAGES, "@modelcontextprotocol/server-filesystem/dist/index.js"), EXAMPLES];

/** A server with which it does find fault, so that its silence says something. */
const FAULTY = [process.execPath, join(import.meta.dirname, "faulty.mjs")];

/** Values of arguments that tools require, by name; `slug` is learnt from a list. */
const values = { query: "wheat", handle: "0".repeat(64), text: "INFO started\n".repeat(2000) };
/** What a tool takes one of, which a schema that stays portable cannot say. */
const ONE_OF = { summarize: ["text"], read_result_articles: ["handle"] };
/** The command line starts a server for each command, so what one stored in its memory another has not. */
const NOT_FOUND = ["read_result_articles"];
/** Tools whose answers are as short as they are, and take no arguments for shaping. */
const UNSHAPED = ["summarize"];
/** Arguments for shaping that mean something for any other tool of a shaped server; the tool that reads stored results alone lists them. */
const CONTROLS = { pageSize: 3, page: 1 };

const home = mkdtempSync(join(tmpdir(), "inspector-"));

/** Runs one command of the Inspector; gives its exit code, what it printed as JSON, and what it found fault with. */
async function inspect(server, ...options) {
  const args = [INSPECTOR, "--cli", ...options, ...server];
  const env = { ...process.env, MCP_CATALOG_PATH: join(home, "servers.json") };
  const done = await promisify(execFile)(NODE, args, { cwd: EXAMPLES, env, maxBuffer: 1e8 }).catch((error) => error);
  const { code = 0, stdout, stderr } = done;
  const complaints = stderr
    .split("\n")
    .filter((line) => /^(Error|Warning): |^Schema portability|^\{"error"/.test(line));
  return { code, value: stdout.trim() === "" ? undefined : JSON.parse(stdout), complaints };
}

const list = (server) => inspect(server, "--method", "tools/list", "--strict");

function call(server, name, args) {
  const pairs = Object.entries(args).flatMap(([key, value]) => [
    "--tool-arg",
    `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  ]);
  return inspect(server, "--tool-name", name, ...pairs, "--method", "tools/call");
}

const textOf = ({ content }) => content.map(({ text }) => text).join("\n");

before(async () => {
  if (!existsSync(DATABASE)) {
    const { buildDatabase } = await import(pathToFileURL(join(EXAMPLES, "data/build.mjs")).href);
    await buildDatabase(DATABASE);
  }
  const { value } = await call(EXAMPLE_SERVERS["TypeScript, shaped"], "list_articles", { pageSize: 1 });
  values.slug = JSON.parse(expand(textOf(value))).items[0].slug;
});

after(() => rmSync(home, { recursive: true, force: true }));

test("the Inspector finds fault where there is one", async () => {
  const { code, complaints } = await list(FAULTY);
  assert.notEqual(code, 0);
  assert.equal(complaints[0], 'Error: tool "faulty"');
});

test("schemas of results are without fault when they are widened", async () => {
  const { code, value, complaints } = await list([process.execPath, "--import", SHAPED, ...filesystem]);
  assert.deepEqual({ code, complaints }, { code: 0, complaints: [] });
  assert.ok(value.tools.every(({ outputSchema }) => outputSchema.anyOf.length === 4));
});

test("the example servers", { concurrency: 2 }, (t) =>
  Promise.all(
    Object.entries(EXAMPLE_SERVERS).map(([title, server]) =>
      t.test(title, { concurrency: 1 }, async (t) => {
        const { code, value, complaints } = await list(server);
        assert.deepEqual({ code, complaints }, { code: 0, complaints: [] });
        const isShaped = title.endsWith("shaped");
        await Promise.all(value.tools.map((tool) => t.test(tool.name, () => calls(server, tool, isShaped))));
      }),
    ),
  ),
);

async function calls(server, { name, inputSchema, outputSchema }, isShaped) {
  const { properties = {}, required = [] } = inputSchema;
  const own = Object.fromEntries([...required, ...(ONE_OF[name] ?? [])].map((key) => [key, values[key]]));
  const ours = isShaped && !UNSHAPED.includes(name) ? CONTROLS : {};
  const listed = Object.keys(CONTROLS).some((key) => key in properties);
  assert.equal(listed, NOT_FOUND.includes(name), "only the tool that reads stored results lists arguments for shaping");
  const valid = outputSchema && new Ajv2020({ strict: false }).compile(withoutDialect(outputSchema));
  const results = await Promise.all(
    [own, ...(isShaped ? [{ ...own, ...ours }] : [])].map((args) => call(server, name, args)),
  );
  for (const { code, value } of results) {
    const isLost = NOT_FOUND.includes(name);
    assert.deepEqual({ code, isError: value?.isError ?? false }, { code: isLost ? TOOL_ERROR : 0, isError: isLost });
    if (isLost) assert.equal(JSON.parse(textOf(value)).error, "NOT_FOUND");
    assert.ok(textOf(value).length > 0);
    if (isShaped) assert.ok(countTokens(textOf(value)) <= BUDGET);
    if (valid) assert.ok(valid(value.structuredContent), JSON.stringify(valid.errors));
  }
}

const withoutDialect = ({ $schema, ...schema }) => schema;
