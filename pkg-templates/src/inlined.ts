// The package's binary data, inlined as text in `data/`. Its scripts work as modules of both kinds, so that one copy is
// enough. Each stores its text under a registered symbol.

import { inflate } from "./inflate.js";

const DATA = Symbol.for("toolshape.data");

/** A function that reads the vocabulary from the script of this name. */
export function inlined(name: string): () => Uint8Array<ArrayBuffer> {
  const text = textOf(name);
  return () => fromBase64(text);
}

/** A function that reads a module from the script of this name. */
export function inlinedModule(name = "module"): () => WebAssembly.Module {
  const text = textOf(name);
  return () => new WebAssembly.Module(inflate(fromBase64(text)));
}

/** Read when the package is loaded, because another version may be loaded later and overwrite the text. */
function textOf(name: string): string {
  return (globalThis as { [DATA]?: Record<string, string> })[DATA]?.[name] ?? "";
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
