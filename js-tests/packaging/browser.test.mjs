// The package as a browser gets it: its files as they are, by an import map, on the page's own thread.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join } from "node:path";
import { test } from "node:test";
import { folder } from "./package.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const PAGE = `<!doctype html><script type="importmap">{"imports":{"toolshape":"/dist/esm/index.js"}}</script>
<script type="module">
  const report = {};
  try {
    const { Archive, MemoryStore, Shaper, countTokens } = await import("toolshape");
    const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
    const archive = new Archive(new Shaper({ paginateAfter: 50, pageSize: 20 }), new MemoryStore());
    const { text, value: { totalItems, nextCursor } } = await archive.shape(rows);
    const next = (await archive.snapshot({ cursor: nextCursor })).value;
    const handle = /result\\/([a-z]{16})/.exec(text)[1];
    const { rows: asked } = (await archive.readResult({ handle, sql: "SELECT count(*), avg(id) FROM result" })).value;
    Object.assign(report, { asked, total: totalItems, tokens: countTokens("Hello, world!"), next: next.page, source: next.source });
  } catch (error) {
    report.error = String(error);
  }
  await fetch("/report", { method: "POST", body: JSON.stringify(report) });
</script>`;

const chromium = find();

test("a page imports the package and shapes", { skip: chromium ? false : "no Chromium on PATH" }, async () => {
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
    } else if (path.startsWith("/dist/")) {
      response.setHeader("content-type", TYPES[extname(path)]).end(readFileSync(join(folder, path)));
    } else {
      response.writeHead(404).end();
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
    const slow = new Promise((_, reject) => setTimeout(reject, 60_000, new Error("the page did not report")).unref());
    assert.deepEqual(await Promise.race([reported, slow]), {
      asked: [[100, 49.5]],
      total: 100,
      tokens: 4,
      next: 2,
      source: "snapshot",
    });
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
