import { provideVocabulary, replaceModule } from "./provide.js";
import type { Encoding } from "./types.js";

export * from "./api.js";

/** A compiled module, where the types of the platform know one. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/**
 * Takes the core from the caller: `toolshape-wasm/toolshape.wasm` of the same version, compiled or as bytes. Bytes are compiled
 * at the first use; where that is not allowed, compile them first.
 */
export function useModule(module: WasmModule | ArrayBuffer | Uint8Array): void {
  replaceModule(() => {
    const isCompiled = !(module instanceof ArrayBuffer || ArrayBuffer.isView(module));
    return isCompiled ? (module as WebAssembly.Module) : new WebAssembly.Module(module as Uint8Array<ArrayBuffer>);
  });
}

/** Takes the packed vocabulary of an encoding from the caller; the entries `o200k_base` and `cl100k_base` bring theirs. */
export function useVocabulary(encoding: Encoding, packed: Uint8Array): void {
  provideVocabulary(encoding, () => packed);
}
