//! Which fields are wanted: dotted paths (`author.name`) and JSON Pointers (`/author/name`).

use crate::base::json_pointer;
use crate::base::json_string::Quoted;

/// The most steps of a field in a question, and those that are looked for to say how much of a field exists: rows are not
/// nested as deeply.
pub(crate) const MAX_STEPS: usize = 32;

/// One wanted field, as a path from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath {
    /// As it was written, for messages.
    written: String,
    segments: Vec<String>,
    is_pointer: bool,
}

impl FieldPath {
    /// Reads a path: a JSON Pointer if it begins with `/`, else names joined by dots.
    pub fn parse(written: &str) -> Self {
        let (segments, is_pointer) = match json_pointer::tokens(written) {
            Some(tokens) => (tokens, true),
            None => (written.split('.').take(json_pointer::MAX_TOKENS).map(str::to_owned).collect(), false),
        };
        Self { written: written.to_owned(), segments, is_pointer }
    }

    /// The path to a key, given as a JSON string literal: its name, or a JSON Pointer if the name looks like a path.
    pub(crate) fn of_key(key: &str) -> Self {
        let name = Quoted::new(key).text();
        if is_plain(&name) { Self::parse(&name) } else { Self::parse(&format!("/{}", json_pointer::escape(&name))) }
    }

    /// The path along keys, written as names joined by dots, or as a JSON Pointer if a name looks like a path or like the
    /// value itself.
    pub(crate) fn of_keys(keys: &[String]) -> Self {
        match keys.iter().all(|key| is_plain(key) && key != "@") {
            true => Self::parse(&keys.join(".")),
            false => Self::parse(&keys.iter().map(|key| format!("/{}", json_pointer::escape(key))).collect::<String>()),
        }
    }

    /// The path of some steps, each a key or an index.
    pub(crate) fn of_steps(steps: &[String]) -> Self {
        Self { written: String::new(), segments: steps.to_vec(), is_pointer: true }
    }

    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    pub(crate) fn segments(&self) -> &[String] {
        &self.segments
    }

    pub(crate) fn is_pointer(&self) -> bool {
        self.is_pointer
    }
}

/// Whether a name is a path to the key that it is.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('/') && !name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_it_is_unless_it_would_be_read_as_a_path() {
        for (key, written) in
            [("Home/Away", "Home/Away"), ("metres / ft", "metres / ft"), ("No.", "/No."), ("/", "/~1"), ("", "/")]
        {
            let path = FieldPath::of_key(&format!("\"{key}\""));
            assert_eq!((path.written(), path.segments()), (written, &[key.to_owned()][..]));
            assert_eq!(FieldPath::of_keys(&[key.to_owned()]).written(), written);
        }
    }
}
