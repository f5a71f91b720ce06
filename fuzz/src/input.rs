//! An input: the members of a vector's case on the first line, as a JSON object, then the text that is shaped.
//!
//! ```text
//! {"policy":{"maxTokens":300},"call":{"page":2}}
//! [{"id":1},{"id":2}]
//! ```
//!
//! `"text": true` says that the text is plain text, not JSON.

use serde_json::{Map, Value};

pub struct Input {
    pub head: Map<String, Value>,
    pub body: String,
}

impl Input {
    /// Reads an input; `None` if its first line is not an object. Invalid UTF-8 becomes U+FFFD.
    pub fn read(data: &[u8]) -> Option<Self> {
        let end = data.iter().position(|&byte| byte == b'\n')?;
        let Value::Object(head) = serde_json::from_slice(&data[..end]).ok()? else { return None };
        Some(Self { head, body: String::from_utf8_lossy(&data[end + 1..]).into_owned() })
    }

    pub fn write(&self) -> Vec<u8> {
        format!("{}\n{}", Value::Object(self.head.clone()), self.body).into_bytes()
    }

    /// A member of the head; an empty object if it is absent.
    pub fn object(&self, name: &str) -> Value {
        self.head.get(name).filter(|value| value.is_object()).cloned().unwrap_or_else(|| Map::new().into())
    }

    /// A member of the head as an object to change.
    pub fn object_mut(&mut self, name: &str) -> &mut Map<String, Value> {
        let member = self.head.entry(name).or_insert_with(|| Map::new().into());
        if !member.is_object() {
            *member = Map::new().into();
        }
        member.as_object_mut().expect("an object")
    }

    pub fn is_text(&self) -> bool {
        self.head.get("text") == Some(&Value::Bool(true))
    }

    /// The names of members in the body, as they are spelled there: what `fields` and pointers can name.
    pub fn names(&self) -> Vec<&str> {
        let ends = self.body.match_indices("\":").take(64);
        let name = |(end, _): (usize, &str)| self.body[..end].rfind('"').map(|start| &self.body[start + 1..end]);
        ends.filter_map(name).filter(|name| name.len() < 40).collect()
    }
}
