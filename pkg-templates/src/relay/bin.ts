#!/usr/bin/env node
// The program `toolshape`: a relay before an MCP server, and the core in a pipe.

import "../index.js";
import { main } from "./main.js";

// Neither a reader that goes away nor one that is slow ends the program before it has written all.
process.stdout.on("error", () => {});

main(process.argv.slice(2)).then(
  (code) => end(code),
  (error: unknown) => {
    process.stderr.write(`toolshape: ${error instanceof Error ? error.message : String(error)}\n`);
    end(1);
  },
);

/** What was written has gone by then. */
function end(code: number): void {
  const after = (): void => process.exit(code);
  if (process.stdout.writable) process.stdout.write("", () => process.stderr.write("", after));
  else process.stderr.write("", after);
}
