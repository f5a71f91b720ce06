//! Values after names in a text that is not JSON: `password: x`, `token=x&…`, `"pin": 1`, `<key>x</key>`, YAML.

use std::ops::Range;

use super::{REDACTED, Replaced};

/// The most bytes of a name, and of what comes before it at the start of a line.
const NAME: usize = 128;
/// What may come before a name at the start of a line.
const WORDS: [&str; 6] = ["", "export", "set", "let", "const", "var"];

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, is_secret: impl Fn(&str) -> bool) -> Option<String> {
    let (mut replaced, mut at, mut line, mut scanned) = (Replaced::of(text), 0, 0, 0);
    while let Some(found) = text[at..].find([':', '=', '>']) {
        let separator = at + found;
        at = separator + 1;
        let (name, is_quoted) = name_before(text, separator);
        if name.start < replaced.at || name.is_empty() || !is_secret(&text[name.clone()]) {
            continue;
        }
        if let Some(end) = text[scanned..name.start].rfind('\n') {
            line = scanned + end + 1;
        }
        scanned = name.start;
        let before = &text[line..name.start];
        let value = match text.as_bytes()[separator] {
            b'>' if before.ends_with('<') => at..text[at..].find("</").map_or(text.len(), |end| at + end),
            b'>' => continue,
            _ => value_after(text, separator, before, is_quoted),
        };
        if !value.is_empty() {
            at = value.end;
            replaced.add(value, REDACTED);
        }
    }
    replaced.whole()
}

/// The name before a separator, and whether it has quotes.
fn name_before(text: &str, separator: usize) -> (Range<usize>, bool) {
    let before = text[..separator].trim_end_matches([' ', '\t']);
    let inside = before.trim_end_matches(['"', '\'', '`', '*', '\\']);
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let (end, mut start) = (inside.len(), inside.len());
    for (place, letter) in inside.char_indices().rev() {
        if !is_name(letter) || end - place > NAME {
            break;
        }
        start = place;
    }
    (start..end, before.ends_with(['"', '\'']))
}

/// The value after a separator. `before` is the line before the name.
fn value_after(text: &str, separator: usize, before: &str, is_quoted: bool) -> Range<usize> {
    let start = text.len() - text[separator + 1..].trim_start_matches([' ', '\t', '=', ':', '>', '*', '~']).len();
    let rest = &text[start..];
    let up_to = |ends: &[char]| start..rest.find(ends).map_or(text.len(), |end| start + end);
    let line = up_to(&['\n', '\r']);
    if text[line.clone()].trim().trim_start_matches('|').trim_matches(['+', '-']).is_empty() {
        return block(text, line.end, before);
    }
    match rest.as_bytes()[0] {
        quote @ (b'"' | b'\'' | b'`') => inside(text, start + 1, &[quote]),
        b'\\' if rest[1..].starts_with('"') => inside(text, start + 2, b"\\\""),
        b'{' | b'[' => start..start + bracketed(rest),
        _ if is_quoted => up_to(&[',', '}', ']', '\n', '\r']),
        _ if text.as_bytes()[separator] == b':' || begins_line(before) => line,
        _ => up_to(&[' ', '\t', '\n', '\r', '&', ';', ',', '"', '\'', ')', '}', ']', '<']),
    }
}

/// What is in quotes; all that follows if they do not end.
fn inside(text: &str, start: usize, quote: &[u8]) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(quote) {
            return start..at;
        }
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    start..text.len()
}

/// The bytes of what begins with a bracket, up to its end.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    text.len()
}

/// The lines after a name that are indented more than its own.
fn block(text: &str, line_end: usize, before: &str) -> Range<usize> {
    let own = before.len() - before.trim_start_matches([' ', '\t', '-']).len();
    let (mut at, mut value) = (line_end, line_end..line_end);
    for line in text[line_end..].split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if !content.is_empty() {
            if indent <= own {
                break;
            }
            if value.is_empty() {
                value.start = at + indent;
            }
            value.end = at + line.trim_end().len();
        }
        at += line.len();
    }
    value
}

fn begins_line(before: &str) -> bool {
    before.len() <= NAME && WORDS.contains(&before.trim_matches([' ', '\t', '-', '#', '*', '>', '"', '\'', '`']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_form_says() {
        for (text, wanted) in [
            ("key: a b, c\nd", "key: [redacted]\nd"),
            ("x key: a b", "x key: [redacted]"),
            ("url?a=1&key=abc&b=2", "url?a=1&key=[redacted]&b=2"),
            ("key = a b\nc", "key = [redacted]\nc"),
            ("export key=a b", "export key=[redacted]"),
            ("at 1 key=ab c=d", "at 1 key=[redacted] c=d"),
            ("log {\"key\":\"a,\\\"b\",\"c\":1}", "log {\"key\":\"[redacted]\",\"c\":1}"),
            ("log {\"key\":12,\"c\":1}", "log {\"key\":[redacted],\"c\":1}"),
            ("log {\"key\": {\n \"a\": 1 },\"c\":1}", "log {\"key\": [redacted],\"c\":1}"),
            ("log {\\\"key\\\":\\\"ab\\\",c", "log {\\\"key\\\":\\\"[redacted]\\\",c"),
            ("key: 'a b' # c", "key: '[redacted]' # c"),
            ("key: \"a", "key: \"[redacted]"),
            ("- key: |\n    a\n\n    b\n  c: 1", "- key: |\n    [redacted]\n  c: 1"),
            ("key:\n  a: 1\n  b: 2\nc: 3", "key:\n  [redacted]\nc: 3"),
            ("key:\nc: 3", "key:\nc: 3"),
            ("key:", "key:"),
            ("<key>a b</key><c>1</c>", "<key>[redacted]</key><c>1</c>"),
            ("a key > b", "a key > b"),
            ("**key:** a", "**key:** [redacted]"),
            ("key := a", "key := [redacted]"),
            ("monkey: a, keys=b", "monkey: a, keys=b"),
            ("é key=ü ö", "é key=[redacted] ö"),
            ("key=a\r\nkey=b\r\n", "key=[redacted]\r\nkey=[redacted]\r\n"),
        ] {
            let shown = redacted(text, |name| name == "key").unwrap_or_else(|| text.to_owned());
            assert_eq!(shown, wanted, "{text}");
            assert_eq!(redacted(&shown, |name| name == "key").unwrap_or_else(|| shown.clone()), shown, "twice");
        }
    }
}
