/** Resident memory of this process, and when its garbage is given back. */
import { readFileSync, writeFileSync } from "node:fs";

/** Once what was garbage is given back. */
export async function settled() {
  for (let times = 0; times < 3; times++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Resident memory now, and its highest since the last reset: only Linux can reset it within a process's life. */
export function memory(reset = false) {
  if (reset) writeFileSync("/proc/self/clear_refs", "5");
  const status = readFileSync("/proc/self/status", "utf8");
  const bytes = (field) => Number(new RegExp(`${field}:\\s*(\\d+)`).exec(status)[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}
