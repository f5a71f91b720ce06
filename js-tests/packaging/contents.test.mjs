// What the tarball holds, and that it holds all it needs.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { folder, manifest } from "./package.mjs";

/** Entries that are for Node alone, and that no other imports. */
const FOR_NODE = ["stores/file"];

const files = readdirSync(folder, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => statSync(join(folder, name)).isFile());

test("it depends on nothing but what an adapter is for", () => {
  for (const kind of ["dependencies", "optionalDependencies", "scripts"]) assert.equal(manifest[kind], undefined, kind);
  const peers = Object.keys(manifest.peerDependencies);
  assert.deepEqual(peers.filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true), []);
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

test("every module that it imports is its own and is there, but for what Node brings", () => {
  const modules = files.filter((name) => /^dist\/(esm|cjs)\/.*\.js$/.test(name) && !name.endsWith("/glue.js"));
  assert.ok(modules.length > 10);
  for (const name of modules) {
    const text = readFileSync(join(folder, name), "utf8");
    const forNode = FOR_NODE.some((entry) => name.endsWith(`/${entry}.js`));
    for (const [, path] of text.matchAll(/(?:from|import|require)\s*\(?"([^"]+)"/g)) {
      if (forNode && path.startsWith("node:")) continue;
      assert.ok(path.startsWith("."), `${name} imports ${path}`);
      assert.ok(!FOR_NODE.some((entry) => path.endsWith(`${entry}.js`)), `${name} imports ${path}, which is for Node alone`);
      assert.ok(files.includes(normalize(join(dirname(name), path)).replaceAll("\\", "/")), `${name} imports ${path}`);
    }
  }
});

test("the data lies in it once", () => {
  const large = files.filter((name) => statSync(join(folder, name)).size > 100_000);
  const inlined = ["cl100k_base", "module", "o200k_base"].map((name) => `dist/data/${name}.js`);
  assert.deepEqual(large.sort(), [...inlined, "dist/toolshape.wasm"]);
});

test("no path of a machine stands in it", () => {
  for (const name of files) {
    const text = readFileSync(join(folder, name), "latin1");
    assert.ok(!/\/home\/|\/root\/|\/Users\/|\.cargo\/registry/.test(text), name);
  }
});
