// What a server works on: a folder with a repository, and a page on the local network.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IDENTITY = { GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };

/** A folder of its own for each session; all have names of one length. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "relayed-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A git repository with 120 commits and a change that is not committed. */
export function makeRepository(folder) {
  mkdirSync(folder);
  const git = (args, input) =>
    execFileSync("git", args, {
      cwd: folder,
      input,
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, ...IDENTITY },
    });
  git(["init", "--initial-branch=main"]);
  git(["config", "user.name", "Ada"]);
  git(["config", "user.email", "ada@example.com"]);
  const commits = Array.from({ length: 120 }, (_, at) => {
    const [message, content] = [`Change ${at}`, `${`file ${at} says ${at * 7}\n`.repeat(at)}`];
    return `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1767225600 + at * 60} +0000\ndata ${message.length}\n${message}\nM 644 inline file${at}.txt\ndata ${content.length}\n${content}\n`;
  });
  git(["fast-import", "--quiet"], commits.join(""));
  git(["reset", "--hard"]);
  writeFileSync(join(folder, "file7.txt"), "is another\n");
  writeFileSync(join(folder, "changed.txt"), "is new\n");
}

const ROWS = Array.from({ length: 300 }, (_, at) => ({ id: at, name: `row ${at}`, note: "x".repeat(at % 40) }));
const PAGE = `<!doctype html><html lang="en"><title>Rows</title><link rel="icon" href="data:,"><h1>Rows</h1><p>${"There are many of them. ".repeat(300)}</p>
<button id="more" onclick="console.log('clicked'); this.textContent = 'Less'">More</button>
<table>${ROWS.map(({ id, name, note }) => `<tr><td>${id}</td><td>${name}</td><td>${note}</td></tr>`).join("\n")}</table></html>`;

/** Serves the page; `rows.json` are its rows. */
export async function servePage() {
  const server = createServer(({ url }, response) => {
    const found = {
      "/": ["text/html; charset=utf-8", PAGE],
      "/rows.json": ["application/json", JSON.stringify(ROWS, null, 2)],
    }[url];
    response
      .writeHead(found ? 200 : 404, { "content-type": found?.[0] ?? "text/plain" })
      .end(found?.[1] ?? "not found");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
