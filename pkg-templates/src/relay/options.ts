// The options of the relay and of the policy: what a file says, and what the command line says in its place.

import { readFileSync, statSync } from "node:fs";
import { call, type RelayStore } from "../core.js";
import { isToolshapeError } from "../error.js";
import type { Policy } from "../types.js";
import { UsageError, type CommandLine } from "./command_line.js";
import { reasonOf } from "./reason.js";

/** The file that is read where no other is named. */
const DEFAULT_FILE = "toolshape.json";

/** The options that are not of the policy. */
const OF_RELAY = new Set([
  "$schema",
  "store",
  "resultArguments",
  "redactFields",
  "redactTexts",
  "scope",
  "authorizeSeconds",
  "maxLineBytes",
]);

type Options = Record<string, unknown>;

/** Options of a relay that are checked, and what of them the host does. */
interface Checked {
  readonly options: Options;
  readonly store: RelayStore;
  readonly maxLineBytes: number;
}

/** The options of a relay as the core reads them, and what of them the host does. */
export type ReadOptions = Omit<Checked, "options"> & { readonly text: string };

export function optionsOf(asked: CommandLine["options"]): ReadOptions {
  const options = merged(asked);
  if (asked["no-store"]) options["store"] = false;
  if (asked["store"] !== undefined) options["store"] = asked["store"];
  if (asked["result-arguments"] !== undefined) options["resultArguments"] = asked["result-arguments"];
  if (asked["max-line-bytes"] !== undefined) options["maxLineBytes"] = Number(asked["max-line-bytes"]);
  const { store, maxLineBytes } = call<Checked>("relayOptions", { options });
  return { text: JSON.stringify(options), store, maxLineBytes };
}

/** The policy alone. */
export function policyOf(asked: CommandLine["options"]): Policy {
  const options = merged(asked);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !OF_RELAY.has(name))) as Policy;
}

function merged({ "max-tokens": maxTokens, config, set }: CommandLine["options"]): Options {
  const path = config === undefined ? DEFAULT_FILE : String(config);
  const isThere = config !== undefined || statSync(path, { throwIfNoEntry: false })?.isFile();
  const options = { ...(isThere ? fileOf(path) : {}), ...settings(set as readonly string[] | undefined) };
  return maxTokens === undefined ? options : { ...options, maxTokens: Number(maxTokens) };
}

/** Options as the command line names them: their values are JSON, or else texts. */
function settings(given: readonly string[] = []): Options {
  const setting = (text: string): [string, unknown] => {
    const at = text.indexOf("=");
    if (at < 0) throw new UsageError(`invalid value '${text}' for '--set <NAME=VALUE>': must be NAME=VALUE`);
    const value = text.slice(at + 1);
    try {
      return [text.slice(0, at), JSON.parse(value)];
    } catch {
      return [text.slice(0, at), value];
    }
  };
  return Object.fromEntries(given.map(setting));
}

/** The options of a file, which is named in what is wrong with it. */
function fileOf(path: string): Options {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${path}: ${reasonOf(error)}`);
  }
  try {
    return call<Checked>("relayOptions", {}, { text }).options;
  } catch (cause) {
    const why = isToolshapeError(cause) && cause.code === "INVALID_JSON" ? `${path} is not JSON` : path;
    throw new Error(`${why}: ${(cause as Error).message}`, { cause });
  }
}
