//! Loops over many items in blocks.
//!
//! WebAssembly engines optimize a function after many calls, but not while it runs. So one long loop is split into many
//! calls.

/// Items per call.
const BLOCK: usize = 1 << 11;

/// Calls `work` with all of `items`, block by block. It is `dyn`, so that it is not inlined into this loop.
#[inline(never)]
pub(crate) fn in_blocks<T>(items: &[T], work: &mut dyn FnMut(&[T])) {
    items.chunks(BLOCK).for_each(work);
}
