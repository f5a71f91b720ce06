//! Values in the second of two elements that are a pair, whose first has only the name: `<key>pin</key><i>1</i>`.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::prose::html;

use super::named_values::hide;
use super::names::{Fields, NAME};
use super::{REDACTED, Replaced};

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, fields: &Fields) -> Option<String> {
    let (mut replaced, finder, mut at) = (Replaced::of(text, REDACTED), Finder::new("</"), 0);
    while let Some(found) = finder.find(&text.as_bytes()[at..]) {
        let end = at + found;
        let content = memchr::memrchr(b'>', &text.as_bytes()[at..end]).map(|start| at + start + 1);
        let begin = at;
        at = end + 2;
        if let Some(content) = content
            && fields.has(text[content..end].trim())
            && let Some(tag) = memchr::memrchr(b'<', &text.as_bytes()[begin..content])
            && let Some(value) = value_of_pair(text, element(&text[begin + tag + 1..]), at)
        {
            at = value.end;
            hide(&mut replaced, value);
        }
    }
    replaced.whole()
}

/// The text of the element that follows the end of another one, where they are a pair: behind them is a pair of the same, or the end of what
/// they are in.
fn value_of_pair(text: &str, name: &str, end: usize) -> Option<Range<usize>> {
    let next = text[end..].strip_prefix(name)?.strip_prefix('>')?.trim_start().strip_prefix('<')?;
    let own = element(next);
    let start = text.len() - next.len() + next.find(['<', '>'])? + 1;
    let value = start..start + memchr::memchr(b'<', &text.as_bytes()[start..])?;
    let behind = text[value.end..].strip_prefix("</")?.strip_prefix(own)?.strip_prefix('>')?.trim_start();
    let is_last = behind.is_empty() || behind.starts_with("</");
    let is_pair = is_last || behind.strip_prefix('<').is_some_and(|behind| element(behind) == name);
    (is_pair && own != name && (own == "dd" || !html::divides_words(own))).then_some(value)
}

/// The name at the start of a tag.
fn element(tag: &str) -> &str {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
    &tag[..tag.bytes().take(NAME).take_while(is_of_name).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_in_the_element_behind_its_name() {
        for (text, left) in [
            ("<d><key>pin</key>\n\t<s>12</s>\n</d>", "<d><key>pin</key>\n\t<s>[redacted]</s>\n</d>"),
            ("<k>pin</k><s a='b'>12</s><k>id</k><s>1</s>", "<k>pin</k><s a='b'>[redacted]</s><k>id</k><s>1</s>"),
            ("<dt>Pin</dt><dd>12</dd>", "<dt>Pin</dt><dd>[redacted]</dd>"),
            ("<r><n>pin</n><t>a</t><m>1</m></r>", "<r><n>pin</n><t>a</t><m>1</m></r>"),
            ("<l><i>pin</i><i>id</i></l>", "<l><i>pin</i><i>id</i></l>"),
            ("<k>pin</k><true/><k>a</k>", "<k>pin</k><true/><k>a</k>"),
            ("<k>pin</k><s>12", "<k>pin</k><s>12"),
            ("<h2>Pin</h2><p>12</p><h2>b</h2>", "<h2>Pin</h2><p>12</p><h2>b</h2>"),
            ("pin</k><s>12</s> >pin</", "pin</k><s>12</s> >pin</"),
        ] {
            let shown = redacted(text, &Fields::new(&["pin"]));
            assert_eq!(shown.as_deref().unwrap_or(text), left);
        }
    }
}
