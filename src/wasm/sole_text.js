// Reads the result that most tools return, one short text, without a walk over it.

/**
 * The text of a CallToolResult that has one text block and nothing else, if that has at most `most` UTF-16 units; undefined for any
 * other value. Nothing is resolved: what could be more than it seems is another value.
 */
export function soleText(returned, most) {
  try {
    const { content } = recordOf(returned, 1);
    const { type, text } = Array.isArray(content) && content.length === 1 ? recordOf(content[0], 2) : {};
    const isShort = type === "text" && typeof text === "string" && text.length <= most;
    return isShort && text.isWellFormed?.() ? text : undefined;
  } catch {
    // What throws here throws again where its place is reported.
    return undefined;
  }
}

/** The value, if it is an object with so many members and no form of its own; else an object without any. */
function recordOf(value, size) {
  const isRecord = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isRecord && value.toJSON === undefined && Object.keys(value).length === size ? value : {};
}
