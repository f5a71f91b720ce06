// Hashes texts with the host's own code, which is several times faster than WebAssembly; no result where the host has no
// synchronous one, as browsers have not.

import { encode, isPair } from "./utf16.js";

/** The bytes of a text that are hashed at a time. */
const PIECE_BYTES = 3 << 16;

/** A hash by SHA-256 or, with a key, by HMAC-SHA-256. */
function newHash(key) {
  const crypto = globalThis.process?.getBuiltinModule?.("node:crypto");
  return key === undefined ? crypto?.createHash?.("sha256") : crypto?.createHmac?.("sha256", key);
}

/** The hash of bytes after others. */
export function hashOf(key, before, bytes) {
  return newHash(key)?.update(before).update(bytes).digest();
}

/** A text that stays in the host: its hash after other bytes, its length in UTF-8, and its ends. */
export function hashedText(text, key, before, ends) {
  const hash = newHash(key)?.update(before);
  if (hash === undefined) return undefined;
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, 3 * text.length));
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const [end, written] = encode(text, at, buffer);
    hash.update(buffer.subarray(0, written));
    [at, bytes] = [end, bytes + written];
  }
  const head = Math.min(ends, text.length);
  const tail = Math.max(text.length - ends, 0);
  return {
    hash: hash.digest(),
    bytes,
    head: text.slice(0, head < text.length && isPair(text, head - 1) ? head - 1 : head),
    tail: text.slice(tail > 0 && isPair(text, tail - 1) ? tail + 1 : tail),
  };
}
