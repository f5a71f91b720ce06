/** Whether processes live. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { PATIENCE } from "./received.mjs";

/** Whether a process runs: one that has ended and waits for its parent does not. */
export function lives(pid) {
  if (process.platform !== "linux") {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until a process has ended. */
export async function isGone(pid) {
  for (const until = Date.now() + PATIENCE; lives(pid); await pause(20)) {
    if (Date.now() > until) throw new Error(`process ${pid} still runs`);
  }
}

/** The resident memory of a process, in bytes: its own, as Linux counts it; 0 of a process that has ended. */
export function resident(pid, field = "VmRSS") {
  const [, kilobytes = 0] = new RegExp(`${field}:\\s*(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
