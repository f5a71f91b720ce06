// `toolshape measure`: what servers cost a model's context.

import { writeFileSync } from "node:fs";
import { callShaper, run } from "../core.js";
import type { CommandLine } from "./command_line.js";
import { policyOf } from "./options.js";
import { reasonOf } from "./reason.js";
import { columns, surveyed } from "./survey.js";

/** Prints the table or the JSON, and writes the report. Returns the exit code. */
export async function measure(asked: CommandLine): Promise<number> {
  const { window, html, json } = asked.options;
  const policy = JSON.stringify(policyOf(asked.options));
  run((core) => core.shaper(policy));
  const servers = await surveyed(asked);
  const most = window === undefined ? undefined : Number(window);
  const measured = (format: "json" | "html" | "table"): string =>
    callShaper(policy, "measure", { servers, format, window: most, columns: columns() });
  if (html !== undefined) write(String(html), measured("html"));
  process.stdout.write(json ? `${measured("json")}\n` : measured("table"));
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(`cannot write ${file}: ${reasonOf(error)}`);
  }
}
