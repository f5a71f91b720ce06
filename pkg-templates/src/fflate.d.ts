/** The part of the package `fflate` that inflates; written by `build.mjs`. */
export function inflateSync(packed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
