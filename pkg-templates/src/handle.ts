import { run } from "./core.js";
import { checkText } from "./options.js";

/**
 * The names under which a store may hold what a handle names, the likelier first. A handle is 64 lower-case
 * hexadecimal digits, or the address of a stored result.
 *
 * @throws {ToolshapeError} `INVALID_HANDLE` for anything else.
 */
export function handleKeys(handle: string): [string, string] {
  const text = checkText(handle, "handle");
  return run((core) => core.exports.handleKeys(text));
}
