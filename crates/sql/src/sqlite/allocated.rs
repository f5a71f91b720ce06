//! How many bytes SQLite has allocated on this thread: what a step does with a long value shows there and nowhere else.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use rusqlite::ffi;

type Allocate = unsafe extern "C" fn(c_int) -> *mut c_void;
type Reallocate = unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

static SQLITES: OnceLock<(Allocate, Reallocate)> = OnceLock::new();

/// The bytes that were allocated on this thread since the last call.
pub fn taken() -> usize {
    BYTES.replace(0)
}

/// Counts from now on. Where something else in the process has begun to use SQLite before, nothing is counted.
pub fn count() {
    // SAFETY: SQLite fills the structure of function pointers, and copies the one that it is given. Both calls fail and change
    // nothing once SQLite is initialized.
    unsafe {
        let mut methods: ffi::sqlite3_mem_methods = std::mem::zeroed();
        if ffi::sqlite3_config(ffi::SQLITE_CONFIG_GETMALLOC, &raw mut methods) != ffi::SQLITE_OK {
            return;
        }
        let (Some(allocate), Some(reallocate)) = (methods.xMalloc, methods.xRealloc) else { return };
        if SQLITES.set((allocate, reallocate)).is_err() {
            return;
        }
        (methods.xMalloc, methods.xRealloc) =
            (Some(counted_allocation as Allocate), Some(counted_reallocation as Reallocate));
        ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
    }
}

fn note(bytes: c_int) {
    // A thread that ends has nothing left to count.
    let _ = BYTES.try_with(|all| all.set(all.get().saturating_add(usize::try_from(bytes).unwrap_or(0))));
}

unsafe extern "C" fn counted_allocation(bytes: c_int) -> *mut c_void {
    note(bytes);
    // SAFETY: SQLite calls this as it would call its own function.
    SQLITES.get().map_or(std::ptr::null_mut(), |(allocate, _)| unsafe { allocate(bytes) })
}

unsafe extern "C" fn counted_reallocation(old: *mut c_void, bytes: c_int) -> *mut c_void {
    note(bytes);
    // SAFETY: as above.
    SQLITES.get().map_or(std::ptr::null_mut(), |(_, reallocate)| unsafe { reallocate(old, bytes) })
}
