// Builds the page: `node build.mjs --out target/site --packages target/node`.
//
// It runs in a copy of this folder with the packages of `package-lock.json` and the packed npm package. --packages is a
// folder whose node_modules have esbuild and TypeScript. The page is scripts and no modules, and the worker is made from a
// text, because a browser loads neither modules nor workers from files. SQLite is a script of its own: it has a third of the
// bytes, and only questions in SQL need it.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { SAMPLES } from "./samples.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: args } = parseArgs({
  options: { out: { type: "string" }, packages: { type: "string" }, root: { type: "string" } },
});
const requirePackage = createRequire(join(resolve(args.packages), "package.json"));
const esbuild = requirePackage("esbuild");
const ts = requirePackage("typescript");

checkTypes();
// The rest of the site stays next to the page.
for (const name of ["index.html", "page.css", "page.js", "core.js", "sql.js", "samples"])
  rmSync(join(args.out, name), { recursive: true, force: true });
mkdirSync(join(args.out, "samples"), { recursive: true });

const samples = SAMPLES.map(({ text, policy = {}, ...about }) => {
  const whole = text();
  write(`samples/${about.id}.js`, `toolshapeSample(${JSON.stringify(about.id)},${JSON.stringify(whole)});\n`);
  return { ...about, policy, bytes: Buffer.byteLength(whole) };
});
const sqlData = join(dirname(createRequire(import.meta.url).resolve("toolshape")), "../data/sql.js");
const worker = await bundle("src/worker/main.ts", {});
write("core.js", `globalThis.toolshapeCore=${JSON.stringify(worker)};\n`);
write("sql.js", readFileSync(sqlData));
write("page.js", await bundle("src/page/main.tsx", { TOOLSHAPE_SAMPLES: JSON.stringify(samples) }));
write("index.html", readFileSync(join(here, "src/index.html"), "utf8"));
write(
  "page.css",
  esbuild.buildSync({
    entryPoints: [join(here, "src/page.css")],
    bundle: true,
    minify: true,
    write: false,
    logLevel: "warning",
  }).outputFiles[0].text,
);

// What a server sends that compresses as `serve.mjs` does.
const first = ["index.html", "page.css", "page.js", "core.js", `samples/${samples[0].id}.js`];
const sizes = first.map((name) => [
  name,
  brotliCompressSync(readFileSync(join(args.out, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }).length,
]);
for (const [name, size] of sizes) console.log(`${name}: ${(size / 1000).toFixed(1)} KB by brotli`);
console.log(
  `${samples.length} samples; the first view takes ${(sizes.reduce((sum, [, size]) => sum + size, 0) / 1e6).toFixed(2)} MB over the wire`,
);

async function bundle(entry, define) {
  const withoutSql = {
    name: "without-sql",
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]data[\\/]sql\.js$/ }, () => ({ contents: "" })),
  };
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
    jsx: "automatic",
    jsxImportSource: "preact",
    define,
    plugins: [withoutSql],
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

function write(name, text) {
  writeFileSync(join(args.out, name), text);
}

function checkTypes() {
  const { config } = ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, here);
  const program = ts.createProgram(parsed.fileNames, parsed.options);
  const faults = [...parsed.errors, ...ts.getPreEmitDiagnostics(program)];
  if (faults.length > 0) {
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => here, getNewLine: () => "\n" };
    throw new Error(ts.formatDiagnostics(faults, host));
  }
}
