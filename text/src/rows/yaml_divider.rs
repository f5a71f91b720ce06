//! The lines `---` that divide YAML documents.

use memchr::memmem;

/// Where the document after the one that begins at `start` begins: at its own line `---`, or the end.
pub fn next(text: &str, start: usize) -> usize {
    let mut at = start;
    while let Some(found) = memmem::find(&text.as_bytes()[at..], b"\n---") {
        at += found + 1;
        if is_divider(text[at..].lines().next().unwrap_or_default()) {
            return at;
        }
    }
    text.len()
}

/// Whether a line divides documents; a comment may follow.
pub fn is_divider(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| {
        let rest = rest.trim();
        rest.is_empty() || rest.starts_with('#')
    })
}
