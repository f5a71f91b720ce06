// Inflates the package's deflated data (RFC 1951): with the host's own code if it has a synchronous one, which browsers
// have not, else with fflate.

import { inflateSync } from "./fflate.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Inflates a raw deflate stream. */
export function inflate(packed: Bytes): Bytes {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { inflateRawSync?(packed: Bytes): Bytes } | undefined };
  };
  const native = process?.getBuiltinModule?.("node:zlib")?.inflateRawSync ?? inflateSync;
  return native(packed);
}
