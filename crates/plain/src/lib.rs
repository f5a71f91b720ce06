//! toolshape for every WebAssembly runtime: four functions with a C ABI, messages in and out, and no imports.
//!
//! A host allocates a buffer, writes a message into it and calls; the answer is another buffer, which the host frees. The form
//! of messages, and the methods, are those of `toolshape-methods`. Every error of a host is an answer with a code, a message and a
//! path. A trap, such as memory that runs out, leaves an instance that must not be used.
//!
//! No memory is reached through a pointer of the host: it names a buffer that this module keeps, and an unknown pointer is an
//! error like any other. So only the names of the four functions are unsafe.
#![deny(unsafe_code)]

mod buffers;

use toolshape_methods::messages::{self, MessageHost};

/// The version of this ABI: the functions, the form of messages, and the methods with their members. It rises when a host
/// that was written for an earlier one would fail.
const ABI: u32 = 1;

/// The clock of the host that loads questions alone, the npm package; the module with all methods imports nothing.
const CLOCK: Option<fn() -> f64> = {
    #[cfg(all(feature = "sql", not(feature = "core"), target_arch = "wasm32"))]
    {
        Some(|| now())
    }
    #[cfg(not(all(feature = "sql", not(feature = "core"), target_arch = "wasm32")))]
    None
};

#[cfg(all(feature = "sql", not(feature = "core"), target_arch = "wasm32"))]
#[link(wasm_import_module = "toolshape")]
#[allow(unsafe_code, reason = "a function of the host")]
unsafe extern "C" {
    /// Milliseconds.
    safe fn now() -> f64;
}

/// The version of the ABI.
#[allow(unsafe_code, reason = "a name for the host; no other function has it")]
#[unsafe(no_mangle)]
pub extern "C" fn toolshape_version() -> u32 {
    ABI
}

/// A buffer of this many bytes for a message; null if there is no memory for it.
#[allow(unsafe_code, reason = "a name for the host; no other function has it")]
#[unsafe(no_mangle)]
pub extern "C" fn toolshape_alloc(size: usize) -> *mut u8 {
    buffers::make(size)
}

/// The answer to the message in a buffer, which is freed. The host frees the answer.
#[allow(unsafe_code, reason = "a name for the host; no other function has it")]
#[unsafe(no_mangle)]
pub extern "C" fn toolshape_call(message: *mut u8) -> *mut u8 {
    let message = buffers::take(message).unwrap_or_default();
    let host = MessageHost { take: |address| buffers::take(address as *mut u8), clock: CLOCK };
    buffers::keep(messages::answer(&message, host))
}

/// Frees a buffer; one that is not there, or no longer, is ignored.
#[allow(unsafe_code, reason = "a name for the host; no other function has it")]
#[unsafe(no_mangle)]
pub extern "C" fn toolshape_free(buffer: *mut u8) {
    buffers::take(buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_that_names_no_buffer_is_a_fault_and_no_crash() {
        let answer = toolshape_call(std::ptr::null_mut());
        let text = String::from_utf8(buffers::take(answer).expect("an answer")).unwrap_or_default();
        assert!(text.contains("INVALID_CALL"), "{text}");
        let buffer = toolshape_alloc(0);
        assert!(!buffer.is_null());
        toolshape_free(buffer);
        toolshape_free(buffer);
        assert_eq!(buffers::take(buffer), None);
    }

    #[test]
    fn the_page_shows_the_first_program() {
        let page = include_str!("../../../docs/plain_wasm.md");
        assert!(page.contains(include_str!("../hosts/node/first.mjs")));
    }

    #[test]
    fn memory_that_is_not_to_be_had_is_null() {
        assert!(toolshape_alloc(usize::MAX).is_null());
    }
}
