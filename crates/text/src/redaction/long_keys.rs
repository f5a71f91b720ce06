//! Values of YAML whose keys have a line of their own: `? pin`, and `: 1` in the next.

use memchr::memmem::Finder;

use super::named_values::{AROUND, Breaks, hide, value_after};
use super::names::Fields;
use super::{REDACTED, Replaced, line_end};

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, fields: &Fields) -> Option<String> {
    let (mut replaced, finder, mut at) = (Replaced::of(text, REDACTED), Finder::new("? "), 0);
    let mut breaks = Breaks { text, next: 0 };
    while let Some(found) = finder.find(&text.as_bytes()[at..]) {
        let mark = at + found;
        at = mark + 1;
        let end = line_end(text, mark);
        let separator = text.len() - text[end..].trim_start_matches(' ').len();
        if text[..mark].trim_end_matches([' ', '-']).chars().next_back().is_none_or(|last| last == '\n')
            && text[separator..].starts_with(':')
            && fields.has(AROUND.trimmed(text[mark + 1..end].trim()))
        {
            let value = value_after(separator, &text[end..separator], false, &mut breaks);
            at = value.end.max(end);
            if !value.is_empty() {
                hide(&mut replaced, value);
            }
        }
    }
    replaced.whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_key_in_the_line_before() {
        for (text, left) in [
            ("? pin\n: 12\nid: 1\n", "? pin\n: [redacted]\nid: 1\n"),
            (
                "a:\n  ? 'PIN'\n  : |\n    1\n    2\n  ? id\n  : 1",
                "a:\n  ? 'PIN'\n  : |\n    [redacted]\n  ? id\n  : 1",
            ),
            ("a ? pin\n: 12", "a ? pin\n: 12"),
            ("? pin\nb: 12", "? pin\nb: 12"),
            ("? pin", "? pin"),
        ] {
            let shown = redacted(text, &Fields::new(&["pin"]));
            assert_eq!(shown.as_deref().unwrap_or(text), left);
        }
    }
}
