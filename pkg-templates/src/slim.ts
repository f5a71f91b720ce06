import { provideVocabulary, replaceModule, replaceSql } from "./provide.js";
import type { Encoding } from "./types.js";

export * from "./api.js";

/** A compiled module, if the platform's types have one. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/**
 * Sets the core: `toolshape-wasm/toolshape.wasm` of the same version, compiled or as bytes. Bytes are compiled at the
 * first use; if the runtime does not allow that, compile them first.
 */
export function useModule(module: WasmModule | ArrayBuffer | Uint8Array): void {
  replaceModule(() => compiled(module));
}

/** Sets the module that answers in SQL, `toolshape-wasm/toolshape_sql.wasm`, in the same way. */
export function useSqlModule(module: WasmModule | ArrayBuffer | Uint8Array): void {
  replaceSql(() => compiled(module));
}

function compiled(module: WasmModule | ArrayBuffer | Uint8Array): WebAssembly.Module {
  const isCompiled = !(module instanceof ArrayBuffer || ArrayBuffer.isView(module));
  return isCompiled ? (module as WebAssembly.Module) : new WebAssembly.Module(module as Uint8Array<ArrayBuffer>);
}

/** Sets the packed vocabulary of an encoding; the entry points `o200k_base` and `cl100k_base` contain their own. */
export function useVocabulary(encoding: Encoding, packed: Uint8Array): void {
  provideVocabulary(encoding, () => packed);
}
