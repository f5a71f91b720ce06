// Hosts that are libraries: a short program in the same folder runs an agent with them.

import { copyFileSync } from "node:fs";
import { join } from "node:path";

const environment = (url, servers) => ({ MODEL_URL: url, MCP_SERVERS: JSON.stringify(servers), OPENAI_API_KEY: "x" });

/** A host in Node; the program runs where the packages are. */
export const inNode = (source) => ({
  start({ folder, url, servers }) {
    const program = join(folder, "agent.mjs");
    copyFileSync(join(source, "agent.mjs"), program);
    return { command: process.execPath, args: [program], env: environment(url, servers) };
  },
});

/** A host in Python. */
export const inPython = (source) => ({
  start: ({ folder, url, servers }) => ({
    command: join(folder, "bin/python"),
    args: [join(source, "agent.py")],
    env: environment(url, servers),
  }),
});
