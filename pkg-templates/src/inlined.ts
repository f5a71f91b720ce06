// The package's binary data, inlined as text in `data/`: scripts that work as modules of either kind, so
// that one copy serves both. Each leaves its text under a registered symbol.

const DATA = Symbol.for("toolshape.data");

/** The vocabulary that the script of this name left. */
export function inlined(name: string): Uint8Array<ArrayBuffer> {
  return fromBase64(textOf(name));
}

/** The module that its script left. */
export function inlinedModule(): WebAssembly.Module {
  return new WebAssembly.Module(fromDense(textOf("module")));
}

function textOf(name: string): string {
  return (globalThis as { [DATA]?: Record<string, string> })[DATA]?.[name] ?? "";
}

/**
 * The bytes of a text that `dense` in `build.mjs` wrote. First all bytes by how frequent they are, in hex.
 * Then each character is a digit of 91, the printable ones of ASCII from `#` without the backslash: from 2 on,
 * one of the 89 most frequent bytes; 0 or 1, and the digit behind it, one of the others.
 */
function fromDense(text: string): Uint8Array<ArrayBuffer> {
  const order = Uint8Array.from({ length: 256 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
  const digit = (at: number): number => text.charCodeAt(at) - (text.charCodeAt(at) < 92 ? 35 : 36);
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 512; at < text.length; at++) {
    const value = digit(at);
    bytes[length++] = order[value < 2 ? 89 * (value + 1) + digit(++at) - 2 : value - 2] as number;
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
