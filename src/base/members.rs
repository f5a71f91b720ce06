//! The one writer of JSON objects, and of arrays with an open list in them: it puts commas between members, and no string elsewhere carries one.

use std::fmt::Write;

use crate::base::json_string;

/// A JSON object that is being written, member by member.
///
/// Names belong to toolshape and need no escaping; keys from a tool's result are JSON strings with their quotes.
#[derive(Clone, Debug)]
pub struct Members {
    /// The object up to what closes it.
    text: String,
    closing: char,
    /// Precedes each name.
    prefix: &'static str,
    /// The byte at which the items of the open list, or the entries of the open object, are inserted.
    open_list: Option<usize>,
}

impl Default for Members {
    fn default() -> Self {
        Self::new()
    }
}

impl Members {
    pub fn new() -> Self {
        Self::prefixed("")
    }

    /// An object whose names all begin with `prefix`.
    pub fn prefixed(prefix: &'static str) -> Self {
        Self { text: "{".to_owned(), closing: '}', prefix, open_list: None }
    }

    /// An array: its members have the empty key, and its entries are written as values.
    pub fn array() -> Self {
        Self { text: "[".to_owned(), closing: ']', ..Self::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.text.len() == 1
    }

    fn name(&mut self, name: &str) {
        self.comma();
        self.text.push('"');
        self.text.push_str(self.prefix);
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    fn comma(&mut self) {
        if !self.is_empty() {
            self.text.push(',');
        }
    }

    /// A value that is JSON text.
    pub fn json(&mut self, name: &str, json: &str) {
        self.name(name);
        self.text.push_str(json);
    }

    pub fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        self.text.push('"');
        json_string::escape_into(text, &mut self.text);
        self.text.push('"');
    }

    /// A text that is escaped already: a JSON string literal.
    pub fn escaped(&mut self, name: &str, inside: &str) {
        self.name(name);
        self.text.push('"');
        self.text.push_str(inside);
        self.text.push('"');
    }

    /// A text, or null.
    pub fn text_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.json(name, "null"),
        }
    }

    pub fn number(&mut self, name: &str, number: usize) {
        self.name(name);
        write!(self.text, "{number}").expect("writing to a String cannot fail");
    }

    pub fn flag(&mut self, name: &str, flag: bool) {
        self.json(name, if flag { "true" } else { "false" });
    }

    /// A list of values that are JSON text.
    pub fn list(&mut self, name: &str, items: &[impl AsRef<str>]) {
        self.name(name);
        self.text.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.text.push_str(item.as_ref());
        }
        self.text.push(']');
    }

    /// A list of texts.
    pub fn texts(&mut self, name: &str, texts: &[impl AsRef<str>]) {
        let quoted: Vec<String> = texts.iter().map(|text| json_string::quoted(text.as_ref())).collect();
        self.list(name, &quoted);
    }

    /// A list, or an object, whose items are written later: see [`into_parts`](Self::into_parts).
    pub fn open(&mut self, name: &str, is_map: bool) {
        self.name(name);
        self.push_open(is_map);
    }

    /// The same under a key, which is a JSON string literal.
    pub fn open_under(&mut self, key: &str, is_map: bool) {
        self.key(key);
        self.push_open(is_map);
    }

    fn push_open(&mut self, is_map: bool) {
        let (opening, closing) = if is_map { ('{', '}') } else { ('[', ']') };
        self.text.push(opening);
        self.open_list = Some(self.text.len());
        self.text.push(closing);
    }

    pub fn object(&mut self, name: &str, members: &Members) {
        self.name(name);
        self.push_object(members);
    }

    /// The same under a key, which is a JSON string literal.
    pub fn object_under(&mut self, key: &str, members: &Members) {
        self.key(key);
        self.push_object(members);
    }

    fn push_object(&mut self, members: &Members) {
        let start = self.text.len();
        self.text.push_str(&members.text);
        self.text.push(members.closing);
        self.open_list = members.open_list.map(|at| start + at).or(self.open_list);
    }

    fn key(&mut self, key: &str) {
        self.comma();
        if !key.is_empty() {
            self.text.push_str(key);
            self.text.push(':');
        }
    }

    /// A value that is JSON text, under a key, which is a JSON string literal.
    pub fn json_under(&mut self, key: &str, json: &str) {
        self.key(key);
        self.text.push_str(json);
    }

    /// A member that is written already, as `"key":value`.
    pub fn entry(&mut self, entry: &str) {
        self.comma();
        self.text.push_str(entry);
    }

    /// Members that are written already, each as `"key":value`.
    pub fn entries(&mut self, entries: &[String]) {
        entries.iter().for_each(|entry| self.entry(entry));
    }

    /// All members of another object, unchanged.
    pub fn extend(&mut self, members: &Members) {
        if members.is_empty() {
            return;
        }
        self.comma();
        // The other's text begins with a brace.
        let start = self.text.len() - 1;
        self.text.push_str(&members.text[1..]);
        self.open_list = members.open_list.map(|at| start + at).or(self.open_list);
    }

    /// The object as JSON text.
    pub fn into_object(mut self) -> String {
        self.text.push(self.closing);
        self.text
    }

    /// The object before the items of its open list, and after them.
    pub fn into_parts(self) -> (String, String) {
        let at = self.open_list.unwrap_or(self.text.len());
        let mut before = self.into_object();
        let after = before.split_off(at);
        (before, after)
    }
}
