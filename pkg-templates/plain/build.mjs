// Puts the folders of the two packages of the plain module together: templates, version, licences and both modules.
//
//   node pkg-templates/plain/build.mjs --module toolshape.wasm --plugin toolshape.extism.wasm --out target/plain --version 0.1.0
//
// --repository is the page of the source, if there is one: npm compares it with the workflow that publishes.

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const names = ["module", "plugin", "out", "version", "repository"];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });

for (const [kind, manifest, inside] of [
  ["npm", "package.json", ""],
  ["python", "pyproject.toml", "toolshape_plain_wasm"],
]) {
  const folder = join(values.out, kind);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(here, kind), folder, { recursive: true });
  let text = readFileSync(join(folder, manifest), "utf8").replace("0.0.0", values.version);
  if (kind === "npm" && values.repository) {
    text = JSON.stringify({ ...JSON.parse(text), repository: values.repository }, null, 2);
  }
  writeFileSync(join(folder, manifest), text);
  cpSync(join(here, "README.md"), join(folder, "README.md"));
  for (const name of ["LICENSE", "NOTICE"]) cpSync(join(here, "../..", name), join(folder, name));
  cpSync(values.module, join(folder, inside, "toolshape.wasm"));
  cpSync(values.plugin, join(folder, inside, "toolshape_extism.wasm"));
}
