// One run of a host: its servers, its model, and what each wrote.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { serve } from "./fake/endpoint.mjs";
import { ScriptedModel } from "./fake/model.mjs";

/** The longest that a host may take. */
const SECONDS = 240;

/**
 * Starts a host with a script for its model. `servers` are command lines by name, `folder` is where the host is installed,
 * `runs` where the run leaves its files.
 */
export async function play(host, { script, servers, folder, runs }) {
  rmSync(runs, { recursive: true, force: true });
  const [home, work] = [join(runs, "home"), join(runs, "work")];
  for (const each of [home, work]) mkdirSync(each, { recursive: true });
  const model = new ScriptedModel(script.map((turn) => turn.map((call) => host.call?.(call) ?? call)));
  const { url, close } = await serve(model, join(runs, "requests"));
  const behind = Object.entries(servers).map(([name, line]) => {
    const args = [join(import.meta.dirname, "servers/tee.mjs"), join(runs, "servers", name), ...line];
    return [name, { command: process.execPath, args }];
  });
  const started = host.start({ home, work, url, servers: Object.fromEntries(behind), folder });
  const code = await finished(started, { home, work, folder, log: join(runs, "host.log") });
  close();
  return { model, code, said: Object.keys(servers).map((name) => conversation(join(runs, "servers", name))) };
}

/** The environment of a host has nothing of the caller's but the path. */
function environment(home, folder) {
  const path = [join(folder, "node_modules/.bin"), join(folder, "bin"), process.env.PATH].join(delimiter);
  const quiet = { TERM: "dumb", LANG: "C.UTF-8", NO_COLOR: "1", CI: "1", DO_NOT_TRACK: "1" };
  return { PATH: path, HOME: home, ...quiet, no_proxy: "127.0.0.1,localhost" };
}

function finished({ command, args, env }, { home, work, folder, log }) {
  const child = spawn(command, args, {
    cwd: work,
    env: { ...environment(home, folder), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => appendFileSync(log, data));
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(
    () => (appendFileSync(log, `\nended after ${SECONDS} seconds\n`), end("SIGKILL")),
    SECONDS * 1000,
  );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => (clearTimeout(timer), end("SIGTERM"), resolve(code)));
  });
}

/** What the processes of a server and their clients said: the client's name, and the calls with their results. */
function conversation(folder) {
  const said = { client: undefined, calls: [] };
  for (const file of existsSync(folder) ? readdirSync(folder) : []) readInto(said, join(folder, file));
  return said;
}

function readInto(said, file) {
  const waiting = new Map();
  const lines = readFileSync(file, "utf8").trim().split("\n").filter(Boolean);
  // Cline also tries the framing of language servers.
  const messages = lines.map((each) => JSON.parse(each)).filter(({ line }) => line.startsWith("{"));
  for (const { from, line } of messages) {
    const message = JSON.parse(line);
    if (message.method === "initialize") said.client = message.params.clientInfo.name;
    else if (message.method === "tools/call") {
      const call = { tool: message.params.name, result: undefined };
      said.calls.push(call);
      waiting.set(message.id, call);
    } else if (from === "server" && message.method === undefined && waiting.has(message.id)) {
      waiting.get(message.id).result = message.result;
    }
  }
}
