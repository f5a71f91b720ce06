//! The lines of a text.

use memchr::memchr_iter;

/// The lines, as [`str::lines`] has them: without their line breaks, and none after the last one.
pub fn of(text: &str) -> Vec<&str> {
    let mut lines = Vec::with_capacity(memchr_iter(b'\n', text.as_bytes()).count() + 1);
    let mut from = 0;
    for at in memchr_iter(b'\n', text.as_bytes()) {
        let line = &text[from..at];
        lines.push(line.strip_suffix('\r').unwrap_or(line));
        from = at + 1;
    }
    if from < text.len() {
        lines.push(&text[from..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\n\r\nb", "a\rb\n\n", "\r", "ö\r\n\r"] {
            assert_eq!(super::of(text), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }
}
