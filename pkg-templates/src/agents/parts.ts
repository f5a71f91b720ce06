// The parts of a result: texts, which are shaped, and what passes as it is.

import type { CallToolResult } from "../types.js";
import type { ShapedResult } from "../shaped_result.js";
import type { HarnessResult } from "./harness.js";

/** A result of texts and of what passes as it is, such as images in the form of a framework. */
export class Parts {
  constructor(
    readonly parts: readonly unknown[],
    readonly isError = false,
  ) {}

  /** The texts of blocks of the form `{ type: "text", text }`, and all other blocks as they are. */
  // biome-ignore lint/suspicious/noExplicitAny: each framework has its own types of blocks.
  static of(blocks: readonly any[], isError = false): Parts {
    return new Parts(
      blocks.map((block) => (block?.type === "text" ? block.text : block)),
      isError,
    );
  }
}

/** The parts in the forms of a result. */
export function ofParts(parts: readonly unknown[]): Omit<HarnessResult, "isError" | "isUnchanged" | "original"> {
  const texts = parts.filter((part) => typeof part === "string");
  const blocks = parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
  const [text, isText] = [texts.join(""), texts.length === parts.length];
  return { parts, blocks, text, isText, content: isText ? text : blocks };
}

/** The texts of a content, which is a text or blocks; undefined if it has none. */
export function textIn(content: unknown): string | undefined {
  const parts = Array.isArray(content) ? Parts.of(content).parts : [content];
  const texts = parts.filter((part) => typeof part === "string");
  return texts.length === 0 ? undefined : texts.join("");
}

/** A content with this text in place of its own. */
export function withText(content: unknown, text: string): unknown {
  if (!Array.isArray(content)) return text;
  return [{ type: "text", text }, ...content.filter((block) => textIn([block]) === undefined)];
}

/** Whether a framework, which writes values with `JSON.stringify`, gives a model the same. */
export function isWritten(value: unknown, { result }: ShapedResult): boolean {
  const isData = value !== undefined && typeof value !== "string" && !(value instanceof Parts);
  if (!isData || Array.isArray((value as CallToolResult | null)?.content)) return true;
  try {
    return JSON.stringify(value) === (result.content[0] as { text?: string } | undefined)?.text;
  } catch {
    return false;
  }
}

/** The address of a block that passes, with the part that it contains. */
const OWN = "toolshape:own";

/** Parts as a `CallToolResult`. */
export function mcpOf({ parts, isError }: Parts): object {
  const block = (part: unknown): object =>
    typeof part === "string"
      ? { type: "text", text: part }
      : { type: "resource", resource: { uri: OWN, blob: "", own: () => part } };
  return { content: parts.map(block), isError };
}

/** The part that a block contains. */
export function partOf(block: CallToolResult["content"][number]): unknown {
  const { text, resource } = block as { text?: unknown; resource?: { uri?: unknown; own?: () => unknown } };
  if (block.type === "text") return text;
  return resource?.uri === OWN ? resource.own?.() : block;
}
