//! What SQLite's file system asks of its host in WebAssembly, where a module that imports nothing has no host: no clock, no
//! randomness, no time zone, no sleep. `sqlite.rs` never lets it come to that; these are the names that must be there.

/// The status of a service that is not there.
const UNSUPPORTED: i32 = 1;

#[unsafe(no_mangle)]
extern "C" fn rust_sqlite_wasm_host_sleep(_seconds: u64, _nanoseconds: u32) {}

#[unsafe(no_mangle)]
extern "C" fn rust_sqlite_wasm_host_random(_out: *mut u8, _len: usize) -> usize {
    0
}

#[unsafe(no_mangle)]
extern "C" fn rust_sqlite_wasm_host_epoch_timestamp_in_ms(_out: *mut i64) -> i32 {
    UNSUPPORTED
}

#[unsafe(no_mangle)]
extern "C" fn rust_sqlite_wasm_host_fill_entropy(_out: *mut u8, _len: usize) -> i32 {
    UNSUPPORTED
}

#[unsafe(no_mangle)]
extern "C" fn rust_sqlite_wasm_host_localtime(_seconds: i64, _out: *mut u8) -> i32 {
    UNSUPPORTED
}
