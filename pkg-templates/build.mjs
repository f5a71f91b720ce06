// Builds the npm packages from the output of `xtask/wasm-tools` and the files in this folder: `toolshape` and, from
// `siblings/`, two packages that only some users need: a vocabulary, and the module as a file.
//
//   cargo build --package toolshape-wasm --profile wasm --target wasm32-unknown-unknown
//   cargo run --package xtask-wasm-tools --bin bindgen -- target/wasm32-unknown-unknown/wasm/toolshape_wasm.wasm target/bindings
//   node pkg-templates/build.mjs --wasm target/bindings --out target/npm --version 0.1.0 --packages js-tests
//
// Each package gets its own folder in --out. --packages is a folder whose node_modules contain TypeScript, esbuild,
// fflate and the types of Node, for the entry points that are for Node only. Bindings for bundlers contain no code that
// loads the module; `src/core.ts` loads it, for each new instance. Vocabularies are not part of the module; they are
// stored next to it, as base64. All data are in `data/`, once for both kinds of module, as scripts (`src/inlined.ts`).
// The module is deflated in its script, because the base64 of compressed data does not compress worse; --deflated is a
// file with the module deflated better than zlib does. --repository is the page of the source, if there is one.

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { deflateRawSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const { values: args } = parseArgs({
  options: {
    wasm: { type: "string" },
    out: { type: "string" },
    version: { type: "string" },
    deflated: { type: "string" },
    sql: { type: "string" },
    "sql-deflated": { type: "string" },
    repository: { type: "string" },
    packages: { type: "string", default: join(root, "js-tests") },
  },
});
for (const name of ["wasm", "out", "version"]) {
  if (args[name] === undefined) throw new Error(`--${name} is missing`);
}
const dist = join(args.out, "toolshape/dist");
const requirePackage = createRequire(join(resolve(args.packages), "package.json"));
const ts = requirePackage("typescript");
const esbuild = requirePackage("esbuild");

rmSync(args.out, { recursive: true, force: true });
for (const kind of ["esm", "cjs", "data"]) mkdirSync(join(dist, kind), { recursive: true });

compile("esm", { module: ts.ModuleKind.ES2022 });
compile("cjs", { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 }, [
  "/workerd.ts",
  "/workerd_mcp.ts",
]);
bundle("esm", "fflate", "inflateSync");
bundle("cjs", "fflate", "inflateSync");
// Entries that need the core import `#core`, which worker runtimes compile at startup.
const core = { workerd: "./workerd.js", default: "./index.js" };
write(join(dist, "esm"), { type: "module", imports: { "#core": core } });
write(join(dist, "cjs"), { type: "commonjs", imports: { "#core": core.default } });

const siblings = readdirSync(join(here, "siblings"));
finish("toolshape", here);
for (const name of siblings) finish(name, join(here, "siblings", name));

const module = readFileSync(join(args.wasm, "toolshape_bg.wasm"));
// Not a script of `data/`: Node needs ten milliseconds to import code of an unknown module kind. One file for each
// kind, near enough to each other that gzip finds the repetition.
bindings();
inline(
  "toolshape/dist/data",
  "module",
  args.deflated ? readFileSync(args.deflated) : deflateRawSync(module, { level: 9 }),
);
inline("toolshape/dist/data", "sql", readFileSync(args["sql-deflated"]));
inline("toolshape/dist/data", "o200k_base", vocabulary("o200k_base"));
cpSync(join(root, "docs/toolshape.schema.json"), join(args.out, "toolshape/toolshape.schema.json"));
inline("toolshape-cl100k", "cl100k_base", vocabulary("cl100k_base"));
writeFileSync(join(args.out, "toolshape-wasm/toolshape.wasm"), module);
cpSync(args.sql, join(args.out, "toolshape-wasm/toolshape_sql.wasm"));

/** Compiles `src/` to one kind of module, with its types. */
function compile(kind, options, without = []) {
  const { config } = ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, here);
  const files = parsed.fileNames.filter((file) => !without.some((name) => relative(here, file).includes(name)));
  const typeRoots = [join(resolve(args.packages), "node_modules/@types")];
  const program = ts.createProgram(files, { ...parsed.options, ...options, typeRoots, outDir: join(dist, kind) });
  // Editors read comments in the declarations.
  const printer = ts.createPrinter({ removeComments: true });
  const { diagnostics } = program.emit(undefined, (file, text) => {
    const isScript = file.endsWith(".js");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, isScript ? printer.printFile(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)) : text);
  });
  const faults = [...parsed.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (faults.length > 0) {
    throw new Error(
      ts.formatDiagnostics(faults, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => "\n",
      }),
    );
  }
}

/** Bundles the used part of another package, so that ours has no dependencies. */
function bundle(kind, name, used) {
  const { version, license } = JSON.parse(
    readFileSync(join(resolve(args.packages), "node_modules", name, "package.json"), "utf8"),
  );
  esbuild.buildSync({
    stdin: { contents: `export { ${used} } from "${name}";`, resolveDir: resolve(args.packages) },
    outfile: join(dist, kind, `${name}.js`),
    format: kind,
    platform: "browser",
    target: "es2022",
    bundle: true,
    // The licences are in NOTICE, each once.
    legalComments: "none",
    banner: { js: `// From ${name} ${version} (${license}): see NOTICE.` },
    logLevel: "warning",
  });
}

/**
 * The output of wasm-bindgen as functions: its modules contain the state of an instance, so each instance needs its own.
 *
 * What the module imports and what calls it are files of their own, although wasm-bindgen makes one: gzip looks 32 KB back, and
 * finds in the files of one kind of module those of the other. What several of them use is in each.
 */
function bindings() {
  const names = readdirSync(args.wasm, { recursive: true })
    .map((name) => `./${name.replaceAll("\\", "/")}`)
    .filter((name) => name.startsWith("./snippets/") && name.endsWith(".js"));
  const bound = "./toolshape_bg.js";
  const [imported, ...called] = parts(bound);
  const modules = [
    ...names.map((name) => ({ name, source: readFileSync(join(args.wasm, name), "utf8") })),
    { name: bound, source: imported },
    ...called.map((source, at) => ({ name: `./calls${at}`, source })),
  ];
  for (const [at, { name, source }] of modules.entries()) {
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };
    const { outputText } = ts.transpileModule(withPassString(source), { compilerOptions: options, fileName: name });
    const code = `function glue${at}(exports, require) {\n${indented(outputText)}}\n`;
    writeFileSync(join(dist, `esm/glue${at}.js`), `export ${code}`);
    writeFileSync(join(dist, `cjs/glue${at}.js`), `exports.glue${at} = glue${at};\n${code}`);
  }
  // A snippet imports another by a path relative to itself.
  const folder = (at) => JSON.stringify(`${posix.dirname(modules[at].name)}/`);
  const each = (line) => modules.map(({ name }, at) => line(at, JSON.stringify(name))).join("\n");
  const code = `function newGlue() {
    const modules = { ${modules.map(({ name }) => `${JSON.stringify(name)}: {}`).join(", ")} };
${each((at, name) => `    glue${at}(modules[${name}], (other) => modules[other] ?? modules[${folder(at)} + other.slice(2)]);`)}
    const parts = [${[bound, ...called.map((_, at) => `./calls${at}`)].map((name) => `modules["${name}"]`).join(", ")}];
    const setWasm = (exports) => parts.forEach((part) => part.__wbg_set_wasm(exports));
    return { bindings: Object.assign({}, ...parts, { __wbg_set_wasm: setWasm }), imports: modules };
}
`;
  writeFileSync(
    join(dist, "esm/glue.js"),
    `${each((at) => `import { glue${at} } from "./glue${at}.js";`)}\nexport ${code}`,
  );
  writeFileSync(
    join(dist, "cjs/glue.js"),
    `exports.newGlue = newGlue;\n${each((at) => `const { glue${at} } = require("./glue${at}.js");`)}\n${code}`,
  );
}

/** What the module imports from the bindings, and what calls the module, in two parts: each with what it uses of the rest. */
function parts(name) {
  const source = readFileSync(join(args.wasm, name), "utf8");
  const exported = [...source.matchAll(/^export (?:function|const|let) (\w+)|^export \{ (?:\w+ as )?(\w+) \}/gm)].map(
    (found) => found[1] ?? found[2],
  );
  const imported = exported.filter((name) => name.startsWith("__wb"));
  const called = exported.filter((name) => !imported.includes(name));
  const half = Math.ceil(called.length / 2);
  return [imported, called.slice(0, half), called.slice(half)].map((kept) => {
    const { outputFiles } = esbuild.buildSync({
      stdin: {
        contents: `export { ${[...new Set(["__wbg_set_wasm", ...kept])].join(", ")} } from "${name}";`,
        resolveDir: resolve(args.wasm),
      },
      format: "esm",
      target: "es2022",
      bundle: true,
      external: ["./snippets/*"],
      // Else a comment names the folder of this build.
      absWorkingDir: resolve(args.wasm),
      write: false,
      logLevel: "warning",
    });
    return outputFiles[0].text;
  });
}

/** Code, indented for the body of a function. */
function indented(code) {
  const refuseLines = (node) => {
    const isTemplate = node.kind >= ts.SyntaxKind.FirstTemplateToken && node.kind <= ts.SyntaxKind.LastTemplateToken;
    if (isTemplate && node.getText().includes("\n"))
      throw new Error(`indentation may mean something here: ${node.getText()}`);
    ts.forEachChild(node, refuseLines);
  };
  refuseLines(ts.createSourceFile("code.js", code, ts.ScriptTarget.ES2022, true));
  return code.replace(/^(?=.)/gm, "    ");
}

/** The bindings, with our own function instead of wasm-bindgen's. */
function withPassString(source) {
  const theirs = /^function passStringToWasm0\(arg, malloc, realloc\) \{$.*?^\}$/ms;
  if (!source.includes("passStringToWasm0")) return source;
  if (!theirs.test(source)) throw new Error("wasm-bindgen makes another passStringToWasm0 now: see pass_string.js");
  const ours = readFileSync(join(here, "pass_string.js"), "utf8");
  return source.replace(theirs, () => ours);
}

/** The packed vocabulary of an encoding. */
function vocabulary(encoding) {
  return readFileSync(join(root, "crates/tokens/src/data", `${encoding}.bin`));
}

/** Writes bytes as a script that `src/inlined.ts` can read. */
function inline(folder, name, bytes) {
  const script = `(globalThis[Symbol.for("toolshape.data")] ??= {}).${name} =\n"${bytes.toString("base64")}";\n`;
  writeFileSync(join(args.out, folder, `${name}.js`), script);
}

/**
 * Adds what every package has: its package.json, with this version for itself and its siblings and with the page of the source,
 * and the licence files.
 */
function finish(name, source) {
  const folder = join(args.out, name);
  mkdirSync(folder, { recursive: true });
  const manifest = { ...JSON.parse(readFileSync(join(source, "package.json"))), version: args.version };
  for (const peer of Object.keys(manifest.peerDependencies ?? {})) {
    if (siblings.includes(peer)) manifest.peerDependencies[peer] = args.version;
  }
  if (args.repository !== undefined) {
    manifest.repository = { type: "git", url: `git+${args.repository}.git` };
    manifest.homepage = `${args.repository}#readme`;
    manifest.bugs = `${args.repository}/issues`;
  }
  const types = oldTypes(manifest.exports ?? {});
  if (Object.keys(types).length > 0) manifest.typesVersions = { "*": types };
  write(folder, manifest);
  cpSync(join(source, "README.md"), join(folder, "README.md"));
  for (const file of ["LICENSE", "NOTICE"]) cpSync(join(root, file), join(folder, file));
}

/** The types of each entry for TypeScript's resolution of before `exports`, which many projects still have. */
function oldTypes(exported) {
  const entries = Object.entries(exported).filter(([, entry]) => entry.require?.types !== undefined);
  return Object.fromEntries(
    entries.filter(([name]) => name !== ".").map(([name, entry]) => [name.slice(2), [entry.require.types]]),
  );
}

function write(folder, manifest) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
