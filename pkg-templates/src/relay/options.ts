// The options of the relay and of the policy: what a file says, and what the command line says in its place.

import { existsSync, readFileSync } from "node:fs";
import { call, type RelayStore } from "../core.js";
import type { Policy } from "../types.js";
import type { Asked } from "./command_line.js";

/** The file that is read where no other is named. */
const DEFAULT_FILE = "toolshape.json";

type Options = Record<string, unknown>;

/** The options of a relay, as the core reads them, and where results are kept. */
export function optionsOf(asked: Asked["options"]): { readonly text: string; readonly store: RelayStore } {
  const options = merged(asked);
  if (asked["no-store"]) options["store"] = false;
  if (asked["store"] !== undefined) options["store"] = asked["store"];
  if (asked["result-arguments"] !== undefined) options["resultArguments"] = asked["result-arguments"];
  return { text: JSON.stringify(options), store: checked(options) };
}

/** The policy alone. */
export function policyOf(asked: Asked["options"]): Policy {
  const { $schema: _, store: _store, resultArguments: _arguments, ...policy } = merged(asked);
  return policy;
}

function merged({ "max-tokens": maxTokens, config }: Asked["options"]): Options {
  const path = config === undefined ? DEFAULT_FILE : String(config);
  const options = config === undefined && !existsSync(path) ? {} : fileOf(path);
  return maxTokens === undefined ? options : { ...options, maxTokens: Number(maxTokens) };
}

/** The options of a file, which is named in what is wrong with it. */
function fileOf(path: string): Options {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
    checked(value);
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? `${path} is not JSON`
        : "syscall" in (error as object)
          ? `cannot read ${path}`
          : path;
    throw new Error(`${why}: ${(error as Error).message}`);
  }
  return value as Options;
}

/** Where these options keep results, once they are checked. */
function checked(options: unknown): RelayStore {
  return call("relayStore", { options });
}
