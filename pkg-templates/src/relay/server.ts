// The server as a child process, with its own process group, so that nothing of it is left when it ends.

import { spawnSync, type ChildProcessByStdio } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { spawn } from "../cross-spawn.js";
import { SIGNALS, type Ending, type Upstream } from "./upstream.js";

/**
 * How long each step to the end is waited for. A client of the usual SDKs gives a server two seconds until it sends SIGTERM, and
 * two more until it kills.
 */
export const GRACE_MS = 1000;
/** How often it is looked whether something is left. */
const LOOK_MS = 20;

const isWindows = process.platform === "win32";

/** A command and its arguments. */
export type Command = readonly [string, ...string[]];

/** What a server has in addition to what this program has. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string | null;
}

/** The server's process. */
export class Server implements Upstream {
  readonly name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #isLeft = true;
  signalled: NodeJS.Signals | undefined;
  readonly ended: Promise<Ending>;
  readonly #unlisten: () => void;

  private constructor(command: Command, child: ChildProcessByStdio<Writable, Readable, null>) {
    this.name = spelled(command);
    this.#child = child;
    // A reader that stopped sees the end of the process.
    child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(endingOf(code, signal))));
    // Signals are handed on; and nothing is left where this program fails.
    const handlers: [NodeJS.Signals | "exit", () => void][] = SIGNALS.map((signal) => [
      signal,
      () => this.#handOn(signal),
    ]);
    handlers.push(["exit", () => this.signal("SIGKILL")]);
    for (const [event, handler] of handlers) process.on(event, handler);
    this.#unlisten = () => handlers.forEach(([event, handler]) => process.off(event, handler));
  }

  #handOn(signal: NodeJS.Signals): void {
    this.signalled = signal;
    this.signal(signal);
    setTimeout(() => this.signal("SIGKILL"), GRACE_MS).unref();
  }

  /** Starts a command. */
  static async start(command: Command, { env = {}, cwd }: Surroundings = {}): Promise<Server> {
    const [program, ...args] = command;
    // A group of its own; on Windows that would be a window of its own.
    const child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      detached: !isWindows,
      windowsHide: true,
      env: { ...inherited(), ...env },
      cwd: cwd ?? undefined,
    });
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    return new Server(command, child as ChildProcessByStdio<Writable, Readable, null>);
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  /** Sends a signal to the server and to whatever it started; false if nobody is left. */
  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    try {
      if (!this.#isLeft || pid === undefined) return false;
      if (!isWindows) return process.kill(-pid, signal);
      const isThere = this.#child.exitCode === null;
      // No groups there, but trees.
      if (isThere && signal !== 0)
        spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
      return isThere;
    } catch {
      return false;
    }
  }

  /** Most servers end by themselves when their input does. */
  dismiss(): void {
    void delay(GRACE_MS).then(() => this.end());
  }

  async end(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      this.signal(signal);
      for (let waited = 0; waited < GRACE_MS && this.signal(0); waited += LOOK_MS) await delay(LOOK_MS);
    }
    // Its number may be another's from now on.
    this.#isLeft = false;
    this.#unlisten();
  }
}

/** What `npx --package` and `npx --call` say to the program that they start, and to every `npx` below it, which would take it for its own. */
const OF_NPX: readonly string[] = ["npm_config_package", "npm_config_call"];

function inherited(): NodeJS.ProcessEnv {
  const { env } = process;
  if (env["npm_command"] !== "exec") return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_NPX.includes(name)));
}

function endingOf(code: number | null, signal: NodeJS.Signals | null): Ending {
  if (code !== null) return { code, reason: `the server ended with exit code ${code}` };
  const number = signal === null ? 0 : constants.signals[signal];
  return { code: 128 + number, reason: `the server was ended by signal ${number}` };
}

/** The most characters that a message shows of a command. */
const SHOWN = 200;

/** A command as one would type it; the start of a long one. */
export function spelled(command: readonly string[]): string {
  const words = command.map((word) => (/^[^\s']+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  const whole = words.join(" ");
  return whole.length > SHOWN ? `${whole.slice(0, SHOWN)}…` : whole;
}
