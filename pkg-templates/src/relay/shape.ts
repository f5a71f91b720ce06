// `toolshape shape`: a value or a text in a pipe, shaped as a tool's result is, and asked as `read_result` is.

import { createHash } from "node:crypto";
import { call } from "../core.js";
import { isToolshapeError } from "../error.js";
import type { Shaped } from "../shaped.js";
import { Shaper } from "../shaper.js";
import type { CommandLine } from "./command_line.js";
import { inputOf } from "./input.js";
import { policyOf } from "./options.js";

/** The options that steer shaping, and those that ask about the whole; by the arguments of `read_result`. */
const CONTROLS = { page: "page", "page-size": "pageSize", cursor: "cursor", fields: "fields", format: "format" };
const QUESTIONS = {
  sql: "sql",
  pointer: "pointer",
  search: "search",
  lines: "lines",
  outline: "outline",
};
const NUMBERS = ["page", "page-size"];

/** Prints the shaped result; what was done goes to the standard error. Returns the exit code. */
export async function shape({ options, rest }: CommandLine): Promise<number> {
  const shaper = new Shaper(policyOf(options));
  const text = inputOf(rest).replace(/^\ufeff/, "");
  const [controls, question] = [given(options, CONTROLS), given(options, QUESTIONS)];
  const shaped =
    Object.keys(question).length > 0
      ? await ask(shaper, text, { ...controls, ...question })
      : shapeText(shaper, text, controls);
  process.stdout.write(`${shaped.text}\n`);
  const report = options["explain"] === true ? "explain" : "receiptLine";
  process.stderr.write(`${call<string>(report, { receipt: shaped.receipt })}\n`);
  return shaped.isError ? 1 : 0;
}

function shapeText(shaper: Shaper, text: string, controls: Arguments): Shaped {
  const call = { arguments: controls };
  return isJson(shaper, text) ? shaper.shapeJson(text, call) : shaper.shape(text, call);
}

/** Answers a question as if the text were a stored result. */
async function ask(shaper: Shaper, text: string, question: Arguments): Promise<Shaped> {
  const json = isJson(shaper, text);
  const content = json ? (shaper.contents({ json: text }, {})[0]?.text ?? text) : text;
  const handle = createHash("sha256").update(content).digest("hex");
  const key = `${handle}.${json ? "json" : "txt"}`;
  const call = { tool: "read_result", arguments: { ...question, handle } };
  const [table] = shaper.lookup("read", false, call).tables ?? [];
  if (table === undefined) return shaper.readResult(key, content, call);
  return shaper.readSql([{ handle: table, key, content, call }], call);
}

function isJson(shaper: Shaper, text: string): boolean {
  try {
    shaper.contents({ json: text }, {});
    return true;
  } catch (error) {
    if (isToolshapeError(error) && (error.code === "INVALID_JSON" || error.code === "TOO_DEEP")) return false;
    throw error;
  }
}

type Arguments = Record<string, unknown>;

/** The arguments that were given. */
function given(options: CommandLine["options"], names: Readonly<Record<string, string>>): Arguments {
  const given = Object.entries(names).filter(([name]) => options[name] !== undefined);
  return Object.fromEntries(
    given.map(([name, argument]) => [argument, NUMBERS.includes(name) ? Number(options[name]) : options[name]]),
  );
}
