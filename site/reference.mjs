// Builds the reference of the npm package from its published types: `node reference.mjs --out target/site/reference/typescript`.
//
// It runs in a copy of this folder with the packages of `package-lock.json` and the packed npm package. Each entry of the package is a
// module of the reference, by the name by which it is imported.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Application, JSX } from "typedoc";

const here = import.meta.dirname;
const { values: args } = parseArgs({ options: { out: { type: "string" } } });
const { exports } = JSON.parse(readFileSync(join(here, "node_modules/toolshape/package.json"), "utf8"));
const sources = join(here, "reference");

rmSync(sources, { recursive: true, force: true });
const names = Object.keys(exports).filter((name) => exports[name].import?.types);
const entryPoints = names.map((name) => {
  const module = join("toolshape", name);
  const file = join(sources, name === "." ? "toolshape.ts" : `${module}.ts`);
  mkdirSync(dirname(file), { recursive: true });
  // What only has an effect exports nothing.
  writeFileSync(file, `export * from ${JSON.stringify(module.replaceAll("\\", "/"))};\n`);
  return file;
});
writeFileSync(
  join(sources, "tsconfig.json"),
  JSON.stringify({
    compilerOptions: {
      module: "NodeNext",
      moduleResolution: "NodeNext",
      target: "ES2022",
      lib: ["ES2022", "DOM"],
      types: [],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ["**/*.ts"],
  }),
);

const app = await Application.bootstrap({
  name: "toolshape for TypeScript",
  entryPoints,
  basePath: sources,
  tsconfig: join(sources, "tsconfig.json"),
  // An entry's SDK is a peer of the package, and not there.
  skipErrorChecking: true,
  externalPattern: [],
  disableSources: true,
  readme: "none",
  hideGenerator: true,
  includeVersion: false,
  validation: { notExported: false, invalidLink: true },
  treatWarningsAsErrors: true,
  out: resolve(args.out),
  logLevel: "Warn",
});
// A link of its options would be the same on each page, wherever that is.
app.renderer.hooks.on("pageSidebar.begin", (context) =>
  JSX.createElement(
    "p",
    null,
    JSX.createElement("a", { href: context.relativeURL("../../docs/index.html") }, "Documentation"),
  ),
);
const project = await app.convert();
if (!project) process.exit(1);
app.validate(project);
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
console.log(`${names.length} entries of the npm package`);
