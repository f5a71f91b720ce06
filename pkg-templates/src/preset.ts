import { run } from "./core.js";
import { checkText } from "./options.js";
import type { Policy, PresetName } from "./types.js";

/**
 * The options of a preset, to use as they are or together with others: `{ ...preset("agent"), cursorKey }`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY` for an unknown name.
 */
export function preset(name: PresetName): Policy {
  const text = checkText(name, "preset");
  return JSON.parse(run((core) => core.exports.preset(text))) as Policy;
}
