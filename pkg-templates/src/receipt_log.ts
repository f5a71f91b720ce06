// Receipts in words, for operators: an explanation, and a line where no callback takes the receipts.

import { call as callCore } from "./core.js";
import type { Receipt } from "./types.js";

/** Why a result looks as it does, from its receipt: a sentence a line, for people. */
export function explain(receipt: Receipt): string {
  return callCore("explain", { receipt });
}

/** Writes a line about each changed result; with `TOOLSHAPE_LOG=all` about every result, with `off` about none. */
export function toStandardError(): (receipt: Receipt) => void {
  const { process } = globalThis as { process?: { env?: { readonly TOOLSHAPE_LOG?: string } } };
  // The environment is not a plain object, so it is read once and not for each result.
  const log = process?.env?.TOOLSHAPE_LOG;
  return (receipt) => {
    if (log === "off" || (log !== "all" && receipt.steps.length === 0)) return;
    afterwards(() => {
      try {
        console.error(callCore("receiptLine", { receipt }));
      } catch {
        // A line that fails must not end the server.
      }
    });
  };
}

/**
 * Does what no client should wait for once the result is on its way. A Worker may end with its response, so there it is done at
 * once (https://developers.cloudflare.com/workers/runtime-apis/web-standards/#navigatoruseragent).
 */
function afterwards(work: () => void): void {
  const { navigator, setImmediate } = globalThis as {
    navigator?: { userAgent?: string };
    setImmediate?: (work: () => void) => unknown;
  };
  if (setImmediate === undefined || navigator?.userAgent === "Cloudflare-Workers") work();
  else setImmediate(work);
}
