import type { ErrorCode } from "./types.js";

/** The only class of error that toolshape throws. */
export class ToolshapeError extends Error {
  override readonly name = "ToolshapeError";
  /** Stable; match on this, not on the message. */
  readonly code: ErrorCode;
  /** JSON Pointer to the wrong part of the policy, the call or the value; empty for the whole. */
  readonly path: string;

  constructor(code: ErrorCode, message: string, path = "", options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }

  /** The package is loaded twice where one program imports and requires it: an error of either copy is one of both. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return this === ToolshapeError ? isToolshapeError(error) : Function.prototype[Symbol.hasInstance].call(this, error);
  }
}

/** Whether something is a `ToolshapeError`, also of another copy of this package. */
export function isToolshapeError(error: unknown): error is ToolshapeError {
  return error instanceof Error && error.name === "ToolshapeError" && "code" in error && "path" in error;
}

/** A value as messages show it: the text "5" is not the number. */
export function spelled(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
