//! Memory of large texts, which is used again for the next ones, or goes back to the system.

/// The bytes from which the allocator maps memory for a text, and unmaps it with the text: above most results, because the system
/// clears each page that it maps.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 1 << 20;
/// The bytes at the end of a heap that stay for the next texts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: i32 = 8 << 20;

/// Fixes what glibc otherwise raises with each large text that is freed, up to 32 and 64 MiB: it would keep the memory of results
/// that left the store (mallopt(3)). `heaps`: one for each thread that works; each has gaps of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "there is no safe interface to mallopt")]
pub fn limit_kept_memory(heaps: usize) {
    let heaps = i32::try_from(heaps).unwrap_or(i32::MAX);
    for (option, value) in
        [(libc::M_MMAP_THRESHOLD, MAPPED), (libc::M_TRIM_THRESHOLD, KEPT), (libc::M_ARENA_MAX, heaps)]
    {
        // SAFETY: it sets a number of the allocator, under the lock of the allocator.
        unsafe { libc::mallopt(option, value) };
    }
}

/// Other allocators return it.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit_kept_memory(_: usize) {}
