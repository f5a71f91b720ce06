// The program `toolshape` of the package, as a process between a client and a server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { countTokens } from "toolshape";
import { folder } from "../vectors.mjs";

const manifest = createRequire(import.meta.url).resolve("toolshape/package.json");
const { bin, version } = JSON.parse(readFileSync(manifest, "utf8"));
const PROGRAM = join(dirname(manifest), bin.toolshape ?? bin);
const SERVER = ["--", process.execPath, join(import.meta.dirname, "scripted_server.mjs")];
const NONE = { cwd: tmpdir() };

const call = (id, name, args) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
const text = (message) => message.result.content[0].text;

const programs = [];
after(() => programs.forEach((program) => program.kill("SIGKILL")));

/** Whether a process has ended; one that nobody has waited for yet is in the list of processes. */
function hasEnded(pid) {
  try {
    process.kill(pid, 0);
    return existsSync(`/proc/${pid}/stat`) && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** The program as a process: what it writes by lines, and how it ends. Nothing is read before a line is asked for. */
function start(args, options = NONE) {
  const program = spawn(process.execPath, [PROGRAM, ...args], options);
  programs.push(program);
  let lines;
  const line = async () => (await (lines ??= createInterface(program.stdout)[Symbol.asyncIterator]()).next()).value;
  let errors = "";
  program.stderr.on("data", (chunk) => (errors += chunk));
  const ended = once(program, "close").then(([code, signal]) => ({ code, signal, errors }));
  program.stdin.on("error", () => {});
  return {
    program,
    ended,
    send: (...messages) =>
      messages.forEach((one) => program.stdin.write(`${typeof one === "string" ? one : JSON.stringify(one)}\n`)),
    line,
    message: async () => JSON.parse(await line()),
  };
}

/** What the program writes for an input, to its end. */
async function run(args, input = "", options = NONE) {
  const program = spawn(process.execPath, [PROGRAM, ...args], options);
  let [output, errors] = ["", ""];
  program.stdout.on("data", (chunk) => (output += chunk));
  program.stderr.on("data", (chunk) => (errors += chunk));
  program.stdin.on("error", () => {});
  program.stdin.end(input);
  const [code] = await once(program, "close");
  return { code, output, errors };
}

test("a result is shaped, stored and asked; everything else passes byte for byte", async () => {
  const { send, line, message, ended, program } = start(SERVER);
  send(call(1, "rows", { count: 500 }));
  const page = JSON.parse(text(await message()));
  assert.equal(page.totalItems, 500);
  const asked = { handle: page.uri, sql: "SELECT count(*), max(id) FROM result" };
  send(call("q", "read_result", asked));
  const answer = await message();
  assert.deepEqual([answer.id, JSON.parse(text(answer)).rows], ["q", [[500, 499]]]);
  const odd = [
    '{"id":0 ,"method":"x/y","params":{"a":1.0e2,"a":123456789012345678901234567890}}',
    '{"jsonrpc":"2.0","method":"\\ud800"}',
    '[ {"id":1} ]',
  ];
  send(call(2, "say", { lines: odd }));
  for (const one of odd) assert.equal(await line(), one);
  program.stdin.end();
  const { code, errors } = await ended;
  assert.equal(code, 0);
  assert.match(errors, /^toolshape rows: .*\(paginate\)/);
});

test("a line that is not a message goes to standard error", async () => {
  const { send, message, ended, program } = start(SERVER);
  send(call(1, "say", { lines: ["starting …", '{"jsonrpc":"2.0","id":1,"result":{}}'] }));
  assert.equal((await message()).id, 1);
  program.stdin.end();
  assert.equal((await ended).errors, "starting …\n");
});

test("a line of 20 MB passes, and the next ones are as before", async () => {
  const { send, line, message, program, ended } = start(SERVER);
  const long = JSON.stringify({ jsonrpc: "2.0", method: "notifications/x", params: { text: "x".repeat(20_000_000) } });
  send(call(1, "say", { lines: [long] }));
  assert.ok((await line()) === long);
  send(call(2, "rows", {}));
  assert.equal(JSON.parse(text(await message())).totalItems, 500);
  program.stdin.end();
  await ended;
});

test("the server's end answers who waits, and its exit code is handed on", async () => {
  for (const [tool, args, code, reason] of [
    ["end", { code: 7 }, 7, "the server ended with exit code 7"],
    ["kill", { signal: "SIGKILL" }, 137, "the server was ended by signal 9"],
  ]) {
    const { send, message, ended } = start(SERVER);
    send(call(0, "silent", {}), call("0", "silent", {}), call(1, tool, args));
    const answers = [await message(), await message(), await message()];
    assert.deepEqual(new Set(answers.map(({ id }) => id)), new Set([0, "0", 1]));
    for (const { error } of answers) assert.deepEqual(error, { code: -32603, message: reason });
    assert.equal((await ended).code, code);
  }
});

test("a last line without an end does not run into what follows", async () => {
  const { send, line, message, ended } = start(SERVER);
  send(call(1, "silent", {}), call(2, "half", {}));
  assert.equal(await line(), '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}');
  assert.equal((await message()).id, 1);
  await ended;
});

test("signals are handed on", { skip: process.platform === "win32" }, async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const { send, message, ended, program } = start(SERVER);
    send(call(1, "rows", {}));
    await message();
    program.kill(signal);
    assert.equal((await ended).code, 40, signal);
  }
});

test("nothing of the server is left, however stubborn", { skip: process.platform === "win32" }, async () => {
  const { send, message, ended, program } = start(SERVER);
  send(call(1, "stubborn", {}));
  const pid = Number(text(await message()));
  process.kill(pid, 0);
  program.stdin.end();
  await ended;
  assert.ok(hasEnded(pid));
});

test("a thousand calls at once are all answered, by a reader that is slow", { timeout: 60_000 }, async () => {
  const { send, message, program, ended } = start(SERVER);
  const ids = new Set();
  for (let id = 0; id < 1000; id++) send(call(id, "rows", { count: 60 }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (let answer = 0; answer < 1000; answer++) ids.add((await message()).id);
  program.stdin.end();
  await ended;
  assert.equal(ids.size, 1000);
});

test("a command that cannot be started is reported, with the exit code of shells", async () => {
  const { code, errors } = await run(["--", "no-such-command"]);
  assert.equal(code, 127);
  assert.match(errors, /^toolshape: cannot start no-such-command: /);
  const { send, message, ended } = start(["--", "no-such-command"]);
  send({ jsonrpc: "2.0", id: 1, method: "initialize" });
  assert.match((await message()).error.message, /cannot start no-such-command/);
  assert.equal((await ended).code, 127);
});

test("options end at the first word that is not an option, with -- or without", async () => {
  const echo = [
    process.execPath,
    "-e",
    "console.error(process.argv.slice(1).join()); process.exit(0)",
    "--",
    "--max-tokens",
    "x",
    "--help",
  ];
  for (const args of [
    ["--max-tokens", "300", "--", ...echo],
    ["--max-tokens=300", ...echo],
  ]) {
    const { code, errors } = await run(args);
    assert.deepEqual({ code, errors }, { code: 0, errors: "--max-tokens,x,--help\n" });
  }
});

test("what is wrong in a command line is reported, with the usage", async () => {
  for (const [args, printedText] of [
    [[], /required arguments were not provided:\n {2}<COMMAND>/],
    [["--nothing", "x"], /unexpected argument '--nothing'/],
    [
      ["--max-token", "x"],
      /unexpected argument '--max-token' found\n\n {2}tip: a similar argument exists: '--max-tokens'/,
    ],
    [["count", "a", "b"], /unexpected argument 'b' found/],
    [["completions", "bsh"], /invalid value 'bsh' for '<SHELL>'[^]*tip: a similar value exists: 'bash'/],
    [["shape", "--set", "preview"], /invalid value 'preview' for '--set <NAME=VALUE>': must be NAME=VALUE/],
    [["shape", "--sql", ""], /a value is required for '--sql <SQL>' but none was supplied/],
    [["shape", "--config="], /a value is required for '--config <FILE>' but none was supplied/],
    [["read", "abcdefghijklmnop", ""], /a value is required for '\[SQL\]' but none was supplied/],
    [["--max-tokens"], /a value is required for '--max-tokens <TOKENS>'/],
    [["shape", "--page", "x"], /invalid value 'x' for '--page <PAGE>'/],
    [["--no-store", "--store", "x", "y"], /'--(no-)?store[^']*' cannot be used with '--(no-)?store/],
    [["shape", "--page", "1", "--page", "2"], /'--page[^']*' cannot be used multiple times/],
  ]) {
    const { code, output, errors } = await run(args);
    assert.deepEqual([code, output], [2, ""]);
    assert.match(errors, printedText);
    const isAboutValue = /^error: (invalid value|a value is required)/.test(errors);
    assert.match(errors, isAboutValue ? /^error: [^]*\n\nFor more/ : /^error: [^]*\n\nUsage: toolshape/);
  }
  for (const args of [
    ["--max-tokens", "1", "--", "x"],
    ["shape", "--set", "maxToken=300"],
    ["--max-line-bytes", "1", "--", "x"],
  ]) {
    const { code, errors } = await run(args);
    assert.equal(code, 2);
    assert.match(errors, /^toolshape: .*max(Tokens|LineBytes)/);
  }
  assert.match((await run(["mesure"])).errors, /; did you mean toolshape measure\?\n/);
  assert.match((await run(["completions", "bash"])).output, /toolshape/);
});

test("help and version", async () => {
  const { commands } = { commands: JSON.parse(readFileSync(join(dirname(PROGRAM), "commands.json"), "utf8")) };
  assert.deepEqual(await run(["--version"]), { code: 0, output: `toolshape ${version}\n`, errors: "" });
  for (const [args, wanted] of [
    [["--help"], commands[""].help],
    [["-h"], commands[""].help],
    [["shape", "--help"], commands.shape.help],
    [["help", "count"], commands.count.help],
  ]) {
    assert.deepEqual(await run(args), { code: 0, output: wanted, errors: "" });
  }
});

test("mistakes are answered as by the native program", async () => {
  const { cases } = JSON.parse(readFileSync(join(folder, "shared/command_lines.json"), "utf8"));
  for (const { args, code, errors } of cases) {
    const { code: own, errors: printed } = await run(args);
    assert.deepEqual([own, printed], [code, errors], args.join(" "));
  }
});

test("a result is explained", async () => {
  const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id })));
  const { errors } = await run(["shape", "--explain", "--max-tokens", "300"], rows);
  assert.match(
    errors,
    /^The result has about \d+ tokens; [^]*\nReason: about \d+ tokens > budget 300\.\npaginate: [^]* of 400 rows\.\n$/,
  );
});

test("shape and count are the core in a pipe", async () => {
  const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, kind: id % 2 })));
  const shaped = await run(["shape", "--max-tokens", "300"], rows);
  assert.equal(JSON.parse(shaped.output).totalItems, 400);
  assert.ok(countTokens(shaped.output.trimEnd()) <= 300);
  assert.match(shaped.errors, /^toolshape: /);
  const asked = await run(["shape", "--sql", "SELECT kind, count(*) FROM result GROUP BY 1 ORDER BY 1 DESC"], rows);
  assert.deepEqual(JSON.parse(asked.output).rows, [
    [1, 200],
    [0, 200],
  ]);
  assert.equal((await run(["shape"], "no JSON: {")).output, "no JSON: {\n");
  assert.equal((await run(["count"], rows)).output, `${countTokens(rows)}\n`);
  assert.equal((await run(["count", "--encoding", "cl100k_base"], "hello world")).output, "2\n");
});

test("a policy is read from a file, and from toolshape.json where there is one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolshape-"));
  try {
    const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, kind: id % 2 })));
    writeFileSync(join(folder, "toolshape.json"), '{"$schema":"x","maxTokens":250}');
    writeFileSync(join(folder, "other.json"), '{ // a comment\n"maxTokens":500, }');
    for (const [args, most] of [
      [[], 250],
      [["--config", "other.json"], 500],
      [["--policy=other.json"], 500],
      [["--max-tokens", "400"], 400],
      [["--set", "maxTokens=450"], 450],
    ]) {
      const { errors } = await run(["shape", ...args], rows, { cwd: folder });
      assert.match(errors, new RegExp(` of ${most} shown`));
    }
    writeFileSync(join(folder, "toolshape.json"), "{");
    assert.match((await run(["shape"], rows, { cwd: folder })).errors, /toolshape.json is not JSON/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("results are kept in a folder, which another process reads", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolshape-"));
  try {
    const store = ["--store", join(folder, "results")];
    const one = start([...store, ...SERVER]);
    one.send(call(1, "rows", {}));
    const { uri } = JSON.parse(text(await one.message()));
    one.program.stdin.end();
    await one.ended;
    const { output } = await run(
      [...store, ...SERVER],
      `${JSON.stringify(call(2, "read_result", { handle: uri, sql: "SELECT count(*) FROM result" }))}\n`,
    );
    assert.deepEqual(JSON.parse(text(JSON.parse(output))).rows, [[500]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a recording has what both sides wrote, before it was shaped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolshape-"));
  try {
    const file = join(folder, "talk.jsonl");
    const asked = call(1, "say", { lines: ["noise", '{"jsonrpc":"2.0","id":1 ,"result":{}}'] });
    await run(["--record", file, ...SERVER], `${JSON.stringify(asked)}\n`);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    assert.match(lines[0], /^\{"at":[0-9]{13},"from":"client","message":\{"jsonrpc"/);
    assert.deepEqual(JSON.parse(lines[0]).message, asked);
    assert.match(lines[1], /"from":"server","message":\{"jsonrpc":"2.0","id":1 ,"result":\{\}\}\}$/);
    assert.equal(lines.length, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the schema of toolshape.json is printed", async () => {
  assert.equal(JSON.parse((await run(["--print-schema"])).output).type, "object");
});
