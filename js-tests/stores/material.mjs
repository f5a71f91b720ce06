// What the tests of stores have in common: keys, texts, folders, and processes of their own.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** The key under which a content is stored, where there is no secret. */
export function keyOf(text, kind = "json") {
  return `${createHash("sha256").update(text).digest("hex")}.${kind}`;
}

/** What has tripped stores of others, and must come back as it went in. */
export const TEXTS = {
  "JSON with every spelling of a number": '{"a":9007199254740993,"b":1.0,"c":-0,"d":1E2,"__proto__":{"x":1},"a":2}',
  "a JSON string": '"just a string"',
  "a JSON number": "12345678901234567890",
  "true": "true",
  "text of many scripts": "日本語 ñ 👩‍👩‍👧‍👦 \u0000\u001b[31m \r\n\u2028 end",
  "text that begins with a colon": ":base64:aGVsbG8=",
  "text that begins with two": "::x",
  "text that looks like a mark": "base64:aGVsbG8=",
  "an empty text": "",
  "5 MB": JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, text: `row ${id} `.repeat(8) }))),
};

/** Keys that reach for something else. */
export const HOSTILE_KEYS = [
  "",
  "../x",
  "/etc/passwd",
  "%2e%2e%2fx",
  "a".repeat(64),
  `${"A".repeat(64)}.json`,
  `${"a".repeat(63)}.json`,
  `${"a".repeat(64)}.json\n`,
  `${"a".repeat(64)}.json/../x`,
  `../${"a".repeat(64)}.json`,
  `${"a".repeat(64)}.json\0`,
  `${"a".repeat(64)}.exe`,
  "__proto__",
  "x".repeat(1_000_000),
  null,
  undefined,
  7,
  [`${"a".repeat(64)}.json`],
  { toString: () => `${"a".repeat(64)}.json` },
];

const scratch = mkdtempSync(join(tmpdir(), "toolshape-stores-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let folders = 0;

/** A path in a scratch folder at which nothing stands yet. */
export function newPath() {
  return join(scratch, String(folders++));
}

/** The files of a store's folder that are in place, and those that are aside. */
export function filesOf(folder) {
  const names = readdirSync(folder);
  return { placed: names.filter((name) => !name.startsWith(".")).sort(), aside: names.filter((name) => name.startsWith(".")) };
}

/** Runs a script of this folder in a process of its own; `said` is what it printed, `ended` how it ended. */
export function start(script, args, options = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"], ...options });
  const printed = [];
  child.stdout.setEncoding("utf8").on("data", (text) => printed.push(text));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, said: printed.join("") })));
  return { child, ended, said: () => printed.join("") };
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
