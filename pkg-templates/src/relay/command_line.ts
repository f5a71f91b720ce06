// The command line: what the native program takes (`commands.json` is made from it), read by Node's own parser.

import { parseArgs } from "node:util";
import commands = require("./commands.json");
import { similar } from "./similar.js";

/** A mistake in the command line. It is reported with the usage, unless it is about a value. */
export class UsageError extends Error {
  get isAboutValue(): boolean {
    return /^(invalid value|a value is required)/.test(this.message);
  }
}

/** What is asked for. */
export interface CommandLine {
  /** The name of a command; empty for the relay. */
  readonly command: string;
  /** The options by their names: a flag is true, one that may be repeated is a list. */
  readonly options: Readonly<Record<string, string | true | readonly string[] | undefined>>;
  /** A server's command with its arguments, or what is read. */
  readonly rest: readonly string[];
}

interface Described {
  readonly help: string;
  readonly usage: string;
  /** Whether the first word that is not an option begins another command line. */
  readonly isTrailing: boolean;
  /** The words that are not options, in their order. */
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option | undefined>>;
}

interface Positional {
  readonly name: string;
  readonly isRequired: boolean;
  /** The only values that it takes. */
  readonly allowed?: readonly string[];
  readonly refusesEmpty?: boolean;
}

interface Option {
  readonly short?: string;
  /** The name of the value, if it takes one. */
  readonly value?: string;
  readonly isNumber?: boolean;
  /** The only values that it takes. */
  readonly allowed?: readonly string[];
  readonly refusesEmpty?: boolean;
  readonly aliases?: readonly string[];
  /** The options that it cannot be given with. */
  readonly conflicts?: readonly string[];
  readonly delimiter?: string;
  readonly repeats?: boolean;
  readonly default?: string;
}

const COMMANDS = commands as unknown as Readonly<Record<string, Described | undefined>>;

/** The command that a command line names; empty for the relay. */
export function commandOf([name = ""]: readonly string[]): string {
  return Object.hasOwn(COMMANDS, name) ? name : "";
}

/** The command that a program's name is a mistyped one of. */
export function similarCommand(program: string): string | undefined {
  return similar(
    program,
    Object.keys(COMMANDS).filter((name) => name !== ""),
  );
}

/** Reads a command line. Options before a server's command end at the first word that is not an option: everything after it is the server's. */
export function read(args: readonly string[]): CommandLine {
  const command = commandOf(args);
  const { options, isTrailing, positionals } = described(command);
  const given = command === "" ? [...args] : args.slice(1);
  const { tokens } = parseArgs({
    args: given,
    options: Object.fromEntries(spelled(options).map(([name, option]) => [name, parsed(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const read: Record<string, string | true | string[] | undefined> = {};
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind !== "option") {
      if (isTrailing) {
        rest.push(...given.slice(token.kind === "positional" ? token.index : token.index + 1));
        break;
      }
      if (token.kind === "positional") rest.push(token.value);
      continue;
    }
    const found = spelled(options).find(([spelling]) => spelling === token.name);
    if (found === undefined) throw unknown(token.rawName, described(command));
    const [, option, name] = found;
    // The words after a "--" are a server's command, also where a value is missing before it.
    const isMissing = token.value === "--" && !token.inlineValue;
    const value = valueOf(option, token.rawName, isMissing ? undefined : token.value);
    const known = read[name];
    if (known !== undefined && !option.repeats)
      throw new UsageError(`the argument '${flagOf(name, option)}' cannot be used multiple times`);
    if (!option.repeats) read[name] = value;
    else
      read[name] = [
        ...((known as string[] | undefined) ?? []),
        ...(option.delimiter ? String(value).split(option.delimiter) : [String(value)]),
      ];
  }
  const names = Object.keys(read);
  const excludes = (one: string, other: string): boolean => options[one]?.conflicts?.includes(other) === true;
  names.forEach((name, at) => {
    const other = names.slice(at + 1).find((other) => excludes(name, other) || excludes(other, name));
    if (other === undefined) return;
    const [one, another] = [name, other].map((name) => flagOf(name, options[name] ?? {}));
    throw new UsageError(`the argument '${one}' cannot be used with '${another}'`);
  });
  for (const [name, option] of Object.entries(options)) read[name] ??= option?.default;
  if (!isTrailing && !read["help"]) checkRest(rest, positionals);
  return { command, options: read, rest };
}

/** An option as errors name it: `--page <PAGE>`. */
function flagOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}

/** The error for an unknown option, with the one that may be meant. */
function unknown(flag: string, { options, positionals, isTrailing }: Described): UsageError {
  const names = spelled(options).map(([spelling]) => spelling);
  const meant = flag.startsWith("--") ? similar(flag.slice(2), names) : undefined;
  const tips = meant === undefined ? [] : [`a similar argument exists: '--${meant}'`];
  if (positionals.length > 0 && (meant === undefined || isTrailing))
    tips.push(`to pass '${flag}' as a value, use '-- ${flag}'`);
  const lines = tips.map((tip) => `\n  tip: ${tip}`).join("");
  return new UsageError(`unexpected argument '${flag}' found${lines === "" ? "" : `\n${lines}`}`);
}

/** @throws {UsageError} for a word too many, one too few, and one that is not allowed. */
function checkRest(rest: readonly string[], positionals: readonly Positional[]): void {
  const surplus = rest[positionals.length];
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}' found`);
  positionals.forEach(({ name, isRequired, allowed, refusesEmpty }, at) => {
    const word = rest[at];
    if (word === "" && refusesEmpty) throw new UsageError(`a value is required for '[${name}]' but none was supplied`);
    if (word === undefined) {
      if (isRequired) throw new UsageError(`the following required arguments were not provided:\n  <${name}>`);
    } else if (allowed?.includes(word) === false) {
      const meant = similar(word, allowed);
      const tip = meant === undefined ? "" : `\n\n  tip: a similar value exists: '${meant}'`;
      throw new UsageError(`invalid value '${word}' for '<${name}>'\n  [possible values: ${allowed.join(", ")}]${tip}`);
    }
  });
}

/** The help of a command. @throws {UsageError} for an unknown command. */
export function help(command: string): string {
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`unrecognized subcommand '${command}'`);
  return described(command).help;
}

/** How a command is used, in a line or two. */
export function usage(command: string): string {
  return described(command).usage;
}

function described(command: string): Described {
  return COMMANDS[command] as Described;
}

/** The options by each of their spellings, with their own names. */
function spelled(options: Described["options"]): [spelling: string, option: Option, name: string][] {
  const known = Object.entries(options) as [string, Option][];
  return known.flatMap(([name, option]) =>
    [name, ...(option.aliases ?? [])].map((spelling): [string, Option, string] => [spelling, option, name]),
  );
}

function parsed({ short, value }: Option): { type: "string" | "boolean"; short?: string } {
  const type = value === undefined ? "boolean" : "string";
  return short === undefined ? { type } : { type, short };
}

function valueOf(option: Option, flag: string, value: string | undefined): string | true {
  const { value: name, isNumber, allowed, refusesEmpty } = option;
  if (name === undefined) {
    if (value !== undefined)
      throw new UsageError(`unexpected value '${value}' for '${flag}' found; no more were expected`);
    return true;
  }
  if (value === undefined || (value === "" && refusesEmpty))
    throw new UsageError(`a value is required for '${flag} <${name}>' but none was supplied`);
  if (isNumber && !/^\+?[0-9]{1,15}$/.test(value))
    throw new UsageError(`invalid value '${value}' for '${flag} <${name}>': must be a whole number`);
  if (allowed?.includes(value) === false) {
    const meant = similar(value, allowed);
    const tip = meant === undefined ? "" : `\n\n  tip: a similar value exists: '${meant}'`;
    throw new UsageError(
      `invalid value '${value}' for '${flag} <${name}>'\n  [possible values: ${allowed.join(", ")}]${tip}`,
    );
  }
  return value;
}
