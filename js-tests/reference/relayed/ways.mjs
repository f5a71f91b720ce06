// The ways to a server: none between, the relay's pumps, the gateway, and what others have. Each gives the command to run in place
// of the server's own; `isHttp`: it listens on a port. `isRemote`: the server does too, and its address is in place of its command.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGES } from "../newer_node.mjs";

/** The server itself. */
export const PLAIN = { name: "nothing", command: (server) => server };
export const PLAIN_REMOTE = { name: "nothing", isRemote: true };

const before = (name, ...relay) => ({
  name,
  command: (server) => [...relay, "--set", "receipt=meta", "--", ...server],
});

/** The relay's pumps: those that xtask names, and that of the Python package where it is installed. */
export function relays() {
  const python = join(process.env.TOOLSHAPE_PYTHON_BIN, "toolshape");
  const pumps = { ...JSON.parse(process.env.TOOLSHAPE_PUMPS), ...(existsSync(python) && { python: [python] }) };
  return Object.entries(pumps).map(([name, pump]) => before(name, ...pump));
}

const native = process.env.TOOLSHAPE_PROGRAM;
/** The gateway's command, which listens on a port; 0 is any. */
const serve = (port, upstream) => [
  native,
  "serve",
  "--config",
  join(import.meta.dirname, "gateway.json"),
  "--listen",
  `127.0.0.1:${port}`,
  "--set",
  `upstreams=${JSON.stringify({ mcp: upstream })}`,
];

/** The gateway before a command, which gets the environment that the configuration gives it. */
export const GATEWAY = {
  name: "gateway",
  isHttp: true,
  command: (server, port, env) => serve(port, { command: server, env }),
};
/** The gateway before a server that listens. */
export const GATEWAY_REMOTE = {
  name: "gateway",
  isHttp: true,
  isRemote: true,
  command: (url, port) => serve(port, { url }),
};

const PACKAGE = join(PACKAGES, "mcp-proxy");
const versionOf = (name) => JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8")).version;
/** The version of a package in an environment of Python. */
const versionIn = (bin, name) =>
  execFileSync(join(bin, "python"), ["-c", `from importlib.metadata import version; print(version("${name}"))`], {
    encoding: "utf8",
  }).trim();

/** What others put before a server, each as its documentation says. */
export function peers() {
  const { TOOLSHAPE_PYTHON_BIN: python, TOOLSHAPE_MCP1_BIN: mcp1 } = process.env;
  return [
    {
      name: `mcp-proxy ${versionOf("mcp-proxy")} (npm)`,
      isHttp: true,
      command: (server, port) => [
        process.execPath,
        join(PACKAGE, "dist/bin/mcp-proxy.mjs"),
        "--port",
        `${port}`,
        "--server",
        "stream",
        "--",
        ...server,
      ],
    },
    {
      name: `mcp-proxy ${versionIn(mcp1, "mcp-proxy")} (PyPI)`,
      isHttp: true,
      command: (server, port) => [join(mcp1, "mcp-proxy"), "--port", `${port}`, "--pass-environment", "--", ...server],
    },
    {
      name: `FastMCP ${versionIn(python, "fastmcp")} (StatefulProxyClient)`,
      command: (server) => [join(python, "python"), join(import.meta.dirname, "peers/fastmcp_proxy.py"), ...server],
    },
  ];
}
