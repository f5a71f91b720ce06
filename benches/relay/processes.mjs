/** A process with all below it, as Linux lists them. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Of each process: the script that it runs, if it does, and its resident memory in bytes, now and at its highest. */
export function processes(root) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(read);
  const below = new Set([root]);
  // A child may be listed before its parent.
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid));
}

function read(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const number = (field) => Number(new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const script = basename(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[1] ?? "");
    return [
      { pid: Number(pid), parent: number("PPid"), script, now: number("VmRSS") * 1024, peak: number("VmHWM") * 1024 },
    ];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
