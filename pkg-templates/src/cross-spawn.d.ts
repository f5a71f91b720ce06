export const spawn: typeof import("node:child_process").spawn;
