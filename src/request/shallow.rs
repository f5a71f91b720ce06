//! JSON text that someone else wrote, made as shallow as readers of JSON take it.
//!
//! `serde_json` refuses text that nests over 127 levels. The arguments of a tool may nest as deeply as their caller likes,
//! and the tool runs with them as they are: what is deeper only tells one call from another here.

use std::borrow::Cow;

use toolshape_json::skip_string;

use crate::base::json_string;

/// Values below this many levels become strings: fewer than `serde_json` reads, because the arguments are in a request.
const MAX_LEVELS: usize = 100;

/// The text with each array and object below 100 levels in a string that has its text.
pub(crate) fn shallow(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut out, mut copied, mut at, mut level) = (String::new(), 0, 0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'{' | b'[' if level == MAX_LEVELS => {
                let end = end_of(bytes, at);
                out.push_str(&json[copied..at]);
                out.push_str(&json_string::quoted(&json[at..end]));
                (copied, at) = (end, end);
                continue;
            }
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    match copied {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(out + &json[copied..]),
    }
}

/// The end of the array or object that begins at `at`.
fn end_of(bytes: &[u8], mut at: usize) -> usize {
    let mut level = 0usize;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'{' | b'[' => level += 1,
            b'}' | b']' => level -= 1,
            _ => {}
        }
        at += 1;
        if level == 0 {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn text_of_any_depth_can_be_read() {
        for depth in [1, 99, 100, 101, 128, 4_097, 100_000] {
            let nested = format!("{}\"[é\\\"]\"{}", "[".repeat(depth), "]".repeat(depth));
            let read: Value = serde_json::from_str(&shallow(&nested)).unwrap();
            assert_eq!(shallow(&nested) == nested, depth <= MAX_LEVELS);
            let mut inner = &read;
            (0..depth.min(MAX_LEVELS)).for_each(|_| inner = &inner[0]);
            let rest = depth.saturating_sub(MAX_LEVELS);
            let text = inner.as_str().unwrap();
            assert!(text.starts_with(&"[".repeat(rest)) && text.ends_with(&"]".repeat(rest)), "{depth}");
        }
    }

    #[test]
    fn what_is_no_json_stays_wrong() {
        for text in ["[".repeat(200), "\"".to_owned(), "]".repeat(10), "{".repeat(300) + "\""] {
            assert!(serde_json::from_str::<Value>(&shallow(&text)).is_err());
        }
    }
}
