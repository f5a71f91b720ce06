//! Memory of large texts goes back to the system.

/// The bytes from which the allocator maps memory: glibc's own limit at the start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 128 << 10;

/// Fixes the size from which glibc maps memory for a text and unmaps it with the text. Otherwise glibc raises the size with
/// each large text that is freed, to 32 MiB, and keeps the memory of results that left the store (mallopt(3),
/// `M_MMAP_THRESHOLD`).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "there is no safe interface to mallopt")]
pub fn return_large_texts() {
    // SAFETY: it sets a number, and no other thread has been started.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED) };
}

/// Other allocators return it.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_large_texts() {}
