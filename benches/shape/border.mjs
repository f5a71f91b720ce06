/** Counts the bytes of text that cross between JavaScript and toolshape's WebAssembly, in both directions. */

/** Watches every module that wasm-bindgen starts from now on; returns a function that gives the bytes so far. */
export function watchBorder() {
  let bytes = 0;
  const { Instance } = WebAssembly;
  // What wasm-bindgen passes in it first makes room for, in memory that the module gives it.
  WebAssembly.Instance = function (module, imports) {
    const instance = new Instance(module, imports);
    const exports = { ...instance.exports };
    for (const [name, call] of Object.entries(exports)) {
      if (name.endsWith("malloc")) exports[name] = (size, ...rest) => ((bytes += size), call(size, ...rest));
      if (name.endsWith("realloc"))
        exports[name] = (at, from, to, ...rest) => ((bytes += to - from), call(at, from, to, ...rest));
    }
    return { exports };
  };
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function (view, ...rest) {
    bytes += view?.byteLength ?? 0;
    return decode.call(this, view, ...rest);
  };
  return () => bytes;
}
