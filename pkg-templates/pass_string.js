// How a string gets into the module's memory, in place of what wasm-bindgen makes: that goes through ASCII
// character by character, at a tenth of the speed of the host's encoder, and for one other character makes
// room for three times the string.
//
// `build.mjs` puts this function into the bindings, whose `getUint8ArrayMemory0` and others it uses.

/** Shorter strings are done before the encoder is called. */
const SHORT = 48;
/** For longer rests room is made little by little. */
const LARGE = 1 << 20;

function passStringToWasm0(text, malloc, realloc) {
  let room = text.length;
  let ptr = malloc(room, 1) >>> 0;
  let used = 0;
  if (room <= SHORT) {
    const memory = getUint8ArrayMemory0();
    for (let code; used < room && (code = text.charCodeAt(used)) < 0x80; used++) memory[ptr + used] = code;
  }
  for (let rest = used === 0 ? text : text.slice(used); rest.length > 0; ) {
    const { read, written } = cachedTextEncoder.encodeInto(
      rest,
      getUint8ArrayMemory0().subarray(ptr + used, ptr + room),
    );
    used += written;
    rest = rest.slice(read);
    if (rest.length === 0) break;
    const before = room;
    // No UTF-16 unit takes more than three bytes.
    room = used + rest.length * (rest.length > LARGE ? 2 : 3);
    ptr = realloc(ptr, before, room, 1) >>> 0;
  }
  if (used < room) ptr = realloc(ptr, room, used, 1) >>> 0;
  WASM_VECTOR_LEN = used;
  return ptr;
}
