// `toolshape lint`: what is wrong with servers, for people and for CI.

import { call, callShaper, run } from "../core.js";
import type { CommandLine } from "./command_line.js";
import { policyOf } from "./options.js";
import { printable } from "./printable.js";
import { columns, placeOf, surveyed } from "./survey.js";

/** The formats whose text has no end of a line. */
const OF_ONE_LINE = ["json", "sarif"];

/** Prints the findings; fails if they cost more than they may. */
export async function lint(asked: CommandLine): Promise<number> {
  const { options } = asked;
  const policy = JSON.stringify(policyOf(options));
  run((core) => core.shaper(policy));
  const servers = await surveyed(asked);
  for (const server of servers) {
    const { notes } = call<{ notes: string[] }>("surveyNotes", { server });
    for (const note of notes) process.stderr.write(`toolshape: ${printable(note)}\n`);
  }
  const format = String(options["format"]);
  const members = { servers, format, source: placeOf(asked), columns: columns() };
  const { text, cost } = callShaper<{ text: string; cost: number }>(policy, "lint", members);
  process.stdout.write(OF_ONE_LINE.includes(format) ? `${text}\n` : text);
  const most = options["fail-over"];
  return most !== undefined && cost > Number(most) ? 1 : 0;
}
