// Makes the npm package out of what wasm-pack made and what stands in this folder.
//
//   wasm-pack build --release --target bundler --no-pack --out-dir target/wasm-pack \
//     -- --no-default-features --features wasm
//   node pkg-templates/build.mjs --wasm target/wasm-pack --out target/npm --version 0.1.0 \
//     --packages js-tests
//
// --packages is a folder whose node_modules hold TypeScript and the types of Node, which the entries that are for
// Node alone are written with. The target has to be `bundler`: its
// bindings come without any code that loads the module, which `src/core.ts` does, for one instance
// after the other. Vocabularies are no part of the module; they lie beside it, once, as base64. The module
// itself is there twice, as a file and in a script (`src/inlined.ts`).

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const { values: args } = parseArgs({
  options: {
    wasm: { type: "string" },
    out: { type: "string" },
    version: { type: "string" },
    packages: { type: "string", default: join(root, "js-tests") },
  },
});
for (const name of ["wasm", "out", "version"]) {
  if (args[name] === undefined) throw new Error(`--${name} is missing`);
}
const dist = join(args.out, "dist");
const ts = createRequire(join(resolve(args.packages), "package.json"))("typescript");

rmSync(args.out, { recursive: true, force: true });
for (const kind of ["esm", "cjs", "data"]) mkdirSync(join(dist, kind), { recursive: true });

compile("esm", { module: ts.ModuleKind.ES2022 });
compile("cjs", { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 }, ["workerd.ts", "workerd_mcp.ts"]);
write("dist/esm/package.json", { type: "module" });
write("dist/cjs/package.json", { type: "commonjs" });

const glue = bindings();
writeFileSync(join(dist, "esm/glue.js"), `export ${glue}`);
writeFileSync(join(dist, "cjs/glue.js"), `exports.newGlue = newGlue;\n${glue}`);

const module = readFileSync(join(args.wasm, "toolshape_bg.wasm"));
writeFileSync(join(dist, "toolshape.wasm"), module);
inline("module", dense(module));
for (const encoding of ["o200k_base", "cl100k_base"]) {
  inline(encoding, readFileSync(join(root, "tokens/src/data", `${encoding}.bin`)).toString("base64"));
}

write("package.json", { ...JSON.parse(readFileSync(join(here, "package.json"))), version: args.version });
cpSync(join(here, "README.md"), join(args.out, "README.md"));
for (const file of ["LICENSE", "NOTICE"]) cpSync(join(root, file), join(args.out, file));

/** Compiles `src/` to one kind of module, with its types. */
function compile(kind, options, without = []) {
  const { config } = ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, here);
  const files = parsed.fileNames.filter((file) => !without.some((name) => file.endsWith(name)));
  const typeRoots = [join(resolve(args.packages), "node_modules/@types")];
  const program = ts.createProgram(files, { ...parsed.options, ...options, typeRoots, outDir: join(dist, kind) });
  const { diagnostics } = program.emit();
  const faults = [...parsed.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (faults.length > 0) {
    throw new Error(ts.formatDiagnostics(faults, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => "\n",
    }));
  }
}

/** What wasm-bindgen made, as a function: its modules keep the state of an instance, so each gets its own. */
function bindings() {
  const names = readdirSync(args.wasm, { recursive: true })
    .map((name) => `./${name.replaceAll("\\", "/")}`)
    .filter((name) => name.startsWith("./snippets/") && name.endsWith(".js"));
  const modules = [...names, "./toolshape_bg.js"].map((name) => {
    const source = withPassString(readFileSync(join(args.wasm, name), "utf8"));
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };
    const { outputText } = ts.transpileModule(source, { compilerOptions: options, fileName: name });
    return `(function (exports) {\n${outputText}})(modules[${JSON.stringify(name)}] = {});\n`;
  });
  return `function newGlue() {
const modules = {};
const require = (name) => modules[name];
${modules.join("")}return { bindings: modules["./toolshape_bg.js"], imports: modules };
}
`;
}

/** The bindings with a function of ours in place of the one that wasm-bindgen makes. */
function withPassString(source) {
  const theirs = /^function passStringToWasm0\(arg, malloc, realloc\) \{$.*?^\}$/ms;
  if (!source.includes("passStringToWasm0")) return source;
  if (!theirs.test(source)) throw new Error("wasm-bindgen makes another passStringToWasm0 now: see pass_string.js");
  const ours = readFileSync(join(here, "pass_string.js"), "utf8");
  return source.replace(theirs, () => ours);
}

/**
 * Bytes as text that compresses like the bytes, which base64 does not: the more frequent ones are one
 * character, the others two. `fromDense` in `src/inlined.ts` reads it, and tells what the characters mean.
 */
function dense(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const digit = (value) => String.fromCharCode(value < 57 ? value + 35 : value + 36);
  const spelled = [];
  for (const [place, byte] of order.entries()) {
    const more = place - 89;
    spelled[byte] = more < 0 ? digit(place + 2) : digit(Math.floor(more / 89)) + digit((more % 89) + 2);
  }
  return Buffer.from(order).toString("hex") + Array.from(bytes, (byte) => spelled[byte]).join("");
}

/** Writes text as a script that `src/inlined.ts` finds again. */
function inline(name, text) {
  const script = `(globalThis[Symbol.for("toolshape.data")] ??= {}).${name} =\n"${text}";\n`;
  writeFileSync(join(dist, "data", `${name}.js`), script);
}

function write(path, json) {
  writeFileSync(join(args.out, path), `${JSON.stringify(json, null, 2)}\n`);
}
