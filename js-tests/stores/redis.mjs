// The Redis that `cargo xtask test` started for all tests, and others for those that stop one.

import { spawn } from "node:child_process";
import { createServer, connect } from "node:net";

/** Where the common one is. */
export const url = need("TOOLSHAPE_REDIS_URL");

/**
 * Starts one more, with options of its own, on loopback. `stop` ends it at once, `again` restarts it at its place;
 * `pause` has it hang until `resume`.
 */
export async function startRedis(...options) {
  return startAt(await freePort(), options);
}

async function startAt(port, options) {
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no", ...options];
  const server = spawn(need("TOOLSHAPE_REDIS_SERVER"), args, { stdio: "ignore" });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries === 200) throw new Error("redis-server does not answer");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const stop = () => (server.kill("SIGKILL"), ended);
  const [pause, resume] = ["SIGSTOP", "SIGCONT"].map((signal) => () => server.kill(signal));
  const again = () => startAt(port, options);
  return { url: `redis://127.0.0.1:${port}`, stop, again, pause, resume };
}

function need(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests by \`cargo xtask test stores\``);
  return value;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.end("PING\r\n"));
    socket
      .on("data", () => resolve(true))
      .on("error", () => resolve(false))
      .on("close", () => resolve(false));
  });
}
