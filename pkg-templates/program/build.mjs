// Puts the folder of the npm package `toolshape-cli` together; with --program, that of the program for a --platform.
//
//   node pkg-templates/program/build.mjs --out target/npm/toolshape-cli --version 0.1.0
//   node pkg-templates/program/build.mjs --out target/npm/toolshape-cli-linux-x64 --version 0.1.0 --program target/debug/toolshape --platform linux-x64
//
// --repository is the page of the source, if there is one: npm compares it with the workflow that publishes.

import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const names = ["out", "version", "program", "platform", "repository"];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const { out, version, platform, program, repository } = values;
const launcher = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const platforms = Object.keys(launcher.optionalDependencies);

/** The manifest of the program's package for the platform. */
function ofPlatform() {
  const name = `${launcher.name}-${platform}`;
  if (!platforms.includes(name)) throw new Error(`${name} is not in package.json`);
  const [os, cpu] = platform.split("-");
  const { description, license, engines } = launcher;
  const files = [basename(program), "NOTICE"];
  // Yarn starts no program from within its archives.
  const shared = { license, os: [os], cpu: [cpu], engines, files, preferUnplugged: true };
  return { name, description: `${description} (${platform})`, ...shared };
}

const manifest = program
  ? ofPlatform()
  : { ...launcher, optionalDependencies: Object.fromEntries(platforms.map((name) => [name, version])) };
const page = repository && { repository: { type: "git", url: `git+${repository}.git` } };
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "package.json"), `${JSON.stringify({ ...manifest, version, ...page }, null, 2)}\n`);
cpSync(join(here, program ? "platform.md" : "README.md"), join(out, "README.md"));
for (const name of ["LICENSE", "NOTICE"]) cpSync(join(here, "../..", name), join(out, name));
const started = program ?? join(here, "launcher.js");
cpSync(started, join(out, basename(started)));
chmodSync(join(out, basename(started)), 0o755);
