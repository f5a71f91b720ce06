//! Secrets are removed from what leaves, before it is shaped, stored or logged. Every door calls this.
//!
//! What a reader sees comes first ([`as_read`]), then the text itself, then pairs, then what only the closest reading shows: each adds to
//! what is hidden.

use std::borrow::Cow;

use toolshape_text::redaction::divided::Unseen;
use toolshape_text::redaction::{Names, Secrets, closely};

use crate::base::json_string::quoted;
use crate::value::as_read::{self, REDACTED};
use crate::value::hidden_in_place::hidden;
use crate::value::json_text::JsonText;

/// How often what is left may be read in yet another way. What still changes is replaced as a whole.
const MOST_ROUNDS: usize = 8;
/// A longer text is replaced as a whole: places in it are numbers of 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// What is secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redaction(Secrets);

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
        Secrets::new(fields, texts).map(Self)
    }

    /// Whether nothing is secret.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        let first = self.beside(text, is_json, names);
        let now = first.as_deref().unwrap_or(text);
        self.closely(now, is_json, names).or(first)
    }

    /// What is seen in the closest reading, hidden where it is in the text, or that reading.
    fn closely(&self, text: &str, is_json: bool, names: Names) -> Option<String> {
        let Cow::Owned(seen) = closely::read(text) else { return None };
        if is_json && JsonText::parse(&seen).is_err() {
            return None;
        }
        let wanted = self.beside(&seen, is_json, names)?;
        let unseen = Unseen { is_close: true, ..Unseen::default() };
        let redact = &mut |seen: &str| self.0.of_text(seen);
        Some(hidden(text, unseen, (&seen, &wanted), REDACTED, redact).unwrap_or(wanted))
    }

    /// A text without its secrets in other readings, and without pairs.
    fn beside(&self, text: &str, is_json: bool, names: Names) -> Option<String> {
        let first = self.usual(text, is_json, names);
        self.0.pairs(first.as_deref().unwrap_or(text), is_json).or(first)
    }

    fn usual(&self, text: &str, is_json: bool, names: Names) -> Option<String> {
        let whole = || if is_json { quoted(REDACTED) } else { REDACTED.to_owned() };
        let mut now = Cow::Borrowed(text);
        let (mut rounds, mut own) = (0, None);
        let mut redact = |seen: &str| self.0.of_text(seen);
        while let Some(next) = as_read::replaced(&now, is_json, REDACTED, &mut own, &mut redact) {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return Some(whole());
            }
            now = Cow::Owned(next);
        }
        let own = if is_json { self.0.of_json(&now, names) } else { own.unwrap_or_else(|| redact(&now)) };
        own.or(if let Cow::Owned(now) = now { Some(now) } else { None })
    }
}

#[cfg(test)]
mod tests {
    use crate::value::json_text::JsonText;

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
