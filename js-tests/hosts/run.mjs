// run.mjs [--check] [HOST…]: installs the hosts, runs each and, without `--check`, writes what they do to
// docs/measurements/hosts.json and docs/hosts.md. The exit code is 1 if a host differs from `src/api/mcp/host.rs`, or if a task is not answered.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { install, release } from "./install.mjs";
import { measure } from "./measure.mjs";
import { write } from "./table.mjs";

const ROOT = process.env.TOOLSHAPE_ROOT;
const SOURCES = join(ROOT, "js-tests/hosts/hosts");
const all = readdirSync(SOURCES, { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);

const isCheck = process.argv.includes("--check");
const wanted = process.argv.slice(2).filter((word) => word !== "--check");
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`unknown host ${unknown.join(", ")}; expected ${all.join(", ")}`);
  process.exit(2);
}

const measured = [];
for (const name of wanted.length > 0 ? wanted : all) {
  const { default: host } = await import(join(SOURCES, name, "host.mjs"));
  const [folder, runs] = [join(ROOT, "target/hosts/packages", name), join(ROOT, "target/hosts/runs", name)];
  mkdirSync(runs, { recursive: true });
  install(join(SOURCES, name), folder, host.setup);
  const row = {
    name,
    title: host.title,
    release: release(folder, host.package),
    ...(await measure(host, { folder, runs })),
  };
  const failed = row.failures.length > 0;
  console.log(
    `${failed ? "FAIL" : "ok  "} ${host.title} ${row.release}: ${row.read.naive} tokens, shaped ${row.read.shaped}`,
  );
  for (const failure of row.failures) console.log(`       ${failure}`);
  measured.push(row);
}
if (!isCheck) write(ROOT, measured);
process.exit(measured.some(({ failures }) => failures.length > 0) ? 1 : 0);
