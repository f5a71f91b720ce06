// The package as a browser gets it: its files as they are, by an import map, on the page's own thread. It answers all that Rust was
// asked for every shared case.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, extname, join } from "node:path";
import { test } from "node:test";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const { resolve } = createRequire(import.meta.url);
const FILES = {
  "/dist/": dirname(resolve("toolshape/package.json")),
  "/toolshape-cl100k/": join(dirname(resolve("toolshape-cl100k/package.json")), ".."),
  "/replay.mjs": import.meta.dirname,
};
const TRANSCRIPT =
  process.env.TOOLSHAPE_TRANSCRIPT ?? join(process.env.TOOLSHAPE_ROOT, "target/vectors/transcript.jsonl");
const IMPORTS = {
  toolshape: "/dist/esm/index.js",
  "toolshape-cl100k": "/toolshape-cl100k/cl100k_base.js",
};
const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
  const report = { cases: 0, wrong: [] };
  try {
    const toolshape = await import("toolshape");
    await import("/dist/esm/cl100k_base.js");
    const { callShaper } = await import("/dist/esm/core.js");
    const { groupedBy, linesOf, replayer } = await import("/replay.mjs");
    const ordered = (_, value) =>
      value !== null && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : typeof value === "bigint" ? String(value) : value;
    const written = (value) => String(JSON.stringify(value, ordered));
    const equal = (one, other, what) => {
      if (written(one) !== written(other)) throw new Error(what + ": " + written(one) + " is not " + written(other));
    };
    const replay = replayer({ toolshape, callShaper, equal });
    for (const [name, lines] of groupedBy(linesOf(await (await fetch("/transcript")).text()))) {
      report.cases += 1;
      await replay(lines).catch((error) => report.wrong.push((name + ": " + error).slice(0, 1000)));
    }
  } catch (error) {
    report.wrong.push(String(error));
  }
  await fetch("/report", { method: "POST", body: JSON.stringify(report) });
</script>`;

const chromium = find();

test("a page imports the package, and answers the same", {
  skip: chromium ? false : "no Chromium on PATH",
}, async () => {
  let record;
  const reported = new Promise((resolve) => (record = resolve));
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    if (path === "/report") {
      let body = "";
      for await (const part of request) body += part;
      record(JSON.parse(body));
      response.end();
    } else if (path === "/") {
      response.setHeader("content-type", "text/html").end(PAGE);
    } else if (path === "/transcript") {
      response.end(readFileSync(TRANSCRIPT));
    } else {
      const served = Object.keys(FILES).find((start) => path.startsWith(start));
      const file = join(FILES[served] ?? "", path);
      if (served && existsSync(file)) response.setHeader("content-type", TYPES[extname(path)]).end(readFileSync(file));
      else response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "toolshape-browser-"));
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
  ];
  const browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
  const ended = new Promise((resolve) => browser.on("exit", resolve));
  try {
    const slow = new Promise((_, reject) => setTimeout(reject, 180_000, new Error("the page did not report")).unref());
    const { cases, wrong } = await Promise.race([reported, slow]);
    assert.deepEqual(wrong.slice(0, 20), []);
    assert.ok(cases > 1000, `${cases} cases`);
  } finally {
    browser.kill();
    await ended;
    server.close();
    // The browser's own processes write to it for a moment longer.
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});

function find() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
