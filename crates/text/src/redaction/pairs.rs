//! Values beside their names, in pairs and in lists of as many, which are hidden after all else: in texts, and in the texts of JSON.

use toolshape_json::{skip_string, skip_value};

use super::json::SECRET;
use super::names::Fields;
use super::{MOST_TEXTS, Replaced, Secrets, elements, is_json, labelled, lists, long_keys, quoted, unquoted};

/// What there is in each pair that is not JSON.
const OPENS: [u8; 3] = [b'(', b'[', b'<'];

impl Secrets {
    /// A text, or JSON, without the values of secret pairs; `None` if it has none.
    pub fn pairs(&self, text: &str, is_json: bool) -> Option<String> {
        match is_json {
            _ if self.fields.is_empty() => None,
            true => of_json(text, &self.fields, MOST_TEXTS),
            false => of_text(text, &self.fields, MOST_TEXTS),
        }
    }
}

fn of_text(text: &str, fields: &Fields, texts: usize) -> Option<String> {
    let (label, text) = labelled(text).unwrap_or(("", text));
    let mut now = None;
    if texts > 0 && is_json(text) {
        now = of_json(text, fields, texts - 1);
    } else {
        for redacted in [lists::redacted, elements::redacted, long_keys::redacted] {
            now = redacted(now.as_deref().unwrap_or(text), fields).or(now);
        }
    }
    now.map(|now| if label.is_empty() { now } else { [label, &now].concat() })
}

fn of_json(json: &str, fields: &Fields, texts: usize) -> Option<String> {
    let (bytes, mut replaced, mut at) = (json.as_bytes(), Replaced::of(json, SECRET), 0);
    while let Some(found) = memchr::memchr2(b'"', b'[', &bytes[at..]) {
        let start = at + found;
        at = start + 1;
        if bytes[start] == b'"' {
            at = skip_string(bytes, start);
            let text = &json[start..at];
            let [one, two, three] = OPENS;
            if (memchr::memchr3(one, two, three, text.as_bytes()).is_some() || text.contains("? "))
                && let Some(new) = of_text(&unquoted(text), fields, texts)
            {
                replaced.add(start..at, &quoted(&new));
            }
        } else if let Some(value) = lists::value_of_pair(json, start, fields) {
            at = skip_value(bytes, value.start);
            if json[value.start..at] != *SECRET {
                replaced.add(value.start..at, SECRET);
            }
        }
    }
    replaced.whole()
}
