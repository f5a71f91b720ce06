// A server over stdio that answers every request as one of `OVER_STDIO` does. Usage: server.mjs <name>
import { createInterface } from "node:readline";
import { OVER_STDIO } from "./upstreams.mjs";

const { say } = OVER_STDIO[process.argv[2]];
createInterface(process.stdin).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined && method !== undefined) say(id, process.stdout);
});
