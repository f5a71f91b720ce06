/**
 * Measures everything in Node, each work in a process of its own, and writes what it found as JSON.
 *
 * Usage: run.mjs <folder of the data> <file to write> [--quick]
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { node, recorder } from "./children.mjs";
import { TOKENIZERS } from "./tokenizers.mjs";
import { WORKS } from "./works.mjs";

const [folder, file] = process.argv.slice(2);
const quick = process.argv.includes("--quick");
const exec = promisify(execFile);
const ROUNDS = quick ? 1 : 7;
const PACKAGES = ["toolshape", ...Object.keys(TOKENIZERS)];

const works = quick ? ["1,000 rows", "twitter.json, as text", "2 KB that fits"] : Object.keys(WORKS);
const held = quick
  ? ["20 MB text"]
  : ["100,000 rows", "20 MB of rows, as JSON text", "20 MB text", "20 MB text with emoji"];
const found = {
  times: [],
  memory: [],
  border: [],
  startup: {},
  packages: [],
};
const step = recorder("node", found, file);

for (const work of works) {
  await step(work, async () =>
    found.times.push(JSON.parse(await node(["--expose-gc", "time.mjs", work, folder, String(ROUNDS)]))),
  );
}
for (const work of held) {
  for (const contender of quick ? PACKAGES.slice(0, 1) : PACKAGES.slice(0, 3)) {
    await step(`memory: ${work}, ${contender}`, async () => found.memory.push(await once("memory", contender, work)));
  }
}
for (const work of works) {
  await step(`border: ${work}`, async () => found.border.push(await once("border", "toolshape", work)));
}
const starts = ["shape", "count", ...Object.keys(TOKENIZERS)];
for (const what of starts) found.startup[what] = [];
await step("start-up", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const what of starts) found.startup[what].push(Number(await node(["startup.mjs", what])));
  }
});
for (const name of quick ? PACKAGES.slice(0, 1) : PACKAGES) {
  await step(`package: ${name}`, async () => found.packages.push(await packed(name)));
}

async function once(figure, contender, work) {
  return JSON.parse(await node(["--expose-gc", "once.mjs", figure, contender, work, folder]));
}

/** How large a package is, as npm packs it and unpacked. */
async function packed(name) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", `./node_modules/${name}`];
  const { stdout } = await exec(npm, args, { maxBuffer: 2 ** 26 });
  const [{ version, size, unpackedSize }] = Object.values(JSON.parse(stdout));
  return { name, version, size, unpackedSize };
}
