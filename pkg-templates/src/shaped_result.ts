import type { ResultOutcome } from "./core.js";
import { exact, readReceipt, writtenAs } from "./shaped.js";
import type { CallToolResult, ContentBlock, Keep, Receipt } from "./types.js";

/** What a tool returned, as a `CallToolResult` within the budget; `JSON.stringify` writes `result`. */
export interface ShapedResult {
  readonly result: CallToolResult;
  /** Whether content and structured content are the tool's own. */
  readonly unchanged: boolean;
  readonly isError: boolean;
  /** Also in `result._meta` if the policy's `receipt` is `meta`. Null if toolshape does not shape the result, which is then the tool's own. */
  readonly receipt: Receipt | null;
  /**
   * What must be written to the store before the result is returned, because the result refers to it; null if there is
   * nothing to store.
   */
  readonly keep: Keep | null;
}

const RECEIPT = "toolshape/receipt";

/** A shaped result, from what the tool returned and the new parts. */
export function assemble(outcome: ResultOutcome, returned: unknown, startedAt: number): ShapedResult {
  const { unchanged, isError, receipt: measured, keep } = outcome;
  const receipt = measured === null ? null : readReceipt(measured, performance.now() - startedAt);
  const result = merged(outcome, returned, receipt);
  return writtenAs({ result, unchanged, isError, receipt, keep }, result);
}

/** A result that is one text, and passes. */
export function passed({ content }: CallToolResult, receipt: Receipt): ShapedResult {
  const result = { content: [...content] };
  return writtenAs({ result, unchanged: true, isError: false, receipt, keep: null }, result);
}

/** What a tool returned; if a class writes itself as JSON, or a Map is a result, the object that it represents, whose parts pass. */
export function ownForm(returned: unknown): unknown {
  try {
    if (returned instanceof Map) return isResultMap(returned) ? Object.fromEntries(returned) : returned;
    const toJSON: unknown = (returned as { toJSON?: unknown } | null | undefined)?.toJSON;
    // Bytes have a form of the core's, and not that of a Buffer.
    const isWritten = typeof toJSON === "function" && !ArrayBuffer.isView(returned);
    return isWritten ? (toJSON.call(returned, "") as unknown) : (returned ?? null);
  } catch {
    // The core reads it again, and names what was thrown.
    return returned;
  }
}

/** Whether a Map may be a `CallToolResult`. Another one is data, whose keys the core reads. */
function isResultMap(map: ReadonlyMap<unknown, unknown>): boolean {
  return (
    (map.has("content") || map.has("structuredContent")) && [...map.keys()].every((key) => typeof key === "string")
  );
}

/** The result itself, built member by member from the core's description. */
export function merged(
  { isOwn, isResult, members, content, structured }: ResultOutcome,
  returned: unknown,
  receipt: Receipt | null,
): CallToolResult {
  const own = (isResult ? returned : {}) as CallToolResult;
  if (isOwn) return own;
  const { [RECEIPT]: _, ...meta } = own._meta ?? {};
  const make = {
    own: (key: string): unknown => own[key],
    content: () =>
      content.map((block) => (typeof block === "number" ? own.content[block] : (JSON.parse(block) as ContentBlock))),
    structured: (): unknown => JSON.parse(exact(structured as string)),
    isError: () => true,
    meta: () => ({ ...meta, [RECEIPT]: receipt }),
    ownMeta: () => own._meta && meta,
  };
  return Object.fromEntries(members.map(([key, what]) => [key, make[what](key)])) as CallToolResult;
}
