// The interface of stores, and the checks that all of toolshape's stores share.

import { isToolshapeError, spelled, ToolshapeError } from "../error.js";

/**
 * A store for complete results: three methods, each synchronous or asynchronous.
 *
 * A store is trusted to keep what it confirms, but not with the content: what it returns is checked against its key.
 */
export interface Store {
  /** The value of a key, or null if there is none or it has expired. */
  get(key: string): Promise<string | null | undefined> | string | null | undefined;
  /**
   * Keeps a value for this many seconds; throws unless it is kept. `owner` is whose it is, an opaque name for each scope
   * (undefined for a call without one), so that a store can limit what each has; a store may ignore it.
   */
  set(key: string, value: string, ttlSeconds: number, owner?: string): Promise<unknown> | unknown;
  /** Deletes a key, if it exists. */
  delete(key: string): Promise<unknown> | unknown;
}

/** The form of a key: of a result, or of the ticket of a handle. Nothing else matches, in particular no other path. */
export const KEY = /^(?:[0-9a-f]{64}\.(?:json|txt)|[a-z]{16}\.handle)$/;

/** Refuses an invalid key. */
export function checkKey(key: unknown): void {
  if (typeof key === "string" && KEY.test(key)) return;
  throw new ToolshapeError(
    "INVALID_HANDLE",
    "a key is 64 hex digits and .json or .txt, or 16 letters and .handle",
    "/key",
  );
}

/** Refuses an invalid duration or size. */
export function checkPositive(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value < Infinity) return;
  throw new ToolshapeError("INVALID_CALL", `${name} is ${spelled(value)}; it takes a number over 0`, `/${name}`);
}

/** Refuses what is not an object with some of these members. */
export function checkNames(what: string, given: unknown, names: readonly string[]): void {
  const allowed = `${what} are an object with ${names.join(", ")}`;
  if (typeof given !== "object" || given === null) throw new ToolshapeError("INVALID_CALL", allowed);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ToolshapeError("INVALID_CALL", `unknown option ${unknown}; ${allowed}`, `/${unknown}`);
}

/** Refuses an invalid part of a whole. */
export function checkPart(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value <= 1) return;
  throw new ToolshapeError(
    "INVALID_CALL",
    `${name} is ${spelled(value)}; it takes a number over 0, at most 1`,
    `/${name}`,
  );
}

/** How much of a text is encoded at a time, in UTF-16 units. */
const PIECE = 65_536;

/** The bytes of a text in UTF-8, counted without a copy of it. */
export function byteLength(text: string): number {
  const encoder = new TextEncoder();
  // A unit takes three bytes at most.
  const room = new Uint8Array(3 * Math.min(text.length, PIECE + 1));
  let bytes = 0;
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE;
    // A pair of surrogates stays together.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    bytes += encoder.encodeInto(text.slice(start, end), room).written;
  }
  return bytes;
}

/** The error for a failure of a store, in words that a model may read; `cause` is the original error. */
export function storeFailed(what: string, cause?: unknown): ToolshapeError {
  const why = cause === undefined ? "" : `: ${reason(cause)}`;
  return new ToolshapeError("STORE_FAILED", what + why, "", cause === undefined ? undefined : { cause });
}

/** Why something failed, without the paths and hosts in messages of other libraries. */
export function reason(error: unknown): string {
  if (isToolshapeError(error)) return error.message;
  if (!(error instanceof Error)) return typeof error;
  // `ENOSPC: no space left on device, write '…'`
  return ("syscall" in error && /^E[A-Z0-9]+: [^,]+/.exec(error.message)?.[0]) || error.name;
}
