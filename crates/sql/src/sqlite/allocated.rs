//! How many bytes SQLite has allocated on this thread: what a step does with a long value shows there and nowhere else; and how many of
//! them it holds. A question is answered on one thread, so that those of others do not count.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use rusqlite::ffi;

type Allocate = unsafe extern "C" fn(c_int) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Size = unsafe extern "C" fn(*mut c_void) -> c_int;
type Reallocate = unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// SQLite's own functions.
struct Methods {
    allocate: Allocate,
    reallocate: Reallocate,
    free: Free,
    size: Size,
}

static SQLITES: OnceLock<Methods> = OnceLock::new();

/// The bytes that were allocated on this thread since the last call.
pub fn taken() -> usize {
    BYTES.replace(0)
}

/// The bytes that SQLite holds of this thread; where they are not counted, of the process.
pub fn held() -> usize {
    match SQLITES.get() {
        Some(_) => usize::try_from(HELD.get()).unwrap_or(0),
        // SAFETY: takes no arguments and may be called at any time.
        None => usize::try_from(unsafe { ffi::sqlite3_memory_used() }).unwrap_or(0),
    }
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
        let (Some(allocate), Some(reallocate), Some(free), Some(size)) =
            (methods.xMalloc, methods.xRealloc, methods.xFree, methods.xSize)
        else {
            return;
        };
        (methods.xMalloc, methods.xRealloc, methods.xFree) =
            (Some(counted_allocation as Allocate), Some(counted_reallocation as Reallocate), Some(counted_end as Free));
        let _ = SQLITES.set(Methods { allocate, reallocate, free, size });
        ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
    }
}

fn note(bytes: c_int) {
    // A thread that ends has nothing left to count.
    let _ = BYTES.try_with(|all| all.set(all.get().saturating_add(usize::try_from(bytes).unwrap_or(0))));
}

/// Takes what is allocated at a place, if anything is, into account or out of it.
///
/// # Safety
/// The pointer is null, or SQLite's own functions have allocated it.
unsafe fn hold(methods: &Methods, place: *mut c_void, sign: isize) {
    if !place.is_null() {
        // SAFETY: as above.
        let bytes = unsafe { (methods.size)(place) } as isize;
        let _ = HELD.try_with(|held| held.set(held.get().saturating_add(sign * bytes)));
    }
}

unsafe extern "C" fn counted_allocation(bytes: c_int) -> *mut c_void {
    note(bytes);
    let Some(methods) = SQLITES.get() else { return std::ptr::null_mut() };
    // SAFETY: SQLite calls this as it would call its own function.
    unsafe {
        let place = (methods.allocate)(bytes);
        hold(methods, place, 1);
        place
    }
}

unsafe extern "C" fn counted_reallocation(old: *mut c_void, bytes: c_int) -> *mut c_void {
    note(bytes);
    let Some(methods) = SQLITES.get() else { return std::ptr::null_mut() };
    // SAFETY: as above. What is not reallocated stays.
    unsafe {
        hold(methods, old, -1);
        let place = (methods.reallocate)(old, bytes);
        hold(methods, if place.is_null() { old } else { place }, 1);
        place
    }
}

unsafe extern "C" fn counted_end(old: *mut c_void) {
    let Some(methods) = SQLITES.get() else { return };
    // SAFETY: as above.
    unsafe {
        hold(methods, old, -1);
        (methods.free)(old);
    }
}
