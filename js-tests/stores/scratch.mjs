// Folders that are gone after the tests, and processes of their own.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const scratch = mkdtempSync(join(tmpdir(), "toolshape-stores-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let folders = 0;

/** A path in a scratch folder at which there is nothing yet. */
export function newPath() {
  return join(scratch, String(folders++));
}

/** A folder as stores of files want it. */
export function newFolder() {
  const folder = newPath();
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** The files of a store's folder that are in place, and those that are aside; not what marks it. */
export function filesOf(folder) {
  const names = readdirSync(folder).filter((name) => name !== ".toolshape-store");
  return {
    placed: names.filter((name) => !name.startsWith(".")).sort(),
    aside: names.filter((name) => name.startsWith(".")),
  };
}

/** Runs a script of this folder in a process of its own; `printedText` is what it printed, `ended` how it ended. */
export function start(script, args, options = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"], ...options });
  const printed = [];
  child.stdout.setEncoding("utf8").on("data", (text) => printed.push(text));
  const ended = new Promise((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, printedText: printed.join("") })),
  );
  return { child, ended, printedText: () => printed.join("") };
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
