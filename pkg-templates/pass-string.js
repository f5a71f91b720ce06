/**
 * Lays a string into the module's memory, in place of wasm-bindgen's own function, which goes through long
 * ASCII text character by character, and for other text asks for three times the memory.
 */
function passStringToWasm0(text, malloc, realloc) {
    let room = text.length;
    let ptr = malloc(room, 1) >>> 0;
    const memory = getUint8ArrayMemory0();
    let at = 0;
    // Short text is done sooner than the encoder is called.
    if (room <= 64) {
        for (; at < room; at++) {
            const code = text.charCodeAt(at);
            if (code > 0x7f) break;
            memory[ptr + at] = code;
        }
    }
    let done = at;
    if (done < text.length) {
        const rest = done > 0 ? text.slice(done) : text;
        const { read, written } = cachedTextEncoder.encodeInto(rest, memory.subarray(ptr + at, ptr + room));
        done += read;
        at += written;
    }
    if (done < text.length) {
        const rest = text.slice(done);
        const most = at + rest.length * 3;
        ptr = realloc(ptr, room, most, 1) >>> 0;
        at += cachedTextEncoder.encodeInto(rest, getUint8ArrayMemory0().subarray(ptr + at, ptr + most)).written;
        ptr = realloc(ptr, most, at, 1) >>> 0;
    }
    WASM_VECTOR_LEN = at;
    return ptr;
}
