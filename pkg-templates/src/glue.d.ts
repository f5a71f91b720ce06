/** The bindings of wasm-bindgen for one instance, and the module's imports; written by `build.mjs`. */
export function newGlue(): {
  bindings: { __wbg_set_wasm(exports: WebAssembly.Exports): void };
  imports: WebAssembly.Imports;
};
