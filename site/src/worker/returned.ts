// What a person pastes as a tool's result: its text, or a whole `CallToolResult`, alone or in the answer of a server.

import type { TakenFor } from "../protocol.js";

export interface Returned {
  readonly result: unknown;
  readonly takenFor: TakenFor;
}

/** The result that this text represents. */
export function returnedBy(text: string): Returned {
  const whole = WHOLE.test(text.slice(0, 1000)) ? resultIn(text) : undefined;
  return whole === undefined
    ? { result: { content: [{ type: "text", text }] }, takenFor: "text" }
    : { result: whole, takenFor: "result" };
}

/** Only what may be a result is parsed: a large text is not. */
const WHOLE = /^\s*\{\s*"(?:content|structuredContent|isError|_meta|resultType|jsonrpc|id|result)"\s*:/;
const BLOCKS = new Set(["text", "image", "audio", "resource", "resource_link"]);

function resultIn(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    const result = isObject(value) && value["jsonrpc"] === "2.0" ? value["result"] : value;
    return isObject(result) && isContent(result["content"]) ? result : undefined;
  } catch {
    return undefined;
  }
}

function isContent(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((block) => isObject(block) && BLOCKS.has(String(block["type"])))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
