//! Values in a tag beside the name that they have: `<input name="pin" value="1">`, in a page, which is not read as data.

use std::ops::Range;

use super::json::is_value;
use super::named_values::hide;
use super::names::Fields;
use super::{Marks, REDACTED, Replaced};

/// What ends the name of an attribute, and a value without quotes.
const NAME_ENDS: Marks = Marks::of(b"=<> \t\n\x0c\r");
const VALUE_ENDS: Marks = Marks::of(b"<> \t\n\x0c\r");

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, fields: &Fields) -> Option<String> {
    let (mut replaced, mut at) = (Replaced::of(text, REDACTED), 0);
    while let Some(found) = memchr::memchr(b'<', &text.as_bytes()[at..]) {
        at += found + 1;
        if !text.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let mut attributes = Attributes { text, at };
        let is_name = |(name, value): (Range<usize>, Range<usize>)| fields.has(&text[value]) && !is_value(&text[name]);
        // There may be many.
        if attributes.by_ref().any(is_name) {
            for (_, value) in (Attributes { text, at }).filter(|(name, _)| is_value(&text[name.clone()])) {
                hide(&mut replaced, value);
            }
            attributes.by_ref().for_each(drop);
        }
        at = attributes.at;
    }
    replaced.whole()
}

/// The attributes of the tag that begins here: where each has its name and its value.
struct Attributes<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Attributes<'_> {
    type Item = (Range<usize>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let up_to = |from: usize, ends: &Marks| ends.find(&bytes[from..]).map_or(bytes.len(), |end| from + end);
        loop {
            let name = bytes.len() - bytes[self.at..].trim_ascii_start().len();
            self.at = up_to(name, &NAME_ENDS);
            match bytes.get(self.at) {
                Some(b'=') => {}
                Some(b'<' | b'>') | None => return None,
                _ => continue,
            }
            let at = self.at;
            let value = match bytes.get(at + 1) {
                Some(quote @ (b'"' | b'\'')) => {
                    let end = memchr::memchr(*quote, &bytes[at + 2..]).map_or(bytes.len(), |end| at + 2 + end);
                    at + 2..end
                }
                _ => at + 1..up_to(at + 1, &VALUE_ENDS),
            };
            self.at = value.end + usize::from(matches!(bytes.get(value.end), Some(b'"' | b'\'')));
            return Some((name..at, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_name_of_its_tag() {
        for (text, left) in [
            (r#"<p><input name="pin" value="12"> 12"#, r#"<p><input name="pin" value="[redacted]"> 12"#),
            (r#"<input value='1 2' id='x' name='PIN'/>"#, r#"<input value='[redacted]' id='x' name='PIN'/>"#),
            ("<param name=pin value=12><b>", "<param name=pin value=[redacted]><b>"),
            (r#"<meta name="pin" content="12">"#, r#"<meta name="pin" content="[redacted]">"#),
            (r#"<i name="pins" value="12"><i value="pin">"#, r#"<i name="pins" value="12"><i value="pin">"#),
            (r#"<i name="pin"><i value="12">"#, r#"<i name="pin"><i value="12">"#),
            (r#"a < b name="pin" value="12""#, r#"a < b name="pin" value="12""#),
            ("<i name=pin value=\"é", "<i name=pin value=\"[redacted]"),
            ("<a", "<a"),
        ] {
            let shown = redacted(text, &Fields::new(&["pin"]));
            assert_eq!(shown.as_deref().unwrap_or(text), left);
        }
    }
}
