// Inflating what the package brings deflated (RFC 1951): by the host's own code where it can be had at once, which in
// browsers it cannot, else by fflate.

import { inflateSync } from "./fflate.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** The content of a raw deflate stream. */
export function inflate(packed: Bytes): Bytes {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): { inflateRawSync?(packed: Bytes): Bytes } | undefined } };
  const native = process?.getBuiltinModule?.("node:zlib")?.inflateRawSync ?? inflateSync;
  return native(packed);
}
