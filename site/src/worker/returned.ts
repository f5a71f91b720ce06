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
    const value = JSON.parse(text, exact as (key: string, value: unknown) => unknown) as unknown;
    const result = isObject(value) && value["jsonrpc"] === "2.0" ? value["result"] : value;
    return isObject(result) && isContent(result["content"]) ? result : undefined;
  } catch {
    return undefined;
  }
}

/** A whole number that JavaScript would round stays as it is spelled, in browsers that say how it is. */
function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  return typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value;
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
