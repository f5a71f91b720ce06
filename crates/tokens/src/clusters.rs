//! Boundaries of extended grapheme clusters (Unicode UAX 29), which a text is cut at. They are here, and not where each cut is
//! made, because a crate that asks the library itself has its code once more.

use unicode_segmentation::GraphemeCursor;

/// Whether no cluster of `text` reaches across byte `at`, a character boundary.
///
/// ```
/// use toolshape_tokens::clusters;
/// let text = "e\u{301}!";
/// assert!(!clusters::is_boundary(text, 1) && clusters::is_boundary(text, 3));
/// assert_eq!((clusters::boundary_before(text, 3), clusters::boundary_after(text, 1)), (0, 3));
/// ```
pub fn is_boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// The boundary before `at`, or the start.
pub fn boundary_before(text: &str, at: usize) -> usize {
    GraphemeCursor::new(at, text.len(), true).prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// The boundary after `at`, or the end.
pub fn boundary_after(text: &str, at: usize) -> usize {
    GraphemeCursor::new(at, text.len(), true).next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
}
