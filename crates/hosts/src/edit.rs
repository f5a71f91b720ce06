//! Replacements of ranges of a text.

use std::ops::Range;

/// The text with replacements, which do not overlap.
pub fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, with) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&with);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Words that are put before another in a list: in brackets, or each in a line of its own, with what is before that one.
pub fn inserted(text: &str, at: usize, is_in_lines: bool, words: &[String]) -> String {
    if !is_in_lines {
        return words.iter().map(|word| format!("{word}, ")).collect();
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lead = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    words.iter().map(|word| format!("{word}{end}{lead}")).collect()
}

/// A word as a string that JSON (RFC 8259), TOML 1.0 and YAML 1.2 read.
pub fn quoted(word: &str) -> String {
    serde_json::Value::from(word).to_string().replace('\u{7f}', "\\u007f")
}
