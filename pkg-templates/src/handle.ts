import { call } from "./core.js";
import { checkText } from "./options.js";

/**
 * The keys under which what a handle names may be stored, the likelier first: for a handle of 16 letters the key of its
 * ticket, which `Shaper.open` reads; for an id of 64 hexadecimal digits the two keys of the content.
 *
 * @throws {ToolshapeError} `INVALID_HANDLE` for anything else, unless it is a URI that ends in one of these.
 */
export function handleKeys(handle: string): string[] {
  return call("handleKeys", { handle: checkText(handle, "handle") });
}
