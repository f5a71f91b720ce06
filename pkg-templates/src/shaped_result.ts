import type { ResultOutcome } from "./core.js";
import { readReceipt } from "./shaped.js";
import type { CallToolResult, ContentBlock, Keep, Receipt } from "./types.js";

/** What a tool returned, as a `CallToolResult` that fits. */
export interface ShapedResult {
  readonly result: CallToolResult;
  /** Whether content and structured content are the tool's own. */
  readonly unchanged: boolean;
  readonly isError: boolean;
  /** Also in `result._meta`; null where the result is not for toolshape to touch: then it is the tool's own. */
  readonly receipt: Receipt | null;
  /** What has to be in the store before the result is told, because it tells of it; null if nothing has. */
  readonly keep: Keep | null;
}

/** Puts a result together from what the tool returned and what is new. */
export function assemble(outcome: ResultOutcome, returned: unknown, startedAt: number): ShapedResult {
  const { unchanged, isError, receipt: measured, structured, keep } = outcome;
  const own = (outcome.isResult ? returned : {}) as CallToolResult;
  if (measured === null && outcome.isResult) return { result: own, unchanged, isError, receipt: null, keep };
  const { structuredContent, content: blocks } = own as Partial<CallToolResult>;
  const content = outcome.content.map((block) =>
    typeof block === "number" ? blocks?.[block] : (JSON.parse(block) as ContentBlock),
  ) as ContentBlock[];
  const isNone = content.length === 0 && outcome.isResult && blocks === undefined;
  // Members stay in the tool's order.
  const result: CallToolResult = { ...own };
  if (!isNone) result.content = content;
  const parsed = (json: string): unknown => JSON.parse(json);
  const data = structured === true ? structuredContent : structured === null ? undefined : parsed(structured);
  if (data === undefined) delete result.structuredContent;
  else result.structuredContent = data;
  if (isError) result.isError = true;
  const receipt = measured === null ? null : readReceipt(measured, performance.now() - startedAt);
  if (receipt) result._meta = { ...own._meta, "toolshape/receipt": receipt };
  return { result, unchanged, isError, receipt, keep };
}
