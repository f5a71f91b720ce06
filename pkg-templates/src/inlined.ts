// The package's binary data, inlined as text in `data/`: scripts that work as modules of either kind, so
// that one copy serves both. Each leaves its text under a registered symbol.

import { inflate } from "./inflate.js";

const DATA = Symbol.for("toolshape.data");

/** A way to the vocabulary that the script of this name left. */
export function inlined(name: string): () => Uint8Array<ArrayBuffer> {
  const text = textOf(name);
  return () => fromBase64(text);
}

/** A way to the module that its script left. */
export function inlinedModule(): () => WebAssembly.Module {
  const text = textOf("module");
  return () => new WebAssembly.Module(inflate(fromBase64(text)));
}

/** Read when the package is loaded: another version of it may be loaded later, and leave its own. */
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
