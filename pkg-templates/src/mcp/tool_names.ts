// The names of tools and fields in a policy, compared with those that there are: a misspelt name would do nothing.

import type { Policy, Receipt } from "../types.js";

/** How the name of the tool that reads stored results begins, unless an option names it. */
export const READ_RESULT = "read_result";
/** The tools that toolshape adds, or does not, by its other options. */
const OWN = [READ_RESULT, "summarize"];

/** The tools of a server or an agent as far as they are known. */
export class ToolNames {
  readonly #known = new Set<string>();
  readonly #warn: (warning: string) => void;
  /** The names in the policy, until they are compared. */
  #named: readonly string[];
  readonly #warnedOf = new Set<string>();

  constructor(tools: Policy["tools"], onWarning: ((warning: string) => void) | undefined) {
    this.#named = Object.keys(tools ?? {}).filter((name) => !OWN.includes(name));
    this.#warn = onWarning ?? ((warning) => console.error(`toolshape: ${warning}`));
  }

  add(name: string): void {
    if (this.#named.length > 0) this.#known.add(name);
  }

  /** Warns once of each unknown tool. */
  check(): void {
    const missing = this.#named.filter((name) => !this.#known.has(name));
    this.#named = [];
    for (const name of missing) {
      const close = [...this.#known].find((known) => isClose(name, known));
      const hint = close === undefined ? "" : `; did you mean ${JSON.stringify(close)}?`;
      this.warn(`the policy has options for a tool ${JSON.stringify(name)}, which is not in the list of tools${hint}`);
    }
  }

  /** Warns once of each of the policy's fields that no row of a tool's result has. */
  checkFields({ tool, unmatchedFields = [] }: Receipt): void {
    for (const field of unmatchedFields)
      this.warn(
        `no row of a result of ${JSON.stringify(tool)} has ${JSON.stringify(field)}, which is one of the policy's fields`,
      );
  }

  /** Warns once. */
  warn(warning: string): void {
    if (this.#warnedOf.has(warning)) return;
    this.#warnedOf.add(warning);
    try {
      this.#warn(warning);
    } catch {
      // A failing callback must not break a call.
    }
  }
}

/** Whether two names differ in case, separators, or one or two letters. */
function isClose(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, "")) as [string, string];
  let before = 0;
  while (before < Math.min(a.length, b.length) && a[before] === b[before]) before++;
  let after = 0;
  while (after < Math.min(a.length, b.length) - before && a[a.length - 1 - after] === b[b.length - 1 - after]) after++;
  return Math.max(a.length, b.length) - before - after <= Math.min(2, before + after);
}
