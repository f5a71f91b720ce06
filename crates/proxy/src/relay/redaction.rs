//! Secrets are removed from what a server sends, before it is shaped, stored or logged: the values of fields by their names,
//! and texts by patterns.
//!
//! The work is linear in the bytes of a message. JSON is read in JSON texts too, such as the text of a result.

mod named_values;
mod text_pattern;

use std::borrow::Cow;

use toolshape::host::{JsonText, Quoted, as_read, quoted};
use toolshape_json::{skip_space, skip_string, skip_value};

use text_pattern::TextPattern;

/// What replaces a secret.
const REDACTED: &str = "[redacted]";
/// How many texts of JSON may be inside each other.
const MOST_TEXTS: usize = 4;

/// What is secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redaction {
    /// The last names of paths, each normalized.
    fields: Vec<Vec<String>>,
    texts: Vec<TextPattern>,
}

impl Redaction {
    /// `fields` are names, or paths such as `user.email`, which match the end of a value's path; `*` is any part of a name.
    /// `texts` are patterns, in which `*` is a run of letters, digits and `_-./+=~`, and `**` is anything.
    ///
    /// # Errors
    /// The pattern that is invalid.
    pub fn new<'t>(fields: &[&str], texts: &[&'t str]) -> Result<Self, &'t str> {
        let path = |field: &&str| field.split('.').map(normalized).collect();
        let texts = texts.iter().map(|text| TextPattern::new(text).ok_or(*text)).collect::<Result<_, _>>()?;
        Ok(Self { fields: fields.iter().map(path).collect(), texts })
    }

    /// Whether nothing is secret.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.texts.is_empty()
    }

    /// A JSON text, which was checked, without secrets; `None` if it has none.
    pub fn of_json(&self, json: &str) -> Option<String> {
        self.as_read(json, true, self.json(json, MOST_TEXTS))
    }

    /// A text that is not JSON, without secrets; `None` if it has none.
    pub fn of_text(&self, text: &str) -> Option<String> {
        self.as_read(text, false, self.text(text, MOST_TEXTS))
    }

    /// The same for what readers see of a text, of which `redacted` was already redacted. What replaces a text may be read in other
    /// ways than the text.
    fn as_read(&self, text: &str, is_json: bool, mut redacted: Option<String>) -> Option<String> {
        let own = |reading: &str| self.text(reading, MOST_TEXTS);
        for _ in 0..MOST_TEXTS {
            match as_read::replaced(redacted.as_deref().unwrap_or(text), is_json, &mut { own }) {
                Some(next) => redacted = Some(next),
                None => break,
            }
        }
        redacted
    }

    fn json(&self, json: &str, texts: usize) -> Option<String> {
        let bytes = json.as_bytes();
        let (mut replaced, mut at) = (Replaced::of(json), 0);
        // For each open array or object, whether it is an object; for each object, the name of the member that is read.
        let (mut open, mut names) = (Vec::new(), Vec::<String>::new());
        let mut is_key = false;
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    is_key = *byte == b'{';
                    open.push(is_key);
                    if is_key {
                        names.push(String::new());
                    }
                }
                b'}' | b']' => {
                    if open.pop() == Some(true) {
                        names.pop();
                    }
                    is_key = false;
                }
                b',' => is_key = open.last() == Some(&true),
                b'"' => {
                    at = skip_string(bytes, start);
                    let literal = &json[start..at];
                    if std::mem::take(&mut is_key) {
                        if let Some(name) = names.last_mut() {
                            *name = normalized(&Quoted::new(literal).text());
                        }
                        if self.is_secret(&names) {
                            let value = skip_space(bytes, skip_space(bytes, at) + 1);
                            at = skip_value(bytes, value);
                            replaced.add(value..at, &quoted(REDACTED));
                        }
                    } else if let Some(text) = self.text(&Quoted::new(literal).text(), texts) {
                        replaced.add(start..at, &quoted(&text));
                    }
                }
                _ => {}
            }
        }
        replaced.whole()
    }

    fn text(&self, text: &str, texts: usize) -> Option<String> {
        let is_json = |text: &str| text.trim_start().starts_with(['{', '[']) && JsonText::parse(text).is_ok();
        if texts > 0 && is_json(text) {
            return self.json(text, texts - 1);
        }
        let mut lines = Replaced::of(text);
        if texts > 0 && !self.fields.is_empty() && text.contains('\n') {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                if is_json(line)
                    && let Some(json) = self.json(line, texts - 1)
                {
                    lines.add(at..at + line.len(), &json);
                }
                at += line.len();
            }
        }
        let mut now = lines.whole().map_or(Cow::Borrowed(text), Cow::Owned);
        if !self.fields.is_empty()
            && let Some(text) = named_values::redacted(&now, |name| self.is_secret(&path(name)))
        {
            now = Cow::Owned(text);
        }
        for pattern in &self.texts {
            if let Some(text) = pattern.redacted(&now) {
                now = Cow::Owned(text);
            }
        }
        match now {
            Cow::Owned(now) if now != text => Some(now),
            _ => None,
        }
    }

    fn is_secret(&self, names: &[String]) -> bool {
        self.fields.iter().any(|field| {
            let ends = names.iter().rev().zip(field.iter().rev());
            field.len() <= names.len() && ends.into_iter().all(|(name, pattern)| is_named(name, pattern))
        })
    }
}

/// A name that is the same however words are joined: `apiKey`, `api_key`, `API-Key`.
fn normalized(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

fn path(name: &str) -> Vec<String> {
    name.split('.').map(normalized).collect()
}

/// Whether a pattern, in which `*` is any text, is for a name.
fn is_named(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(place) = name.find(part) else { return false };
        name = &name[place + part.len()..];
    }
    true
}

/// A text with some of its parts replaced, in their order.
struct Replaced<'t> {
    text: &'t str,
    out: String,
    at: usize,
}

impl<'t> Replaced<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, out: String::new(), at: 0 }
    }

    fn add(&mut self, part: std::ops::Range<usize>, with: &str) {
        self.out.push_str(&self.text[self.at..part.start]);
        self.out.push_str(with);
        self.at = part.end;
    }

    /// The text; `None` if nothing is replaced.
    fn whole(mut self) -> Option<String> {
        if self.at == 0 {
            return None;
        }
        self.out.push_str(&self.text[self.at..]);
        Some(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(fields: &[&str], texts: &[&str], json: &str) -> String {
        let redaction = Redaction::new(fields, texts).unwrap();
        let once = redaction.of_json(json).unwrap_or_else(|| json.to_owned());
        assert_eq!(redaction.of_json(&once).unwrap_or_else(|| once.clone()), once, "redacted twice");
        assert!(JsonText::parse(&once).is_ok(), "{once}");
        once
    }

    #[test]
    fn a_field_is_secret_by_its_name_or_the_end_of_its_path() {
        for (fields, json, wanted) in [
            (&["password"][..], r#"{"a":{"Password" : "x","b":1}}"#, r#"{"a":{"Password" : "[redacted]","b":1}}"#),
            (
                &["apiKey"],
                r#"[{"api_key":1.50},{"API-KEY":{"a":[1]}}]"#,
                r#"[{"api_key":"[redacted]"},{"API-KEY":"[redacted]"}]"#,
            ),
            (&["user.email"], r#"{"email":1,"user":[{"email":2}]}"#, r#"{"email":1,"user":[{"email":"[redacted]"}]}"#),
            (&["*token*"], r#"{"nextTokenId":1,"take":2}"#, r#"{"nextTokenId":"[redacted]","take":2}"#),
            (&["pass\u{77}ord"], r#"{"pass\u0077ord":null}"#, r#"{"pass\u0077ord":"[redacted]"}"#),
            (&["key"], r#"{"keys":["key"],"value":"key"}"#, r#"{"keys":["key"],"value":"key"}"#),
            (&["a"], r#"{"b":{"a":1},"c":{"a":2}}"#, r#"{"b":{"a":"[redacted]"},"c":{"a":"[redacted]"}}"#),
        ] {
            assert_eq!(redacted(fields, &[], json), wanted);
        }
    }

    #[test]
    fn json_in_texts_is_read_too() {
        let inner = r#"{"rows":[{"pin":12,"n":1}]}"#;
        let json = format!(r#"{{"text":{}}}"#, quoted(inner));
        assert_eq!(redacted(&["rows.pin"], &[], &json), json.replace("12", r#"\"[redacted]\""#));
        let lines = format!(r#"{{"text":{}}}"#, quoted(&format!("{inner}\n{inner}\n")));
        assert_eq!(redacted(&["rows.pin"], &[], &lines), lines.replace("12", r#"\"[redacted]\""#));
        let twice = quoted(&quoted(inner));
        assert!(!redacted(&["pin"], &[], &format!("[{twice}]")).contains("12"));
    }

    #[test]
    fn what_a_reader_sees_has_no_secret() {
        for text in [
            "<html><body><p>key: s&#107;-12",
            "<p>a<b>&nbsp;sk-</b>12</p>",
            "WARN \x1b[31msk-\x1b[0m12 \x1b[1mx",
            "# Key [sk-](https://a.b)12",
            "{\"rows\":[{\"html\":\"<i>s</i>k-12\"}]}",
            "n,key\n1,\"s\"\"k-12\"\n2,b\n3,c\n",
        ] {
            let shown = redacted(&["pin"], &["sk-*", "s\"k-*"], &format!("[{{\"text\":{}}}]", quoted(text)));
            assert!(shown.contains(REDACTED) && !shown.contains("12"), "{text} becomes {shown}");
        }
        let table = quoted("n,pin\n1,12\n2,13\n3,14\n");
        let rows = r#"[{"n":1,"pin":"[redacted]"},{"n":2,"pin":"[redacted]"},{"n":3,"pin":"[redacted]"}]"#;
        assert_eq!(redacted(&["pin"], &[], &table), quoted(rows));
        // What has no secret in it stays, whatever it is written in.
        let json = r#"["<b>sk-</b> a task","n,key\n1,\"a\"\"b\"\n2,b\n3,c\n"]"#;
        assert_eq!(redacted(&[], &["sk-*"], json), json);
    }

    #[test]
    fn patterns_are_for_texts_of_json() {
        let json = r#"{"a":"key sk-12_a, task-list","b":["sk-"]}"#;
        assert_eq!(redacted(&[], &["sk-*"], json), r#"{"a":"key [redacted], task-list","b":["sk-"]}"#);
        let escaped = r#"{"a":"s\u006b-1234"}"#;
        assert_eq!(redacted(&[], &["sk-*"], escaped), r#"{"a":"[redacted]"}"#);
    }
}
