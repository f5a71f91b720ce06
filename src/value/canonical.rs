//! JSON text whose strings are spelled in one way, so that nothing is hidden behind escapes: `\/` and `\u0073` become `/` and
//! `s`.

use std::borrow::Cow;

use crate::base::json_string::normalized;
use crate::value::json_text::JsonText;

/// A checked JSON text with its strings as [`normalized`].
pub(crate) fn canonical(json: &str) -> Cow<'_, str> {
    let (mut out, mut rest) = (String::new(), json);
    while let Some(escape) = memchr::memchr(b'\\', rest.as_bytes()) {
        // Before its first escape no quote is escaped, so the last one begins the literal.
        let start = rest[..escape].rfind('"').map_or(0, |quote| quote + 1);
        let end = start + literal_end(&rest[start..]);
        if out.is_empty() {
            out.reserve(json.len());
        }
        out.push_str(&rest[..start]);
        out.push_str(&normalized(&rest[start..end]));
        rest = &rest[end..];
    }
    if out.is_empty() { Cow::Borrowed(json) } else { Cow::Owned(out + rest) }
}

/// The place of the quote that ends a literal.
fn literal_end(literal: &str) -> usize {
    let (mut at, bytes) = (0, literal.as_bytes());
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at = (at + 2).min(bytes.len());
    }
    bytes.len()
}

/// A text with its lines that are JSON as [`canonical`].
pub(crate) fn canonical_lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| match line.trim_start().starts_with(['{', '[']) && JsonText::parse(line).is_ok() {
        true => canonical(line).into_owned(),
        false => line.to_owned(),
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    Cow::Owned(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_one_spelling() {
        for (json, wanted) in [
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (
                r#"{"\u006bey":["https:\/\/u:p@h","\"\\\u0073\n\u00e9\ud83d\ude00"]}"#,
                r#"{"key":["https://u:p@h","\"\\s\né😀"]}"#,
            ),
            (r#""\\u0041""#, r#""\\u0041""#),
            (r#"["\uD800","\u0000"]"#, r#"["\ud800","\u0000"]"#),
        ] {
            assert_eq!(canonical(json), wanted);
            assert_eq!(canonical(&canonical(json)), wanted);
        }
    }

    #[test]
    fn lines_of_json_have_one_spelling_and_other_lines_stay() {
        let text = "C:\\u0041\n{\"a\":\"s\\u006b\"}\n {\"open\\u0041\n[\"\\/\"]\r\n";
        assert_eq!(canonical_lines(text), "C:\\u0041\n{\"a\":\"sk\"}\n {\"open\\u0041\n[\"/\"]\r\n");
    }
}
