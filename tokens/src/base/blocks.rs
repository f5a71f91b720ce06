//! Loops over many items, some of them at a time.
//!
//! Engines that run WebAssembly compile a function well once it was called often; while it runs, it stays what
//! it is. So a loop that runs once is to be many calls.

/// Items of one call.
const BLOCK: usize = 1 << 11;

/// Calls `work` with all of `items`, block by block. It is `dyn`, lest it be made part of this loop again.
#[inline(never)]
pub(crate) fn in_blocks<T>(items: &[T], work: &mut dyn FnMut(&[T])) {
    items.chunks(BLOCK).for_each(work);
}
