// A server is shaped once: of two layers around one server, the outer would page the pages of the inner.

import { ToolshapeError } from "../error.js";

/** The mark of a server that is shaped, the same in every copy of this package. */
const SHAPED = Symbol.for("toolshape.shaped");

/**
 * Shapes a server, and marks it and the part of it that can be shaped by itself.
 *
 * @throws {ToolshapeError} `INVALID_CALL` for a server that is marked or connected, and what `shape` throws.
 */
export function once(server: object, shape: () => void): void {
  const part = (server as { server?: unknown }).server;
  const parts = typeof part === "object" && part !== null ? [server, part] : [server];
  if (parts.some((part) => SHAPED in part)) {
    throw new ToolshapeError(
      "INVALID_CALL",
      "the server is shaped already: give one shapeServer the whole policy",
      "/server",
    );
  }
  if (parts.some((part) => (part as { transport?: unknown }).transport !== undefined)) {
    throw new ToolshapeError(
      "INVALID_CALL",
      "the server is connected, and its client knows what it has: call shapeServer before connect",
      "/server",
    );
  }
  shape();
  for (const part of parts) Object.defineProperty(part, SHAPED, { value: true });
}
