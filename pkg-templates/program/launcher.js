#!/usr/bin/env node
// Starts the program `toolshape` of this platform's package: its streams, its arguments and its end are this process's own.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { optionalDependencies, version } = require("./package.json");

const { platform, arch } = process;
const name = `toolshape-cli-${platform}-${arch}`;

/** The path of the program: `TOOLSHAPE_BINARY`, else that of the package. */
function find() {
  if (process.env.TOOLSHAPE_BINARY) return process.env.TOOLSHAPE_BINARY;
  if (!Object.hasOwn(optionalDependencies, name))
    return fail(
      `no package for ${platform}-${arch}: run \`cargo install toolshape-cli\`, or name a program in TOOLSHAPE_BINARY`,
    );
  try {
    return require.resolve(`${name}/toolshape${platform === "win32" ? ".exe" : ""}`);
  } catch {
    // npm leaves it out with --omit=optional, and where a lock file from another platform is used (npm/cli#4828).
    return fail(
      `${name} is not installed: run \`npm install ${name}@${version}\`, or name a program in TOOLSHAPE_BINARY`,
    );
  }
}

function fail(reason, code = 1) {
  console.error(`toolshape: ${reason}`);
  process.exit(code);
}

const path = find();
// A terminal sends these to the program too; what another process sends, this process alone receives.
const fromTerminal = isatty(0) ? ["SIGINT", "SIGHUP"] : [];
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"])
  process.on(signal, () => fromTerminal.includes(signal) || program.kill(signal));

// Not by way of `process.stdin`, which would make a pipe that both share return at once where it is empty. The program may be sent
// a signal as soon as it has started.
const program = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
program.on("error", ({ code, message }) => fail(`cannot start ${path}: ${message}`, code === "ENOENT" ? 127 : 126));

program.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  // Where the signal does not end this process too, its end is what a shell makes of it.
  process.exitCode = 128 + constants.signals[signal];
  process.kill(process.pid, signal);
});
