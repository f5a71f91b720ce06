import { run } from "./core.js";
import { checkText } from "./options.js";

/**
 * The two keys under which the result of a handle may be stored, the likelier first. A handle is 64 lower-case
 * hexadecimal digits, or the URI of a stored result.
 *
 * @throws {ToolshapeError} `INVALID_HANDLE` for anything else.
 */
export function handleKeys(handle: string): [string, string] {
  const text = checkText(handle, "handle");
  return run((core) => core.exports.handleKeys(text));
}
