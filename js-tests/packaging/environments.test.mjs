// The package in other runtimes, and out of bundlers: the same program everywhere, run for real.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { answerOf } from "./workerd.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
// Programs lie where the package is found; what bundlers make of them lies where nothing else is.
const programs = join(here, "programs");
const alone = mkdtempSync(join(tmpdir(), "toolshape-bundles-"));
mkdirSync(programs, { recursive: true });
after(() => [programs, alone].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** What a program does: shapes, counts, and asks in SQL unless it `isBare`. */
const work = (isBare = false) => `
  async function work() {
    const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
    const archive = new Archive(new Shaper({ maxTokens: 500, paginateAfter: 50 }), new MemoryStore());
    const shaped = await archive.shape(rows, { tool: "t" });
    const counted = [shaped.value.totalItems, countTokens("Hello, world!"), countTokens("大規模言語モデル", "cl100k_base")];
    if (${isBare}) return JSON.stringify(counted);
    const handle = /result\\/([a-z]{16})/.exec(shaped.text)[1];
    const asked = await archive.readResult({ handle, sql: "SELECT count(*), avg(id), max(id) FROM result" });
    return JSON.stringify([...counted, ...asked.value.rows]);
  }
`;
const REPORT = "work().then(console.log, (error) => console.log(error.message));";
const NAMES = "Archive, MemoryStore, Shaper, countTokens";
const IMPORTS = `import { ${NAMES} } from "toolshape"; import "toolshape/cl100k_base";`;
const REQUIRES = `const { ${NAMES} } = require("toolshape"); require("toolshape/cl100k_base");`;
const BARE = "[100,4,11]";
const WANTED = "[100,4,11,[100,49.5,99]]";

const esm = program("program.mjs", `${IMPORTS} ${work()} ${REPORT}`);
const cjs = program("program.cjs", `${REQUIRES} ${work()} ${REPORT}`);
const bare = program("bare.mjs", `${IMPORTS} ${work(true)} ${REPORT}`);

for (const file of [esm, cjs]) {
  const kind = file.endsWith(".mjs") ? "modules" : "CommonJS";
  test(`Node, ${kind}`, () => assert.equal(output(process.execPath, [file]), WANTED));
  test(`Bun, ${kind}`, () => assert.equal(output(bun(), [file]), WANTED));
}

test("Deno", () =>
  assert.equal(
    output(process.execPath, [require.resolve("deno/bin.cjs"), "run", "--allow-read", "--allow-env", "--no-lock", esm]),
    WANTED,
  ));

for (const [platform, format] of [
  ["browser", "esm"],
  ["node", "esm"],
  ["node", "cjs"],
]) {
  test(`esbuild for ${platform}, ${format}`, async () => {
    const outfile = join(alone, `esbuild-${platform}.${format === "esm" ? "mjs" : "cjs"}`);
    await esbuild.build({
      entryPoints: [esm],
      bundle: true,
      minify: true,
      platform,
      format,
      outfile,
      logLevel: "error",
    });
    assert.equal(output(process.execPath, [outfile]), WANTED);
  });
}

test("Vite", async () => {
  const outDir = join(alone, "vite");
  const lib = { entry: esm, formats: ["es"], fileName: "bundle" };
  await vite({ root: programs, configFile: false, logLevel: "error", build: { outDir, lib, emptyOutDir: true } });
  // Vite writes `.js`, and there is no package.json that says of which kind.
  copyFileSync(join(outDir, "bundle.js"), join(outDir, "bundle.mjs"));
  assert.equal(output(process.execPath, [join(outDir, "bundle.mjs")]), WANTED);
});

for (const target of ["web", "node"]) {
  test(`webpack for ${target}`, async () => {
    const settings = {
      mode: "production",
      // The module of SQLite is a chunk, which a page finds by its own address: here there is no page.
      entry: target === "web" ? bare : esm,
      target,
      performance: false,
      output: { path: alone, filename: `webpack-${target}.cjs`, publicPath: "/", globalObject: "globalThis" },
    };
    const stats = await new Promise((resolve, reject) =>
      webpack(settings, (error, found) => (error ? reject(error) : resolve(found))),
    );
    assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString("errors-warnings"));
    assert.equal(output(process.execPath, [join(alone, `webpack-${target}.cjs`)]), target === "web" ? BARE : WANTED);
  });
}

const FETCH = `
  ${work()}
  const answer = () => work().catch((error) => error.code + " " + error.message);
  export default { fetch: async () => new Response(await answer()) };
`;
const SLIM = `
  import { ${NAMES}, useModule, useSqlModule } from "toolshape/slim";
  import "toolshape/o200k_base"; import "toolshape/cl100k_base";
  import module from "toolshape-wasm/toolshape.wasm"; useModule(module);
  import sql from "toolshape-wasm/toolshape_sql.wasm"; useSqlModule(sql);
`;
const WASM = ["toolshape-wasm/toolshape.wasm", "toolshape-wasm/toolshape_sql.wasm"];

test("workerd, which compiles while it starts", async () => {
  assert.equal(await worker(`${IMPORTS} ${FETCH}`, "2025-06-01"), WANTED);
});

test("workerd of an earlier date compiles nothing, and gets an error with the remedy", async () => {
  assert.match(await worker(`${IMPORTS} ${FETCH}`, "2025-05-01"), /^INTERNAL .*2025-06-01.*toolshape-wasm/);
});

test("workerd of any date takes the module as a file", async () => {
  assert.equal(await worker(`${SLIM} ${FETCH}`, "2024-01-01", WASM), WANTED);
});

function program(name, text) {
  writeFileSync(join(programs, name), text);
  return join(programs, name);
}

/** Bun's program; its package would put it in place by a script, and scripts of packages do not run here. */
function bun() {
  const builds = dirname(dirname(require.resolve("bun/package.json")));
  const places = readdirSync(join(builds, "@oven")).flatMap((build) =>
    ["bun", "bun.exe"].map((name) => join(builds, "@oven", build, "bin", name)),
  );
  return places.find((place) => existsSync(place));
}

function output(file, args) {
  return execFileSync(file, args, { cwd: here, encoding: "utf8" }).trim();
}

/** What a worker answers: its code bundled as for Cloudflare, run in workerd. */
async function worker(code, compatibilityDate, wasm = []) {
  const folder = mkdtempSync(join(alone, "workerd-"));
  const entry = program(`worker-${compatibilityDate}.mjs`, code);
  const conditions = ["workerd", "worker", "browser"];
  await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    conditions,
    external: wasm,
    outfile: join(folder, "worker.js"),
    logLevel: "error",
  });
  for (const name of wasm) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    copyFileSync(require.resolve(name), join(folder, name));
  }
  return answerOf(folder, ["worker.js", ...wasm], compatibilityDate);
}
