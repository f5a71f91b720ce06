import { call } from "./core.js";
import { checkText } from "./options.js";
import type { Policy, PresetName } from "./types.js";

/**
 * The options of a preset, to use as they are or together with others: `{ ...preset("agent"), cursorKey }`.
 *
 * @throws {ToolshapeError} `INVALID_POLICY` for an unknown name.
 */
export function preset(name: PresetName): Policy {
  return call("preset", { name: checkText(name, "preset") });
}
