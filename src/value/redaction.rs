//! Secrets are removed from what leaves, before it is shaped, stored or logged: the values of fields by their names, and texts by
//! patterns. Every door calls this.
//!
//! What a reader sees comes first ([`as_read`]). Then of the text itself JSON is read, in JSON texts too, or tables, values after their
//! names, and patterns. The work is linear in the bytes.

mod column_names;
mod json;
mod named_values;
mod names;
mod table;
mod tags;
mod text_pattern;

use std::borrow::Cow;
use std::fmt;

use crate::base::json_string::quoted;
use crate::value::as_read::{self, REDACTED};
use crate::value::json_text::JsonText;

use json::JsonRedaction;
pub(crate) use json::is_value;
use names::Fields;
use text_pattern::TextPattern;
pub(crate) use text_pattern::is_of_token;

/// How many texts of JSON may be inside each other.
const MOST_TEXTS: usize = 4;
/// How often what is left may be read in yet another way. What still changes is replaced as a whole.
const MOST_ROUNDS: usize = 8;
/// A longer text is replaced as a whole: places in it are numbers of 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// What is secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redaction {
    fields: Fields,
    texts: Vec<TextPattern>,
    /// The bytes without which a text has no secret, and those with which one of `texts` begins.
    marks: Marks,
    starts: Marks,
}

/// For each byte whether it is one of some.
#[derive(Clone, PartialEq)]
struct Marks([bool; 256]);

impl Marks {
    fn are_in(&self, text: &str) -> bool {
        text.bytes().any(|byte| self.0[usize::from(byte)])
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl FromIterator<u8> for Marks {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut marks = Self::default();
        bytes.into_iter().for_each(|byte| marks.0[usize::from(byte)] = true);
        marks
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..=u8::MAX).filter(|byte| self.0[usize::from(*byte)])).finish()
    }
}

/// What the names in a text are names of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    OfData,
    /// Of the arguments of tools, whose descriptions stay.
    OfSchemas,
}

impl Redaction {
    /// `fields` are names, or paths such as `user.email`, which match the end of a value's path; `*` is any part of a name.
    /// `texts` are patterns, in which `*` is a run of letters, digits and `_-./+=~`, and `**` is anything.
    ///
    /// # Errors
    /// The pattern that is invalid.
    ///
    /// ```
    /// use toolshape::host::Redaction;
    /// let redaction = Redaction::new(&["password"], &["sk-*"])?;
    /// assert_eq!(redaction.of_text("key sk-4f\u{1b}[1m9a\npassword: x").unwrap(), "key [redacted]\npassword: [redacted]");
    /// assert_eq!(redaction.of_json(r#"{"password":1,"b":2}"#).unwrap(), r#"{"password":"[redacted]","b":2}"#);
    /// assert_eq!(redaction.of_text("a task-list"), None);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn new<'t>(fields: &[&str], texts: &[&'t str]) -> Result<Self, &'t str> {
        let texts = texts.iter().map(|text| TextPattern::new(text).ok_or(*text)).collect::<Result<Vec<_>, _>>()?;
        let fields = Fields::new(fields);
        let of_fields = if fields.is_empty() { &b"{["[..] } else { b"{[\n\t:=>-<|;,\xe2" };
        let of_texts = || texts.iter().filter_map(TextPattern::first_byte);
        let marks = of_fields.iter().copied().chain(of_texts()).collect();
        let starts = of_texts().collect();
        Ok(Self { fields, texts, marks, starts })
    }

    /// Whether nothing is secret.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.texts.is_empty()
    }

    /// A JSON text, which was checked, without secrets; `None` if it has none.
    pub fn of_json(&self, json: &str) -> Option<String> {
        self.redacted(json, true, Names::OfData)
    }

    /// The same for JSON with the schemas of tools, in which the name of an argument is not the name of a value.
    pub fn of_schemas(&self, json: &str) -> Option<String> {
        self.redacted(json, true, Names::OfSchemas)
    }

    /// A text that need not be JSON, without secrets; `None` if it has none.
    pub fn of_text(&self, text: &str) -> Option<String> {
        self.redacted(text, false, Names::OfData)
    }

    fn redacted(&self, text: &str, is_json: bool, names: Names) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let whole = || if is_json { quoted(REDACTED) } else { REDACTED.to_owned() };
        if text.len() as u64 > MOST_BYTES {
            return Some(whole());
        }
        let mut now = Cow::Borrowed(text);
        let (mut rounds, mut own) = (0, None);
        let mut redact = |seen: &str| self.text(seen, MOST_TEXTS);
        while let Some(next) = as_read::replaced(&now, is_json, REDACTED, &mut own, &mut redact) {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return Some(whole());
            }
            (now, own) = (Cow::Owned(next), None);
        }
        let own = if is_json { self.json(&now, MOST_TEXTS, names) } else { own.unwrap_or_else(|| redact(&now)) };
        own.or(if let Cow::Owned(now) = now { Some(now) } else { None })
    }

    fn json(&self, json: &str, texts: usize, names: Names) -> Option<String> {
        JsonRedaction { of: self, texts, names }.redacted(json)
    }

    /// A text, whatever else is seen in it, after what follows its label.
    fn text(&self, text: &str, texts: usize) -> Option<String> {
        if !self.marks.are_in(text) {
            return None;
        }
        let labelled = as_read::labelled(text);
        let behind = labelled.and_then(|(label, rest)| Some([label, &self.part(rest, texts)?].concat()));
        let own = self.part(behind.as_deref().unwrap_or(text), texts);
        own.or(behind)
    }

    fn part(&self, text: &str, texts: usize) -> Option<String> {
        let is_json = |text: &str| text.trim_start().starts_with(['{', '[']) && JsonText::parse(text).is_ok();
        if texts > 0 && is_json(text) {
            // Data that a description quotes.
            return self.json(text, texts - 1, Names::OfData);
        }
        let mut now = Cow::Borrowed(text);
        let mut then = |read: &dyn Fn(&str) -> Option<String>| {
            if let Some(next) = read(&now) {
                now = Cow::Owned(next);
            }
        };
        if !self.fields.is_empty() {
            then(&|text| {
                let mut lines = Replaced::of(text);
                let mut end = 0;
                while texts > 0 && end < text.len() {
                    let start = end;
                    end = line_end(text, start);
                    let line = &text[start..end];
                    if line.len() < text.len()
                        && is_json(line)
                        && let Some(json) = self.json(line, texts - 1, Names::OfData)
                    {
                        lines.add(start..end, &json);
                    }
                }
                lines.whole()
            });
            then(&|text| table::redacted(text, &|name| self.fields.has(name)));
            then(&|text| tags::redacted(text, &self.fields));
            then(&|text| named_values::redacted(text, &self.fields));
        }
        then(&|text| self.patterns(text));
        match now {
            Cow::Owned(now) if now != text => Some(now),
            _ => None,
        }
    }

    /// A text without what the patterns match.
    fn patterns(&self, text: &str) -> Option<String> {
        if !self.starts.are_in(text) {
            return None;
        }
        let mut now = None;
        for pattern in &self.texts {
            now = pattern.redacted(now.as_deref().unwrap_or(text)).or(now);
        }
        now
    }
}

/// Where the line ends that is here, with its line break.
fn line_end(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |end| start + end + 1)
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
        assert_eq!(redaction.of_json(&once), None, "redacted twice: {once}");
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
            (&["user.email"], r#"{"a":{"my.user.email":1}}"#, r#"{"a":{"my.user.email":"[redacted]"}}"#),
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
        let rows = "n,pin\n1,[redacted]\n2,[redacted]\n3,[redacted]\n";
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
        let keys = r#"{"sk-1":1,"a":411112,"sk-2":{"sk-3":2}}"#;
        let wanted = r#"{"[redacted]":1,"a":"[redacted]","[redacted] (2)":{"[redacted]":2}}"#;
        assert_eq!(redacted(&[], &["sk-*", "41111*"], keys), wanted);
    }

    #[test]
    fn the_schema_of_a_secret_argument_stays_and_its_values_go() {
        let redaction = Redaction::new(&["password"], &["sk-*"]).unwrap();
        let json = r#"{"properties":{"password":{"type":"string","default":"x","description":"the password of a user"}},"required":["password"],"note":"sk-1"}"#;
        let wanted = json.replace(r#""x""#, r#""[redacted]""#).replace("sk-1", REDACTED);
        assert_eq!(redaction.of_schemas(json).unwrap(), wanted);
    }
}
