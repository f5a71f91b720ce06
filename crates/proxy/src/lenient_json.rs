//! JSON as people write it in files of options: with comments, and with a comma before a closing bracket.

use serde_json::Value;
use toolshape::{Error, ErrorCode};

/// Reads such a text.
///
/// # Errors
/// `INVALID_JSON` with the line and the column.
pub fn read(text: &str) -> Result<Value, Error> {
    serde_json::from_str(&without_comments(text))
        .map_err(|fault| Error::new(ErrorCode::InvalidJson, fault.to_string(), ""))
}

/// The text with spaces in place of comments and of commas before a closing bracket; lines and columns stay.
fn without_comments(text: &str) -> String {
    let mut out: Vec<char> = text.strip_prefix('\u{feff}').unwrap_or(text).chars().collect();
    let (mut at, mut comma) = (0, None);
    while at < out.len() {
        let start = at;
        match (out[at], out.get(at + 1)) {
            ('/', Some('/')) => at = position(&out, at, |rest| rest[0] == '\n').unwrap_or(out.len()),
            ('/', Some('*')) => {
                at = position(&out, at + 2, |rest| rest.starts_with(&['*', '/'])).map_or(out.len(), |end| end + 2);
            }
            ('"', _) => {
                at += 1;
                while at < out.len() && out[at] != '"' {
                    at += 1 + usize::from(out[at] == '\\');
                }
                (at, comma) = (at + 1, None);
                continue;
            }
            (']' | '}', _) => {
                if let Some(comma) = comma.take() {
                    out[comma] = ' ';
                }
            }
            (',', _) => comma = Some(at),
            (other, _) if other.is_whitespace() => {}
            _ => comma = None,
        }
        match at == start {
            true => at += 1,
            false => out[start..at].iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' '),
        }
    }
    out.into_iter().collect()
}

/// The first place from one on at which the rest of the text is wanted.
fn position(text: &[char], from: usize, is_wanted: impl Fn(&[char]) -> bool) -> Option<usize> {
    (from..text.len()).find(|&at| is_wanted(&text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_last_commas_are_read_over() {
        let text =
            "\u{feff}{ // \"one\"\n\"a\": { /* two, } */ \"b\": [ \"c//d\\\"/*\", \"\\\\\", ], }, // end\n}/* open";
        assert_eq!(read(text).unwrap(), json!({ "a": { "b": ["c//d\"/*", "\\"] } }));
        assert_eq!(read("[1, /* , */ // ,\n]").unwrap(), json!([1]));
    }

    #[test]
    fn what_is_wrong_has_its_line_and_column() {
        let fault = |text: &str| read(text).unwrap_err().message().to_owned();
        assert!(fault("{ // é, and a line\n/* two\nlines */ 1 }").ends_with("line 3 column 10"));
        for text in ["", "{", "/", "// only", "[1,,]", "{\"a\" 1}", "\"open", "\"\\"] {
            assert_eq!(read(text).unwrap_err().code(), ErrorCode::InvalidJson, "{text}");
        }
    }
}
