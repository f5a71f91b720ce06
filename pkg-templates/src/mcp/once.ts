// A server is shaped once: of two layers around one server, the outer would page the pages of the inner.

import { ToolshapeError } from "../error.js";

/** The mark of a server that is shaped, the same in every copy of this package. */
const SHAPED = Symbol.for("toolshape.shaped");

/**
 * Marks a server, and the parts of it that can be shaped themselves.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a server that is marked.
 */
export function checkUnshaped(...parts: readonly object[]): void {
  if (parts.some((part) => SHAPED in part)) {
    throw new ToolshapeError("INVALID_CALL", "the server is shaped already: give one shapeServer the whole policy", "/server");
  }
  for (const part of parts) Object.defineProperty(part, SHAPED, { value: true });
}
