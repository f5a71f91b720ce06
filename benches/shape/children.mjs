/** Runs what is measured, each in a process of its own, and keeps what was found. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";

const exec = promisify(execFile);
const SECOND = 1000;

/** What a process of Node prints; fails if it takes longer than `timeout`, in milliseconds. */
export async function node(args, timeout = 1200 * SECOND) {
  const { stdout } = await exec(process.execPath, ["--max-old-space-size=8192", ...args], {
    timeout,
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** Gives a function that does a step of a face, writes what was `found` by then, and says how long it took. */
export function recorder(face, found, file) {
  return async (name, work) => {
    const start = performance.now();
    await work();
    // What was found so far is not lost with what comes after.
    writeFileSync(file, `${JSON.stringify(found)}\n`);
    console.log(`  ${face}: ${name}, ${((performance.now() - start) / SECOND).toFixed(1)} s`);
  };
}
