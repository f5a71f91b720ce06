// Thrown values that do not mean that a tool failed: frameworks throw them to stop, pause or redirect a run, and catch them above
// it. They pass unchanged, whatever their size. This is the only list of them.

/** Their names, or those of their base classes. */
const NAMES = new Set([
  // A call that was cancelled: the platform, axios, got, the SDKs of OpenAI and Anthropic, Temporal.
  "AbortError",
  "CanceledError",
  "CancelError",
  "APIUserAbortError",
  "CancelledFailure",
  // LangGraph: interrupts, and commands to a parent.
  "GraphBubbleUp",
  "GraphInterrupt",
  "NodeInterrupt",
  "ParentCommand",
]);

/** The names of MCP's own errors. Where an SDK answers a request with them, clients read their code and data. */
const PROTOCOL_NAMES = new Set(["McpError", "ProtocolError"]);

/** The start of the digest by which Next.js knows its redirects and pages of errors. */
const NEXT_DIGEST = /^NEXT_(REDIRECT|NOT_FOUND|HTTP_ERROR_FALLBACK)/;

/** Whether a thrown value controls a framework. A group does if all of its errors do. */
export function isControlFlow(error: unknown): boolean {
  try {
    if (typeof error !== "object" || error === null) return false;
    const { is_bubble_up, digest, errors } = error as { is_bubble_up?: unknown; digest?: unknown; errors?: unknown };
    if (is_bubble_up === true || (typeof digest === "string" && NEXT_DIGEST.test(digest))) return true;
    if (error instanceof AggregateError && Array.isArray(errors) && errors.length > 0)
      return errors.every(isControlFlow);
    return hasName(error, NAMES);
  } catch {
    // What cannot be read, such as a revoked proxy, is an error as any other.
    return false;
  }
}

/** Whether a thrown value is an error of MCP itself. */
export function isProtocolError(error: unknown): boolean {
  try {
    return error instanceof Error && hasName(error, PROTOCOL_NAMES);
  } catch {
    return false;
  }
}

/** Whether an object, or a class that it is of, has one of these names. */
function hasName(error: object, names: ReadonlySet<string>): boolean {
  if (names.has((error as { name?: string }).name ?? "")) return true;
  for (let of: unknown = Object.getPrototypeOf(error); of !== null; of = Object.getPrototypeOf(of)) {
    if (names.has((of as { constructor?: { name?: string } }).constructor?.name ?? "")) return true;
  }
  return false;
}
