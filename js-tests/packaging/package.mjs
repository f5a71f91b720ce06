// Where the installed package is, and small programs that run against it in processes of their own.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The folder of the package as npm installed it. */
export const folder = dirname(createRequire(import.meta.url).resolve("toolshape/package.json"));

/** Its package.json. */
export const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));

/** What a program prints, as JSON. `kind` is `module` or `commonjs`. */
export function run(kind, program, args = []) {
  const flags = [...args, `--input-type=${kind}`, "--eval", program];
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: here, encoding: "utf8" }));
}
