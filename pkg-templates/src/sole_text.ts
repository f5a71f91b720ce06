// Reads the result that most tools return, one short text, without a walk over it.

import { SHORT_UNITS } from "./core.js";

/**
 * The text of a CallToolResult that has one short text block and nothing else; undefined for any other value. A longer text is
 * read in place, since most of it is not shown. Nothing is resolved: what could be more than it seems is another value.
 */
export function soleText(returned: unknown): string | undefined {
  try {
    const { content } = recordOf(returned, 1);
    const { type, text } = Array.isArray(content) && content.length === 1 ? recordOf(content[0], 2) : {};
    const isShort = type === "text" && typeof text === "string" && text.length <= SHORT_UNITS;
    return isShort && text.isWellFormed?.() ? text : undefined;
  } catch {
    // What throws here throws again where its place is reported.
    return undefined;
  }
}

/** The value, if it is an object with this many members and no form of its own; else an object without any. */
function recordOf(value: unknown, size: number): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return {};
  const record = value as Record<string, unknown>;
  return record["toJSON"] === undefined && Object.keys(record).length === size ? record : {};
}
