// The package's binary data, inlined as base64 in `data/`: scripts that work as modules of either kind,
// so that one copy serves both. Each leaves its text under a registered symbol.

const DATA = Symbol.for("toolshape.data");

/** The bytes that the script of this name left. */
export function inlined(name: string): Uint8Array<ArrayBuffer> {
  const data = (globalThis as { [DATA]?: Record<string, string> })[DATA];
  return fromBase64(data?.[name] ?? "");
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
