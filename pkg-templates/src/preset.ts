import { run } from "./core.js";
import { checkText } from "./options.js";
import type { Policy, PresetName } from "./types.js";

/**
 * The options of a preset, to be taken as they are or with others beside them: `{ ...preset("agent"), cursorKey }`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY` for a name that is none.
 */
export function preset(name: PresetName): Policy {
  const text = checkText(name, "preset");
  return JSON.parse(run((core) => core.exports.preset(text))) as Policy;
}
