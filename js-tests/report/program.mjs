// The program `toolshape`, whose path is in the environment.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = mkdtempSync(join(tmpdir(), "toolshape-report-"));

// The path of a file with this text.
export function file(name, text) {
  writeFileSync(join(FOLDER, name), text);
  return join(FOLDER, name);
}

// What the program prints about recordings.
export function run(command, recordings, ...options) {
  const files = recordings.flatMap((recording, at) => ["--recording", file(`${at}.jsonl`, recording)]);
  const ended = spawnSync(process.env.TOOLSHAPE_PROGRAM, [command, ...files, ...options], { maxBuffer: 1 << 28 });
  if (ended.status !== 0) throw new Error(`${ended.status}: ${ended.stderr}`);
  return ended.stdout.toString();
}

// The report about recordings: its text, and its address.
export function report(...recordings) {
  const path = join(FOLDER, "report.html");
  run("measure", recordings, "--html", path);
  return { html: readFileSync(path, "utf8"), url: `file://${path}` };
}
