// The package's binary data, inlined as text in `data/`: scripts that work as modules of either kind, so
// that one copy serves both. Each leaves its text under a registered symbol.

const DATA = Symbol.for("toolshape.data");

/** A way to the vocabulary that the script of this name left. */
export function inlined(name: string): () => Uint8Array<ArrayBuffer> {
  const text = textOf(name);
  return () => fromBase64(text);
}

/** A way to the module that its script left. */
export function inlinedModule(): () => WebAssembly.Module {
  const text = textOf("module");
  return () => new WebAssembly.Module(fromDense(text));
}

/** Read when the package is loaded: another version of it may be loaded later, and leave its own. */
function textOf(name: string): string {
  return (globalThis as { [DATA]?: Record<string, string> })[DATA]?.[name] ?? "";
}

/**
 * The bytes of a text that `dense` in `build.mjs` wrote. First all bytes by how frequent they are, in hex.
 * Then each character is a digit of 91, the printable ones of ASCII from `#` without the backslash: from 2 on,
 * one of the 89 most frequent bytes; 0 or 1, and the digit behind it, one of the others.
 */
function fromDense(text: string): Uint8Array<ArrayBuffer> {
  // What each digit means by itself, behind a 0 and behind a 1, by its character: 128 places each.
  const meaning = new Uint8Array(3 * 128);
  for (let place = 0; place < 256; place++) {
    const digit = (place % 89) + 2;
    meaning[128 * Math.floor(place / 89) + digit + (digit < 57 ? 35 : 36)] = parseInt(text.slice(2 * place, 2 * place + 2), 16);
  }
  // Decoded in place: no byte takes less than a character.
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 512; at < bytes.length; ) {
    let code = bytes[at++] as number;
    if (code < 37) code = 128 * (code - 34) + (bytes[at++] as number);
    bytes[length++] = meaning[code] as number;
  }
  return bytes.subarray(0, length);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (native.fromBase64 !== undefined) return native.fromBase64(text);
  const { Buffer } = globalThis as { Buffer?: { from(text: string, form: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
