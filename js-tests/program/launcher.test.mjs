// The npm package `toolshape-cli`, installed as by a user: it starts the program of this platform, and is as if it were that program.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

const PACKAGES = join(import.meta.dirname, "node_modules");
const LAUNCHER = join(PACKAGES, "toolshape-cli/launcher.js");
const PLATFORM = `${process.platform}-${process.arch}`;
const OWN = `toolshape-cli-${PLATFORM}`;
const manifestOf = (name) => JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8"));

const scratch = mkdtempSync(join(tmpdir(), "launcher-"));
after(() => rmSync(scratch, { recursive: true }));

const run = (args, options = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], { encoding: "utf8", ...options });
  return { code: status, output: stdout, errors: stderr };
};
const native = (args, options = {}) => {
  const { status, stdout, stderr } = spawnSync(process.env.TOOLSHAPE_PROGRAM, args, { encoding: "utf8", ...options });
  return { code: status, output: stdout, errors: stderr };
};
/** A program of one line in place of the package's. */
const binary = (script) => {
  const file = join(scratch, `program-${process.hrtime.bigint()}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { env: { ...process.env, TOOLSHAPE_BINARY: file } };
};
/** A launcher without the package of a platform. */
const alone = (change = (manifest) => manifest) => {
  const folder = join(scratch, `alone-${process.hrtime.bigint()}`);
  cpSync(join(PACKAGES, "toolshape-cli"), folder, { recursive: true });
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))));
  return spawnSync(process.execPath, [join(folder, "launcher.js"), "--version"], { encoding: "utf8" });
};

test("it answers as the program does: output, errors, exit code", () => {
  const rows = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id })));
  for (const [args, input] of [
    [["--version"]],
    [["--help"]],
    [["serve", "--help"]],
    [["shape", "--max-tokens", "300", "--sql", "SELECT count(*) FROM result"], rows],
    [["count", "--encoding", "cl100k_base"], "hello world"],
    [["--max-token", "1", "x"]],
    [["--", "sh", "-c", "cat > /dev/null; exit 7"]],
    [["run", "--", "sh", "-c", "echo of the command; exit 3"]],
    [["--", "no-such-command-of-ours"]],
  ]) {
    const [found, wanted] = [run(args, { input }), native(args, { input })];
    const untimed = ({ errors, ...rest }) => ({ ...rest, errors: errors.replaceAll(/[\d.]+ ms/g, "ms") });
    assert.deepEqual(untimed(found), untimed(wanted), args.join(" "));
  }
});

test("its streams are the program's: lines go both ways as they come", async () => {
  const server = ["sh", "-c", 'while read -r line; do printf "%s\\n" "$line"; done'];
  const program = spawn(process.execPath, [LAUNCHER, "--", ...server], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  for (const line of [
    '{"jsonrpc":"2.0","method":"a" }',
    `{"jsonrpc":"2.0","method":"b","params":"${"x".repeat(1e6)}"}`,
  ]) {
    program.stdin.write(`${line}\n`);
    assert.equal((await lines.next()).value, line);
  }
  program.stdin.end();
  assert.deepEqual(await once(program, "exit"), [0, null]);
});

test("signals are handed on, and the program's end is its own", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const trap = binary(`trap 'exit 40' ${signal.slice(3)}; echo up; while :; do sleep 0.01; done`);
    const program = spawn(process.execPath, [LAUNCHER], { ...trap, stdio: ["ignore", "pipe", "inherit"] });
    await once(program.stdout, "data");
    program.kill(signal);
    assert.deepEqual(await once(program, "exit"), [40, null], signal);
  }
  for (const signal of ["SIGTERM", "SIGKILL", "SIGSEGV"]) {
    const program = spawn(process.execPath, [LAUNCHER], { ...binary(`kill -${signal.slice(3)} $$`), stdio: "ignore" });
    assert.deepEqual(await once(program, "exit"), [null, signal]);
  }
});

test("TOOLSHAPE_BINARY names another program", () => {
  assert.equal(run(["a", "b c"], binary('printf "%s|" "$@"')).output, "a|b c|");
  const { code, errors } = run([], { env: { ...process.env, TOOLSHAPE_BINARY: join(scratch, "none") } });
  assert.equal(code, 127);
  assert.match(errors, /^toolshape: cannot start .*none: /);
});

test("without a program it says what to do", () => {
  const { status, stderr } = alone();
  const { version } = manifestOf("toolshape-cli");
  assert.equal(status, 1);
  assert.ok(stderr.startsWith(`toolshape: ${OWN} is not installed: run \`npm install ${OWN}@${version}\``), stderr);
  const elsewhere = alone((manifest) => ({ ...manifest, optionalDependencies: {} }));
  assert.equal(elsewhere.status, 1);
  assert.ok(elsewhere.stderr.startsWith(`toolshape: no package for ${PLATFORM}: run \`cargo install toolshape-cli\``));
});

test("npx starts it from its tarballs", () => {
  const folder = join(scratch, "npx");
  mkdirSync(folder);
  const packages = process.env.TOOLSHAPE_TARBALLS.split(delimiter).flatMap((tarball) => ["--package", tarball]);
  const npx = ["exec", "--yes", "--offline", ...packages, "--", "toolshape", "--version"];
  const env = { ...process.env, npm_config_cache: join(scratch, "cache") };
  const { stdout, stderr } = spawnSync("npm", npx, { cwd: folder, env, encoding: "utf8" });
  assert.equal(stdout, native(["--version"]).output, stderr);
});

test("each of six platforms has a package, of the same version, that is installed there alone", () => {
  const { version, optionalDependencies, dependencies } = manifestOf("toolshape-cli");
  const names = ["darwin", "linux", "win32"].flatMap((os) =>
    ["arm64", "x64"].map((cpu) => `toolshape-cli-${os}-${cpu}`),
  );
  assert.deepEqual(Object.keys(optionalDependencies).sort(), names);
  assert.deepEqual(new Set(Object.values(optionalDependencies)), new Set([version]));
  assert.equal(dependencies, undefined);
  const own = manifestOf(OWN);
  assert.deepEqual([own.version, own.os, own.cpu], [version, [process.platform], [process.arch]]);
  for (const name of ["toolshape-cli", OWN]) {
    const files = readdirSync(join(PACKAGES, name));
    for (const file of ["LICENSE", "NOTICE", "README.md"]) assert.ok(files.includes(file), `${name}: ${file}`);
  }
  assert.ok(existsSync(join(PACKAGES, OWN, "toolshape")));
});
