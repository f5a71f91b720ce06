#!/usr/bin/env node
// The program `toolshape`: a relay before an MCP server, and the core in a pipe.

import { main } from "./main.js";
import { exitCodeOf } from "./misuse.js";
import { printable } from "./printable.js";

// Neither a reader that goes away nor one that is slow ends the program before it has written all.
process.stdout.on("error", () => {});

main(process.argv.slice(2)).then(
  (code) => end(code),
  (error: unknown) => {
    // It may quote a server.
    const lines = (error instanceof Error ? error.message : String(error)).split("\n").map(printable);
    process.stderr.write(`toolshape: ${lines.join("\n")}\n`);
    end(exitCodeOf(error));
  },
);

/** What was written has gone by then. */
function end(code: number): void {
  const after = (): void => process.exit(code);
  if (process.stdout.writable) process.stdout.write("", () => process.stderr.write("", after));
  else process.stderr.write("", after);
}
