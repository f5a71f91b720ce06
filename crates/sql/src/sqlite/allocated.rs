//! What SQLite does with long values inside one step, as its requests for memory show it, and how many bytes it holds. Both are counted
//! for each thread, so that questions of others do not count, and alike whatever the width of a pointer: of requests, only those for
//! long values and for pages of tables count.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;

use rusqlite::ffi;

/// Bytes of the longest request that SQLite answers from memory of its own, unseen here.
const UNSEEN: usize = 256;
/// Requests count in this many bytes: what structures add by their pointers is less.
const UNIT: usize = 1024;
/// Bytes that each page of a table counts as when it is looked up.
const PAGE: usize = 32;
/// Bytes at the start of a value that show whether it is read to its end as a number.
const START: usize = 64;
/// Bytes that SQLite may have before a value.
const BEFORE: usize = 8;
const LOOKED_AT: usize = BEFORE + START;
/// Bytes of a value that does not grow beyond the limit.
const LONG: usize = 1 << 20;
/// Bytes by which structures are smaller here than with pointers of 64 bits.
const SMALLER: isize = 16 - 2 * size_of::<usize>() as isize;

type Allocate = unsafe extern "C" fn(c_int) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Size = unsafe extern "C" fn(*mut c_void) -> c_int;
type Reallocate = unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void;
type Fetch = unsafe extern "C" fn(*mut ffi::sqlite3_pcache, c_uint, c_int) -> *mut ffi::sqlite3_pcache_page;

thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST_HELD: Cell<isize> = const { Cell::new(isize::MAX) };
    static IS_IN_PAGES: Cell<bool> = const { Cell::new(false) };
    static LONGEST_NUMBER: Cell<usize> = const { Cell::new(0) };
    /// Values whose start was not looked at, and their bytes.
    static UNKNOWN: RefCell<Vec<(*mut c_void, usize)>> = const { RefCell::new(Vec::new()) };
}

/// SQLite's own functions.
struct Methods {
    allocate: Allocate,
    reallocate: Reallocate,
    free: Free,
    size: Size,
    fetch: Fetch,
}

static SQLITES: OnceLock<Methods> = OnceLock::new();

/// The bytes of long values and of pages that were requested on this thread since the last call.
pub fn taken() -> usize {
    TAKEN.replace(0)
}

/// The bytes of the longest text of this thread, since [`forget_numbers`], that SQLite reads to its end where it needs a number.
pub fn longest_number() -> usize {
    UNKNOWN.with_borrow_mut(|unknown| {
        for (place, bytes) in unknown.drain(..) {
            // SAFETY: what is freed is not in the list.
            unsafe { look_at(place, bytes) };
        }
    });
    LONGEST_NUMBER.get()
}

/// Begins a statement: values of those before it do not count.
pub fn forget_numbers() {
    UNKNOWN.with_borrow_mut(Vec::clear);
    LONGEST_NUMBER.set(0);
}

/// The bytes that SQLite holds of this thread; where they are not counted, of the process.
pub fn held() -> usize {
    match SQLITES.get() {
        Some(_) => usize::try_from(HELD.get()).unwrap_or(0),
        // SAFETY: takes no arguments and may be called at any time.
        None => usize::try_from(unsafe { ffi::sqlite3_memory_used() }).unwrap_or(0),
    }
}

/// Lets no long value grow that would make SQLite hold more than this number of bytes on this thread; `None` lets all grow.
pub fn hold_at_most(bytes: Option<usize>) {
    MOST_HELD.set(bytes.and_then(|bytes| isize::try_from(bytes).ok()).unwrap_or(isize::MAX));
}

/// Whether a value of `had` bytes may grow to that many: one step of SQLite doubles what it gathers. Of less, and of values that are read,
/// only the steps are looked at.
fn may_grow(had: usize, bytes: usize) -> bool {
    let grows = had >= LONG && bytes > had + had / 8;
    let (held, most) = (HELD.try_with(Cell::get).unwrap_or(0), MOST_HELD.try_with(Cell::get).unwrap_or(isize::MAX));
    !grows || held.saturating_add(isize::try_from(bytes).unwrap_or(isize::MAX)) <= most
}

/// Counts from now on. Where something else in the process has begun to use SQLite before, nothing is counted.
pub fn count() {
    // SAFETY: SQLite fills the structures of function pointers, and copies those that it is given. The calls fail and change
    // nothing once SQLite is initialized.
    unsafe {
        let mut methods: ffi::sqlite3_mem_methods = std::mem::zeroed();
        let mut pages: ffi::sqlite3_pcache_methods2 = std::mem::zeroed();
        if ffi::sqlite3_config(ffi::SQLITE_CONFIG_GETMALLOC, &raw mut methods) != ffi::SQLITE_OK
            || ffi::sqlite3_config(ffi::SQLITE_CONFIG_GETPCACHE2, &raw mut pages) != ffi::SQLITE_OK
        {
            return;
        }
        let (Some(allocate), Some(reallocate), Some(free), Some(size), Some(fetch)) =
            (methods.xMalloc, methods.xRealloc, methods.xFree, methods.xSize, pages.xFetch)
        else {
            return;
        };
        (methods.xMalloc, methods.xRealloc, methods.xFree) =
            (Some(counted_allocation as Allocate), Some(counted_reallocation as Reallocate), Some(counted_end as Free));
        pages.xFetch = Some(counted_fetch as Fetch);
        let _ = SQLITES.set(Methods { allocate, reallocate, free, size, fetch });
        ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods);
        ffi::sqlite3_config(ffi::SQLITE_CONFIG_PCACHE2, &raw const pages);
        ffi::sqlite3_config(ffi::SQLITE_CONFIG_LOOKASIDE, UNSEEN as c_int, 200 as c_int);
    }
}

fn take(bytes: usize) {
    // A thread that ends has nothing left to count.
    let _ = TAKEN.try_with(|all| all.set(all.get().saturating_add(bytes)));
}

/// Counts a request that was answered, and notes a long value to look at.
///
/// # Safety
/// SQLite's own functions have allocated as many bytes at the place, of which `had` were there before, or it is null.
unsafe fn note(place: *mut c_void, bytes: c_int, had: usize) {
    let bytes = usize::try_from(bytes).unwrap_or(0);
    if bytes <= UNSEEN || place.is_null() || IS_IN_PAGES.try_with(Cell::get).unwrap_or(true) {
        return;
    }
    take(bytes / UNIT * UNIT);
    if had < LOOKED_AT {
        // SAFETY: the place has more bytes than these, which may be looked at before SQLite writes them.
        unsafe { std::ptr::write_bytes(place.cast::<u8>().add(had), 0, LOOKED_AT - had) };
    }
    let _ = UNKNOWN.try_with(|unknown| unknown.borrow_mut().push((place, bytes)));
}

/// Notes the length of a value that begins as a number does, and goes on as one.
///
/// # Safety
/// The place was given to [`note`], and is not freed.
unsafe fn look_at(place: *mut c_void, bytes: usize) {
    // SAFETY: the place has as many bytes, which are initialized.
    let start = unsafe { std::slice::from_raw_parts(place.cast::<u8>(), LOOKED_AT) };
    let goes_on = |from: usize| {
        let mut characters = start[from..from + START].iter();
        characters.all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace() || b"+-.eE\x0b".contains(byte))
    };
    if goes_on(0) || goes_on(BEFORE) {
        LONGEST_NUMBER.set(LONGEST_NUMBER.get().max(bytes));
    }
}

/// Looks at a value that ends, if it was not looked at before.
///
/// # Safety
/// As for [`look_at`], or the place is of something else.
unsafe fn look_at_last(place: *mut c_void) {
    let _ = UNKNOWN.try_with(|unknown| {
        let mut unknown = unknown.borrow_mut();
        if let Some(at) = unknown.iter().rposition(|(known, _)| *known == place) {
            let (_, bytes) = unknown.swap_remove(at);
            // SAFETY: as the caller says.
            unsafe { look_at(place, bytes) };
        }
    });
}

/// Takes what is allocated at a place, if anything is, into account or out of it.
///
/// # Safety
/// The pointer is null, or SQLite's own functions have allocated it.
unsafe fn hold(methods: &Methods, place: *mut c_void, sign: isize) {
    if !place.is_null() {
        // SAFETY: as above.
        let bytes = unsafe { (methods.size)(place) } as isize + SMALLER;
        let _ = HELD.try_with(|held| held.set(held.get().saturating_add(sign * bytes)));
    }
}

unsafe extern "C" fn counted_allocation(bytes: c_int) -> *mut c_void {
    let Some(methods) = SQLITES.get() else { return std::ptr::null_mut() };
    // SAFETY: SQLite calls this as it would call its own function.
    unsafe {
        let place = (methods.allocate)(bytes);
        hold(methods, place, 1);
        note(place, bytes, 0);
        place
    }
}

unsafe extern "C" fn counted_reallocation(old: *mut c_void, bytes: c_int) -> *mut c_void {
    let Some(methods) = SQLITES.get() else { return std::ptr::null_mut() };
    // SAFETY: as above. What is not reallocated stays.
    unsafe {
        let had = usize::try_from((methods.size)(old)).unwrap_or(0);
        if !may_grow(had, usize::try_from(bytes).unwrap_or(0)) {
            return std::ptr::null_mut();
        }
        look_at_last(old);
        hold(methods, old, -1);
        let place = (methods.reallocate)(old, bytes);
        hold(methods, if place.is_null() { old } else { place }, 1);
        note(place, bytes, had);
        place
    }
}

unsafe extern "C" fn counted_end(old: *mut c_void) {
    let Some(methods) = SQLITES.get() else { return };
    // SAFETY: as above.
    unsafe {
        look_at_last(old);
        hold(methods, old, -1);
        (methods.free)(old);
    }
}

unsafe extern "C" fn counted_fetch(
    pages: *mut ffi::sqlite3_pcache,
    key: c_uint,
    create: c_int,
) -> *mut ffi::sqlite3_pcache_page {
    let Some(methods) = SQLITES.get() else { return std::ptr::null_mut() };
    let _ = IS_IN_PAGES.try_with(|is_in_pages| is_in_pages.set(true));
    // SAFETY: as above.
    let page = unsafe { (methods.fetch)(pages, key, create) };
    let _ = IS_IN_PAGES.try_with(|is_in_pages| is_in_pages.set(false));
    take(PAGE);
    page
}
