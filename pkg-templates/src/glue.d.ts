/** The bindings that wasm-bindgen made for one instance, and what the module imports; written by `build.mjs`. */
export function newGlue(): {
  bindings: { __wbg_set_wasm(exports: WebAssembly.Exports): void };
  imports: WebAssembly.Imports;
};
