//! Checked JSON text as a sequence of steps, in one pass: what opens, what closes, keys and scalars.
//!
//! It builds no tree and does not recurse, and reads each byte once, however deeply the text nests.

use toolshape_json::{is_space, skip_string, skip_value};

use crate::value::source::Kind;

/// One step through a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalkStep<'a> {
    /// An array or an object begins.
    Open(Kind),
    /// The key of an object's entry, with its quotes; its value follows.
    Key(&'a str),
    /// A value that is neither an array nor an object.
    Scalar(Kind, &'a str),
    /// The innermost array or object ends.
    Close,
}

/// The steps through a JSON text.
pub(crate) struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// For each open array or object, whether it is an object.
    open: Vec<bool>,
    /// Whether the next string is a key.
    at_key: bool,
}

impl<'a> Walk<'a> {
    /// Begins at the start of `text`, which is checked.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new(), at_key: false }
    }

    /// Notes the end of a value.
    fn end_value(&mut self) {
        self.at_key = self.open.last() == Some(&true);
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = WalkStep<'a>;

    fn next(&mut self) -> Option<WalkStep<'a>> {
        let bytes = self.text.as_bytes();
        // Their positions are checked already.
        while bytes.get(self.at).is_some_and(|&byte| is_space(byte) || matches!(byte, b',' | b':')) {
            self.at += 1;
        }
        let start = self.at;
        let byte = *bytes.get(start)?;
        match byte {
            b'{' | b'[' => {
                self.at += 1;
                self.open.push(byte == b'{');
                self.at_key = byte == b'{';
                Some(WalkStep::Open(if self.at_key { Kind::Object } else { Kind::Array }))
            }
            b'}' | b']' => {
                self.at += 1;
                self.open.pop();
                self.end_value();
                Some(WalkStep::Close)
            }
            b'"' => {
                self.at = skip_string(bytes, start);
                let literal = &self.text[start..self.at];
                if std::mem::take(&mut self.at_key) {
                    return Some(WalkStep::Key(literal));
                }
                self.end_value();
                Some(WalkStep::Scalar(Kind::String, literal))
            }
            _ => {
                self.at = skip_value(bytes, start);
                self.end_value();
                let kind = match byte {
                    b't' | b'f' => Kind::Bool,
                    b'n' => Kind::Null,
                    _ => Kind::Number,
                };
                Some(WalkStep::Scalar(kind, &self.text[start..self.at]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_one_step() {
        use WalkStep::{Close, Key, Open, Scalar};
        let text = r#" { "a" : [ 1 , "b" , [ ] ] , "c" : null , "d" : { } } "#;
        let steps: Vec<WalkStep<'_>> = Walk::new(text).collect();
        let wanted = [
            Open(Kind::Object),
            Key("\"a\""),
            Open(Kind::Array),
            Scalar(Kind::Number, "1"),
            Scalar(Kind::String, "\"b\""),
            Open(Kind::Array),
            Close,
            Close,
            Key("\"c\""),
            Scalar(Kind::Null, "null"),
            Key("\"d\""),
            Open(Kind::Object),
            Close,
            Close,
        ];
        assert_eq!(steps, wanted);
    }
}
