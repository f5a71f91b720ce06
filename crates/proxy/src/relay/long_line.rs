//! A line that is longer than a pump holds or nested too deeply, read part by part: of its messages only the ids are kept, to
//! answer them.

use toolshape::host::{JsonText, Quoted};

/// The most bytes that are kept of a member's name and of its value.
const KEPT: usize = 256;
/// The most messages of a batch that are answered.
const MESSAGES: usize = 10_000;

/// What is known of a message in the line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LineHead {
    /// The id of a request or an answer, with its spelling.
    pub id: Option<String>,
    pub has_method: bool,
}

/// The line so far.
#[derive(Default)]
pub struct LongLine {
    pub bytes: usize,
    pub heads: Vec<LineHead>,
    /// How many brackets are open, and how many where a message has its members: a batch has one more.
    depth: usize,
    of_members: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The start of the member's name that was read last, and of what comes now.
    name: Vec<u8>,
    now: Vec<u8>,
}

impl LongLine {
    /// A whole line.
    pub fn of(line: &str) -> Self {
        let mut read = Self::default();
        read.read(line.as_bytes());
        read
    }

    /// Whether one of its messages answers a request.
    pub fn is_answer(&self) -> bool {
        self.heads.iter().any(|head| head.id.is_some() && !head.has_method)
    }

    /// Reads the next part.
    pub fn read(&mut self, part: &[u8]) {
        self.bytes += part.len();
        for &byte in part {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            let is_end = byte == b'"' && !self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            self.is_in_string = !is_end;
            return self.keep(byte);
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.of_members = 1 + usize::from(byte == b'[');
                }
                // A value with brackets is not an id.
                self.keep(byte);
                self.depth += 1;
                if self.depth == self.of_members && byte == b'{' && self.heads.len() < MESSAGES {
                    self.heads.push(LineHead::default());
                }
            }
            b'}' | b']' | b',' => {
                if self.depth == self.of_members {
                    self.end_member();
                }
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            b':' if self.depth == self.of_members => self.name = std::mem::take(&mut self.now),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == self.of_members && self.now.len() < KEPT {
            self.now.push(byte);
        }
    }

    fn end_member(&mut self) {
        let (name, value) = (std::mem::take(&mut self.name), std::mem::take(&mut self.now));
        let Some(head) = self.heads.last_mut() else { return };
        let name = whole(name).and_then(|name| Some(Quoted::of(&name)?.text().into_owned()));
        let value =
            whole(value).filter(|value| value.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()));
        match name.as_deref() {
            Some("method") => head.has_method = value.is_some_and(|value| value.starts_with('"')),
            Some("id") => head.id = value,
            _ => {}
        }
    }
}

/// A JSON text; nothing for one that is cut.
fn whole(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() < KEPT)?;
    JsonText::parse(&text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(line: &str) -> Vec<(Option<String>, bool)> {
        let mut whole = LongLine::default();
        whole.read(line.as_bytes());
        let mut parts = LongLine::default();
        line.as_bytes().chunks(3).for_each(|part| parts.read(part));
        assert_eq!((&whole.heads, whole.bytes), (&parts.heads, parts.bytes));
        whole.heads.into_iter().map(|head| (head.id, head.has_method)).collect()
    }

    #[test]
    fn ids_are_found_before_and_behind_what_is_long() {
        let one = |line: &str| heads(line).pop().unwrap();
        let id = |id: &str| Some(id.to_owned());
        assert_eq!(one(r#"{"jsonrpc":"2.0","id":2,"result":{"id":9,"a":["\"id\":7",{"id":8}]}}"#), (id("2"), false));
        assert_eq!(one(r#" { "result" : {"id" :9} , "i\u0064" : "a\"}" }"#), (id(r#""a\"}""#), false));
        assert_eq!(one(r#"{"id":1,"method":"x","params":{"method":1}}"#), (id("1"), true));
        assert_eq!(one(r#"{"id":null,"method":5}"#), (None, false));
        assert_eq!(one(r#"{"id":[2],"id":{"a":1}}"#), (None, false));
        assert_eq!(one(r#"{"id":1,"id":2}"#), (id("2"), false));
        let long = "x".repeat(1000);
        assert_eq!(one(&format!(r#"{{"{long}":1,"id":"{long}"}}"#)), (None, false));
        // An end that does not come.
        assert_eq!(one(r#"{"id":5,"result":{"content":["#), (id("5"), false));
    }

    #[test]
    fn each_message_of_a_batch_has_an_id() {
        let found = heads(r#"[{"id":1,"result":[{"id":4}]},7,{"method":"x"},{"result":{},"id":"b"}]"#);
        assert_eq!(found, [(Some("1".to_owned()), false), (None, true), (Some("\"b\"".to_owned()), false)]);
        assert_eq!(heads("xxxx"), []);
    }
}
