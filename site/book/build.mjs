// Builds the docs as a book: `node book/build.mjs --root CHECKOUT --out target/site/docs --packages target/node`.
//
// It runs in a copy of `site/` with the packages of `package-lock.json`. The pages are the files that `contents.mjs` names, with tables
// made from data. A broken link fails the build. The book needs no server and no network; only search needs scripts.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brokenLinks } from "./check.mjs";
import { REFERENCES, PARTS } from "./contents.mjs";
import { withTables } from "./data.mjs";
import { fileBody } from "./files.mjs";
import { Links, placeOfPage } from "./links.mjs";
import { read, render } from "./markdown.mjs";
import { layOut } from "./page.mjs";
import { PLOTS, draw } from "./plots.mjs";

const { values: args } = parseArgs({
  options: { root: { type: "string" }, out: { type: "string" }, packages: { type: "string" } },
});
const esbuild = createRequire(join(resolve(args.packages), "package.json"))("esbuild");

const pages = await Promise.all(
  PARTS.flatMap(([, paths]) => paths).map(async (entry) => {
    const [path, named] = [entry].flat();
    const { text, tables } = await withTables(readFileSync(join(args.root, path), "utf8"), path, args.root);
    const page = read(text);
    return { ...page, tables, path, place: placeOfPage(path), name: named ?? page.sections[0].source.split(":")[0] };
  }),
);
const missing = readdirSync(join(args.root, "docs"), { recursive: true }).filter(
  (name) => name.endsWith(".md") && !pages.some(({ path }) => path === `docs/${name}`),
);
if (missing.length > 0) throw new Error(`site/book/contents.mjs does not list docs/${missing.join(", docs/")}`);
const parts = [
  ...PARTS.map(([name, paths]) => [name, paths.map((entry) => pages.find(({ path }) => path === [entry].flat()[0]))]),
  ["References", REFERENCES.map(([name, place]) => ({ name, place: `../${place}` }))],
];

rmSync(args.out, { recursive: true, force: true });
const written = [];
const links = new Links(
  args.root,
  pages.map(({ path }) => path),
);
for (const page of pages) {
  const { place, sections, name } = page;
  write(place, layOut({ place, title: name, parts, sections, body: render(page, await withPlots(page)) }));
}
const shown = new Set();
// Folders link to more files; files have no links.
for (
  let [path, place] = [];
  ([path, place] = [...links.files].find(([path]) => !shown.has(path)) ?? []), path !== undefined;
  shown.add(path)
) {
  write(place, layOut({ place, title: path, parts, body: fileBody(args.root, path, place, links) }));
}
const sections = pages.flatMap(({ place, name, sections }) =>
  sections.map(({ level, id, name: heading, words }) => [
    level === 1 ? place : `${place}#${id}`,
    name.replaceAll("`", ""),
    level === 1 ? "" : heading,
    words.join(" ").replace(/\s+/g, " "),
  ]),
);
writeFileSync(join(args.out, "sections.js"), `globalThis.toolshapeSections=${JSON.stringify(sections)};\n`);
bundle("src/book/main.ts", "book.js");
bundle("src/book/book.css", "book.css");

const faults = [...links.faults, ...brokenLinks(args.out, written)];
if (faults.length > 0) throw new Error(`broken links:\n  ${faults.slice(0, 40).join("\n  ")}`);
console.log(`${pages.length} pages, ${shown.size} files, ${sections.length} sections`);

/** How a page is rendered: the targets of its links, and the plots below the headings of its tables. */
async function withPlots({ path, place, tables }) {
  const plots = tables
    .filter(({ title }) => PLOTS[title])
    .map(async ({ title }) => [title, await draw(PLOTS[title], tables)]);
  const drawn = new Map(await Promise.all(plots));
  return { link: (href) => links.resolve(href, path, place), below: (heading) => drawn.get(heading) ?? "" };
}

function write(place, html) {
  mkdirSync(dirname(join(args.out, place)), { recursive: true });
  writeFileSync(join(args.out, place), html);
  written.push(place);
}

function bundle(entry, name) {
  esbuild.buildSync({
    entryPoints: [join(import.meta.dirname, "..", entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
    outfile: join(args.out, name),
    logLevel: "warning",
  });
}
