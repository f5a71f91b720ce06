// The processes of a way to a server: those that listen are started here, the client starts one on its own input.

import { spawn } from "node:child_process";
import { answering, freePort } from "../servers/connect.mjs";

/** The `url` or the `command` by which a client reaches a server; `end` ends what was started. */
export async function started(way, server, env) {
  const running = [];
  const end = () => running.forEach((child) => child.kill());
  const stdio = ["ignore", "ignore", process.env.TOOLSHAPE_LOUD ? "inherit" : "ignore"];
  const listen = async (commandAt, environment = () => env) => {
    const port = await freePort();
    const [program, ...args] = commandAt(port);
    const child = spawn(program, args, { env: environment(port), stdio });
    running.push(child);
    await answering(port, child);
    return `http://localhost:${port}/mcp`;
  };
  try {
    const withPort = (port) => ({ ...env, PORT: `${port}` });
    const itself = way.isRemote ? await listen(server.listening, withPort) : [...server.command];
    if (way.isHttp) return { url: await listen((port) => way.command(itself, port, env)), end };
    return way.isRemote ? { url: itself, end } : { command: way.command(itself), end };
  } catch (error) {
    end();
    throw error;
  }
}
