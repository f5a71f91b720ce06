// The servers that `measure` and `lint` look at, from wherever they are known.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, parse } from "node:path";
import { call, settle } from "../core.js";
import { parse as parseToml } from "../smol-toml.js";
import { ask } from "./asking.js";
import type { CommandLine } from "./command_line.js";
import { inputOf } from "./input.js";
import { Misuse } from "./misuse.js";
import { printable } from "./printable.js";
import { Progress } from "./progress.js";
import { reasonOf } from "./reason.js";
import { Remote } from "./remote.js";
import { Server, type Command } from "./server.js";
import type { Upstream } from "./upstream.js";

/** The columns of an output that is not a terminal. */
const COLUMNS = 100;

/** A server as a host's configuration file names it, with its variables filled in. */
interface Configured {
  readonly name?: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string | null;
  readonly url?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  /** Why it cannot be asked. */
  readonly fault?: string;
}

/** No answer takes longer than a day, and a timer of Node ends within 24 days. */
const MOST_SECONDS = 86_400;

/** The handles of the servers, in the order in which they are named. One of several that cannot be reached is reported, and left out. */
export async function surveyed({ options, rest }: CommandLine): Promise<readonly number[]> {
  // What is known of servers lives in this instance of the core.
  settle({ save: () => false, leave: () => {} });
  const servers: number[] = [];
  for (const file of list(options["tools"])) servers.push(known(file, parse(file).name, true));
  for (const file of list(options["recording"])) servers.push(known(file, undefined, false));
  const calls = options["calls"];
  const script = calls === undefined ? undefined : inputOf([String(calls)]);
  const seconds = Math.min(Number(options["timeout"]), MOST_SECONDS);
  if (rest.length > 0) servers.push(await survey({ command: rest }, [], script, seconds));
  const url = options["url"];
  if (url !== undefined)
    servers.push(await survey({ command: [], url: String(url) }, list(options["header"]), script, seconds));
  for (const file of [...list(options["servers"]), ...(options["hosts"] ? filesOfHosts() : [])]) {
    for (const server of configured(file)) {
      if (server.disabled) continue;
      try {
        if (server.fault !== undefined) throw new Error(server.fault);
        const headers = Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
        servers.push(await survey(server, headers, script, seconds));
      } catch (error) {
        process.stderr.write(`toolshape: ${printable(`${server.name} of ${file}: ${reasonOf(error)}`)}\n`);
      }
    }
  }
  if (servers.length === 0)
    throw new Misuse("no server: pass a command, --url, --tools, --recording, --servers or --hosts");
  return servers;
}

/** The file that findings are about: the first that is named. */
export function placeOf({ options }: CommandLine): string {
  const [file = "package.json"] = ["tools", "recording", "servers", "calls"].flatMap((name) => list(options[name]));
  return file.replaceAll("\\", "/");
}

/** The columns of the terminal. */
export function columns(): number {
  return process.stdout.columns ?? COLUMNS;
}

/** A server by a list of its tools, or by a recording. */
function known(file: string, name: string | undefined, isTools: boolean): number {
  const text = inputOf([file]);
  return named(file, () => call("surveyed", { name, isTools }, { text }));
}

/** The servers of a configuration file, with their variables filled in. */
function configured(file: string): readonly Configured[] {
  const text = textOf(file);
  return named(file, () => call("configuredServers", { environment: { ...process.env } }, { text }));
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${file}: ${reasonOf(error)}`);
  }
  if (!file.endsWith(".toml")) return text;
  try {
    return JSON.stringify(parseToml(text));
  } catch (error) {
    throw new Error(`${file} is not TOML: ${reasonOf(error)}`);
  }
}

/** Runs a call of the core about a file, which is named in what is wrong with it. */
function named<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${file}: ${reasonOf(error)}`);
  }
}

/** The configuration files of hosts that are there. */
function filesOfHosts(): string[] {
  const all = call<string[]>("hostFiles").map((file) => join(homedir(), file));
  return all.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Asks a server; its handle. */
async function survey(
  server: Configured,
  headers: readonly string[],
  script: string | undefined,
  seconds: number,
): Promise<number> {
  const handle = call<number>("survey", { name: server.name }, { script });
  const { name = server.url ? originOf(server.url) : String(server.command[0]) } = server;
  const progress = new Progress(name);
  try {
    await ask(handle, await reach(server, headers), seconds, progress);
  } finally {
    progress.clear();
  }
  const { isListed, notes } = call<{ isListed: boolean; notes: string[] }>("surveyNotes", { server: handle });
  if (!isListed) throw new Error(`it lists no tools: ${notes.join("; ")}`);
  return handle;
}

/** What is shown of an address: its user, password, path and query may have secrets. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "server";
}

async function reach(server: Configured, headers: readonly string[]): Promise<Upstream> {
  if (server.url) {
    const http = call<number>("http");
    return new Remote(server.url, headers, (method, members, parts) => call(method, { http, ...members }, parts));
  }
  const command = server.command as Command;
  return Server.start(command, server).catch((error: Error) => {
    throw new Error(`cannot start ${command[0]}: ${reasonOf(error)}`);
  });
}

function list(given: CommandLine["options"][string]): readonly string[] {
  if (given === undefined) return [];
  return typeof given === "object" ? given : [String(given)];
}
