// Carries out a command line.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandOf, help, read, usage, UsageError, type CommandLine } from "./command_line.js";
import { completions } from "./completions.js";
import { count } from "./count.js";
import { lint } from "./lint.js";
import { measure } from "./measure.js";
import { MISUSE, Misuse } from "./misuse.js";
import { optionsOf } from "./options.js";
import { relay, type Given } from "./relay.js";
import { shape } from "./shape.js";

/** Commands that run once for each result of an agent, for which Node starts too slowly, and the gateway. */
const OF_NATIVE_PROGRAM: readonly string[] = ["run", "read", "hook", "serve"];

/** The folder of the package. */
const PACKAGE = join(__dirname, "../../..");

/** Carries out a command line, and returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = commandOf(args);
  try {
    if (args[0] === "help") return print(help(args[1] ?? ""));
    const asked = read(args);
    if (asked.options["help"]) return print(help(command));
    if (asked.options["version"]) return print(`toolshape ${version()}\n`);
    return await carryOut(asked);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const shown = error.isAboutValue ? "" : `${usage(command)}\n`;
    process.stderr.write(`error: ${error.message}\n\n${shown}For more information, try '--help'.\n`);
    return MISUSE;
  }
}

async function carryOut(asked: CommandLine): Promise<number> {
  const { command, options } = asked;
  // The relay first starts its server.
  if (command !== "") await import("../index.js");
  if (command === "shape") return shape(asked);
  if (command === "count") return count(asked);
  if (command === "completions") return print(completions(asked.rest[0] ?? ""));
  if (OF_NATIVE_PROGRAM.includes(command))
    throw new Misuse(`${command} is in the native program: pip install toolshape, or cargo install toolshape-cli`);
  checkAddress(asked);
  if (command === "measure") return measure(asked);
  if (command === "lint") return lint(asked);
  if (options["print-schema"]) return print(readFileSync(join(PACKAGE, "toolshape.schema.json"), "utf8"));
  const record = options["record"];
  return relay({
    options: () => optionsOf(options),
    record: record === undefined ? undefined : String(record),
    server: serverOf(asked),
  });
}

/** @throws {UsageError} for an address or a header together with a command, and for headers without an address. */
function checkAddress({ options, rest }: CommandLine): void {
  for (const [name, flag] of [
    ["url", "--url <ADDRESS>"],
    ["header", "--header <HEADER>"],
  ] as const) {
    if (options[name] !== undefined && rest.length > 0)
      throw new UsageError(`the argument '${flag}' cannot be used with '[COMMAND]...'`);
  }
  if (options["header"] !== undefined && options["url"] === undefined) throw missing("--url <ADDRESS>");
}

function serverOf({ options, rest: [program, ...args] }: CommandLine): Given["server"] {
  const { url, header = [] } = options;
  if (url !== undefined) return { url: String(url), headers: header as readonly string[] };
  if (program === undefined) throw missing("<COMMAND>...");
  return [program, ...args];
}

function missing(what: string): UsageError {
  return new UsageError(`the following required arguments were not provided:\n  ${what}`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function version(): string {
  return (JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string }).version;
}
