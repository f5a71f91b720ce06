// What a store is, and what every store of ours refuses.

import { isToolshapeError, ToolshapeError } from "../error.js";

/**
 * Where results are kept whole: three calls, each of which may be synchronous or not.
 *
 * A store is trusted to keep what it said it kept, not with more: what comes back is checked against its name.
 */
export interface Store {
  /** The value under a key, or null where there is none or its time is over. */
  get(key: string): Promise<string | null | undefined> | string | null | undefined;
  /** Keeps a value for so many seconds; throws unless it is kept. */
  set(key: string, value: string, ttlSeconds: number): Promise<unknown> | unknown;
  /** Forgets a key, if there is one. */
  delete(key: string): Promise<unknown> | unknown;
}

/** A key as results have it, and nothing else that could be a path. */
export const KEY = /^[0-9a-f]{64}\.(?:json|txt)$/;

/** Refuses what is no key. */
export function checkKey(key: unknown): void {
  if (typeof key === "string" && KEY.test(key)) return;
  throw new ToolshapeError("INVALID_HANDLE", "a key is 64 hex digits and .json or .txt", "/key");
}

/** Refuses a duration or a size that is none. */
export function checkPositive(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value < Infinity) return;
  throw new ToolshapeError("INVALID_CALL", `${name} is ${String(value)}; it takes a number over 0`, `/${name}`);
}

/** The error for something that a store could not do, in words that a model may read; `cause` has the rest. */
export function storeFailed(what: string, cause?: unknown): ToolshapeError {
  const why = cause === undefined ? "" : `: ${reason(cause)}`;
  return new ToolshapeError("STORE_FAILED", what + why, "", cause === undefined ? undefined : { cause });
}

/** Why something failed, without the paths and hosts that messages of others name. */
export function reason(error: unknown): string {
  if (isToolshapeError(error)) return error.message;
  if (!(error instanceof Error)) return typeof error;
  // `ENOSPC: no space left on device, write '…'`
  return ("syscall" in error && /^E[A-Z0-9]+: [^,]+/.exec(error.message)?.[0]) || error.name;
}

/** The error for a value that no sweep could make room for. */
export function tooLarge(bytes: number, maxBytes: number): ToolshapeError {
  return storeFailed(`the value has ${bytes} bytes, more than the ${maxBytes} of the whole store`);
}
