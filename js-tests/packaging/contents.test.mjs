// What the tarball holds, and that it holds all it needs.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { folder, manifest } from "./package.mjs";

/** Entries that are for Node alone, and that no other imports. */
const FOR_NODE = [...["file", "folder", "marker", "own_file"].map((name) => `stores/${name}`), "claude_agent_sdk"];
/** Packages that are released with this one, and what each brings. */
const SIBLINGS = {
  "toolshape-cl100k": ["cl100k_base.js"],
  "toolshape-wasm": ["toolshape.wasm", "toolshape_sql.wasm"],
};

const files = readdirSync(folder, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => statSync(join(folder, name)).isFile());

test("it depends on nothing but what an adapter is for", () => {
  for (const kind of ["dependencies", "optionalDependencies", "scripts"]) assert.equal(manifest[kind], undefined, kind);
  const peers = Object.keys(manifest.peerDependencies);
  assert.deepEqual(
    peers.filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true),
    [],
  );
});

test("it names its version, license and engines", () => {
  assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
  assert.notEqual(manifest.version, "0.0.0");
  assert.equal(manifest.license, "MIT");
  assert.equal(manifest.engines.node, ">=20");
  for (const file of ["LICENSE", "NOTICE", "README.md"]) assert.ok(files.includes(file), file);
});

test("every file that it exports is there", () => {
  const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
  const all = [...targets(manifest.exports), manifest.main, manifest.types];
  for (const target of all) assert.ok(existsSync(join(folder, target)), target);
});

test("every module that it imports is its own and is there, except for what Node brings", () => {
  const modules = files.filter((name) => /^dist\/(esm|cjs)\/.*\.js$/.test(name) && !/\/glue\d\.js$/.test(name));
  assert.ok(modules.length > 10);
  for (const name of modules) {
    const text = readFileSync(join(folder, name), "utf8");
    const forNode = FOR_NODE.some((entry) => name.endsWith(`/${entry}.js`));
    for (const [, path] of text.matchAll(/(?<!")\b(?:from|import|require)\s*\(?"([^"]+)"/g)) {
      if (forNode && path.startsWith("node:")) continue;
      if (name.endsWith("/cl100k_base.js") && path === "toolshape-cl100k") continue;
      // The entry that provides the core, by runtime: the `package.json` of each kind names it.
      if (path === "#core" && files.includes(join(dirname(name), "package.json"))) continue;
      assert.ok(path.startsWith("."), `${name} imports ${path}`);
      const target = normalize(join(dirname(name), path)).replaceAll("\\", "/");
      const isForNode = FOR_NODE.some((entry) => target.endsWith(`/${entry}.js`));
      assert.ok(forNode || !isForNode, `${name} imports ${path}, which is for Node alone`);
      assert.ok(files.includes(target), `${name} imports ${path}`);
    }
  }
});

test("it contains the data once, and what only some need is in sibling packages", () => {
  const large = files.filter((name) => statSync(join(folder, name)).size > 100_000);
  assert.deepEqual(large.sort(), ["dist/data/module.js", "dist/data/o200k_base.js", "dist/data/sql.js"]);
  for (const [name, own] of Object.entries(SIBLINGS)) {
    assert.equal(manifest.peerDependencies[name], manifest.version);
    const sibling = join(folder, "..", name);
    assert.equal(JSON.parse(readFileSync(join(sibling, "package.json"), "utf8")).version, manifest.version);
    assert.deepEqual(readdirSync(sibling).sort(), ["LICENSE", "NOTICE", "README.md", "package.json", ...own].sort());
  }
});

test("it contains no path of a machine", () => {
  for (const name of files) {
    const text = readFileSync(join(folder, name), "latin1");
    assert.ok(!/\/home\/|\/root\/|\/Users\/|\.cargo\/registry/.test(text), name);
  }
});
