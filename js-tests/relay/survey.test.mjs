// `measure` and `lint`: what they print about the same servers, from wherever they are known.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isGone } from "./processes.mjs";
import { overEach } from "./pumps.mjs";
import { listen } from "./remote.mjs";
import { answerTo } from "./surveyed_server.mjs";

const SERVER = [process.execPath, join(import.meta.dirname, "surveyed_server.mjs")];
const FOLDER = mkdtempSync(join(tmpdir(), "survey-"));
const remote = await listen(({ method, message, headers, result, empty }) => {
  if (method === "DELETE") return empty(200);
  if (headers.authorization !== "Bearer of-test") return empty(401);
  const found = message && answerTo(message, "remote");
  return found === undefined
    ? empty(message === undefined ? 405 : 202)
    : result(found, message.method === "initialize" ? { "mcp-session-id": "s" } : {});
});
after(async () => {
  await remote.close();
  rmSync(FOLDER, { recursive: true });
});

function file(name, content) {
  const path = join(FOLDER, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** What a program prints, in a folder that has no options, in an environment of few names. */
async function run([program, ...start], args, { cwd = FOLDER, env = {} } = {}) {
  const running = spawn(program, [...start, ...args], {
    cwd,
    env: { ...process.env, KEY_OF_TEST: "of-test", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  running.stdout.setEncoding("utf8").on("data", (piece) => (output += piece));
  running.stderr.setEncoding("utf8").on("data", (piece) => (errors += piece));
  const [code] = await once(running, "close");
  return { code, output, errors };
}

const HEADER = ["--header", "Authorization: Bearer of-test"];
const CALLS = file("calls.json", [{ tool: "erase", arguments: { all: true } }, { tool: "rows" }]);
const TOOLS = file("mine.tools.json", {
  tools: [{ name: "list", description: "x ".repeat(2000), inputSchema: { type: "object" } }],
});
const RECORDING = file("session.jsonl", recording());
const CONFIGURED = file("mcp.json", {
  mcpServers: {
    named: { command: SERVER[0], args: [SERVER[1]], env: { NAME_OF_SERVER: "${KEY_OF_TEST}" } },
    off: { command: "false", disabled: true },
    far: { url: remote.url, headers: { Authorization: "Bearer ${env:KEY_OF_TEST}" } },
    unknown: { command: "x", args: ["${input:token}"] },
    locked: { type: "http", url: remote.url },
    gone: { command: "/there/is/no/such/program" },
  },
});
const CODEX = file(
  "config.toml",
  `model = "x" # mine\n[mcp_servers.codex]\ncommand = ${JSON.stringify(SERVER[0])}\nargs = [${JSON.stringify(SERVER[1])}, '''a "name"''']\n`,
);

function recording() {
  const line = (from, message) => `${JSON.stringify({ at: 0, from, message })}\n`;
  const printedText = [
    ["initialize", {}],
    ["tools/list", {}],
    ["tools/list", { cursor: "2" }],
    ["tools/call", { name: "pretty", arguments: {} }],
  ];
  return printedText
    .map(
      ([method, params], id) =>
        line("client", { id, method, params }) +
        line("server", { id, result: answerTo({ method, params }, "recorded") }),
    )
    .join("");
}

/** Command lines after `measure` or `lint`, by what they look at. */
const SOURCES = {
  "a process": ["--", ...SERVER],
  "a process, calls by a script": ["--calls", CALLS, ...SERVER, "--", "--url"],
  "an address": [...HEADER, "--url", remote.url],
  "a list of tools and a recording": ["--tools", TOOLS, "--recording", RECORDING],
  "hosts' files": ["--servers", CONFIGURED, "--servers", CODEX],
};
const FORMATS = [
  ["measure"],
  ["measure", "--json", "--window", "8000"],
  ["measure", "--max-tokens", "500"],
  ["lint"],
  ["lint", "--format", "json"],
  ["lint", "--format=sarif"],
  ["lint", "--format", "github"],
];

/** What the native program prints: each way to start it is compared with it. */
const NATIVE = [process.env.TOOLSHAPE_PROGRAM];
const native = new Map();
function wanted(args) {
  const key = JSON.stringify(args);
  if (!native.has(key)) native.set(key, run(NATIVE, args));
  return native.get(key);
}

overEach("measure and lint", (pump) => {
  for (const [name, source] of Object.entries(SOURCES)) {
    test(`${name}: the same bytes in each format`, async () => {
      for (const format of name === "a list of tools and a recording" ? FORMATS : [["measure", "--json"], ["lint"]]) {
        const args = [...format, ...source];
        const [found, { code, output }] = [await run(pump, args), await wanted(args)];
        assert.deepEqual({ code: found.code, output: found.output }, { code, output }, found.errors);
        assert.equal(code, 0);
        assert.ok(output.length > 100, output);
      }
    });
  }

  test("a server is asked for all of it, and calls only what reads", async () => {
    const { output, errors } = await run(pump, ["measure", "--json", "--", ...SERVER, "its name"]);
    const [{ name, tools, results }] = JSON.parse(output).servers;
    assert.deepEqual(
      [name, tools.map(({ name }) => name), results.map(({ tool }) => tool)],
      ["its name", ["rows", "pretty", "erase"], ["rows", "pretty"]],
    );
    assert.ok(results[0].before.content.tokens > 2000 && results[0].after.content.tokens <= 2000);
    assert.equal(errors, "listening\n");
  });

  test("a session over HTTP ends", async () => {
    const before = remote.requests.length;
    await run(pump, ["measure", "--url", remote.url, ...HEADER]);
    const printedText = remote.requests.slice(before).map(({ method, message }) => message?.method ?? method);
    assert.ok(printedText.includes("DELETE") && printedText.includes("tools/call"), printedText.join());
  });

  test("servers in hosts' files that cannot be asked are reported", async () => {
    const { code, output, errors } = await run(pump, [
      "measure",
      "--json",
      "--servers",
      CONFIGURED,
      "--servers",
      CODEX,
    ]);
    assert.equal(code, 0);
    assert.deepEqual(
      JSON.parse(output).servers.map(({ name }) => name),
      ["named", "far", "codex"],
    );
    for (const printedText of [
      "unknown of ",
      "nothing says what ${input:token} is",
      "locked of ",
      "HTTP status 401: say who asks",
      "gone of ",
      "cannot start /there/is/no/such/program",
    ]) {
      assert.ok(errors.includes(printedText), `${printedText}: ${errors}`);
    }
  });

  test("the files of hosts are found in the user's folder", async () => {
    const home = join(FOLDER, `home-${process.hrtime.bigint()}`);
    mkdirSync(join(home, ".codex"), { recursive: true });
    mkdirSync(join(home, "project/.vscode"), { recursive: true });
    writeFileSync(join(home, ".codex/config.toml"), readFileSync(CODEX));
    writeFileSync(
      join(home, "project/.vscode/mcp.json"),
      `{ // mine\n"servers": { "code": { "command": ${JSON.stringify(SERVER[0])}, "args": ${JSON.stringify([SERVER[1]])}, } } }`,
    );
    const { output } = await run(pump, ["measure", "--json", "--hosts"], {
      cwd: join(home, "project"),
      env: { HOME: home },
    });
    assert.deepEqual(
      JSON.parse(output).servers.map(({ name }) => name),
      ["codex"],
      "a project's file is named with --servers",
    );
  });

  test("the report is the same file", async () => {
    const [one, other] = [join(FOLDER, `${process.hrtime.bigint()}.html`), join(FOLDER, "native.html")];
    const ended = await run(pump, ["measure", "--html", one, "--recording", RECORDING]);
    await run(NATIVE, ["measure", "--html", other, "--recording", RECORDING]);
    assert.equal(ended.code, 0, ended.errors);
    assert.ok(readFileSync(one, "utf8").includes("<h1>What recorded costs a model</h1>"));
    assert.ok(readFileSync(one).equals(readFileSync(other)));
  });

  test("it fails above the limit of tokens", async () => {
    const { cost } = JSON.parse((await run(pump, ["lint", "--tools", TOOLS, "--format", "json"])).output);
    assert.ok(cost > 100);
    assert.equal((await run(pump, ["lint", "--tools", TOOLS, "--fail-over", `${cost}`])).code, 0);
    assert.equal((await run(pump, ["lint", "--tools", TOOLS, "--fail-over", `${cost - 1}`])).code, 1);
  });

  for (const [what, args, printedText, status = 1] of [
    ["no server", ["measure"], /^toolshape: no server: pass a command, --url, /, 2],
    [
      "a file that is not a recording",
      ["measure", "--recording", TOOLS],
      /mine\.tools\.json: line 1 is not a line of a recording/,
    ],
    [
      "a file that is not there",
      ["lint", "--servers", "no-such-file.json"],
      /^toolshape: cannot read no-such-file\.json: /,
    ],
    ["a file that is not TOML", ["lint", "--servers", file("wrong.toml", "a = = b")], /wrong\.toml: it is not TOML: /],
    ["a file without servers", ["lint", "--servers", file("none.json", "{}")], /none\.json: the file names no servers/],
    ["an invalid script", ["measure", "--calls", TOOLS, "--", ...SERVER], /^toolshape: /, 2],
    ["a server that ends", ["lint", "--", "sh", "-c", "exit 3"], /initialize: the server ended with exit code 3/],
    [
      "a server that is not there",
      ["lint", "--", "/there/is/no/such/program"],
      /^toolshape: cannot start \/there\/is\/no\/such\/program: /,
    ],
    [
      "an address without a server",
      ["lint", "--url", "http://127.0.0.1:9/mcp"],
      /cannot reach http:\/\/127\.0\.0\.1:9: /,
    ],
    [
      "an unknown format",
      ["lint", "--format", "xml", "--tools", TOOLS],
      /invalid value 'xml' for '--format <FORMAT>'\n {2}\[possible values: text, json, sarif, github\]/,
      2,
    ],
    [
      "a page that cannot be written",
      ["measure", "--tools", TOOLS, "--html", "/there/is/no/such/folder/x.html"],
      /^toolshape: cannot write \/there\/is\/no\/such\/folder\/x\.html: /,
    ],
  ]) {
    test(`${what}: the reason`, async () => {
      const { code, errors } = await run(pump, args);
      assert.equal(code, status, errors);
      assert.match(errors, printedText);
    });
  }

  test("of a server that says nothing, and what it started, nothing is left", async () => {
    const mark = join(FOLDER, `${process.hrtime.bigint()}.pid`);
    const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${mark}; sleep 60' & sleep 60`;
    const { code, errors } = await run(pump, ["measure", "--timeout", "1", "--", "sh", "-c", script]);
    assert.equal(code, 1);
    assert.match(errors, /initialize: no answer in 1 seconds/);
    assert.ok(existsSync(mark));
    await isGone(Number(readFileSync(mark, "utf8")));
  });
});
