//! The lines `---` that divide YAML documents.

use memchr::memchr;

/// Where the document after the one that begins at `start` begins: at its own line `---`, or the end. Comments before the first
/// divider belong to the document after it.
pub fn next(text: &str, start: usize) -> usize {
    let mut at = start + preface(&text[start..]);
    while let Some(found) = memchr(b'\n', &text.as_bytes()[at..]) {
        at += found + 1;
        if text.as_bytes()[at..].starts_with(b"---") && is_divider(text[at..].lines().next().unwrap_or_default()) {
            return at;
        }
    }
    text.len()
}

/// The bytes before the first divider, if they are only comments.
pub fn preface(text: &str) -> usize {
    let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    let bytes = text.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    if text[bytes..].lines().next().is_some_and(is_divider) { bytes } else { 0 }
}

/// Whether a line divides documents; a comment may follow.
pub fn is_divider(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| {
        let rest = rest.trim();
        rest.is_empty() || rest.starts_with('#')
    })
}
