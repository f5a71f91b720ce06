//! The entities that an XML text declares for itself, put in place of their references.
//!
//! Only the text itself is read: an entity of another file, and one of the declarations themselves, stays a reference. All
//! that is put in takes at most a few times the bytes of the text, so that entities of entities cost no more than a longer text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use quick_xml::escape::{resolve_predefined_entity, unescape};

/// What is put in has at most n times the bytes of the text.
const TIMES: usize = 8;
/// How many entities may be inside each other.
const MOST_INSIDE: usize = 16;

/// A text with the values of the entities that it declares.
pub(super) struct Expanded {
    pub text: String,
    /// The ends of what was put in: here, and in the text as it was.
    ends: Vec<(usize, usize)>,
}

impl Expanded {
    /// `None` for a text that declares no entities.
    pub fn of(text: &str) -> Option<Self> {
        let declarations = internal_subset(text)?;
        let mut entities = Entities { declared: declared(&text[declarations.clone()]), ..Entities::default() };
        if entities.declared.is_empty() {
            return None;
        }
        entities.left = text.len() * TIMES;
        let (mut out, mut at) = (Self { text: String::with_capacity(text.len()), ends: Vec::new() }, declarations.end);
        let mut copied = 0;
        let mut quote = None;
        let mut is_tag = false;
        while let Some(next) = text[at..].find(['&', '<', '>', '"', '\'']) {
            at += next;
            let rest = &text[at..];
            at += match (rest.as_bytes()[0], quote) {
                (b'&', _) if !is_tag || quote.is_some() => match reference(rest) {
                    Some(name) => {
                        let len = name.len() + "&;".len();
                        if let Some(value) = entities.value(name, MOST_INSIDE) {
                            out.text += &text[copied..at];
                            out.text += &if is_tag { in_attribute(value) } else { Cow::Borrowed(value) };
                            copied = at + len;
                            out.ends.push((out.text.len(), copied));
                        }
                        len
                    }
                    None => 1,
                },
                (b'<', None) => match as_it_is(rest) {
                    Some(len) => len,
                    None => {
                        is_tag = true;
                        1
                    }
                },
                (b'>', None) => {
                    is_tag = false;
                    1
                }
                (mark @ (b'"' | b'\''), None) if is_tag => {
                    quote = Some(mark);
                    1
                }
                (mark, Some(open)) if mark == open => {
                    quote = None;
                    1
                }
                _ => 1,
            };
        }
        out.text += &text[copied..];
        Some(out)
    }

    /// Where in the text as it was a place of this one is.
    pub fn before(&self, at: usize) -> usize {
        let known = self.ends.partition_point(|&(end, _)| end <= at);
        known.checked_sub(1).map_or(at, |known| self.ends[known].1 + (at - self.ends[known].0))
    }
}

/// The values of declared entities, of which those that were asked for are expanded.
#[derive(Default)]
struct Entities<'t> {
    declared: HashMap<&'t str, &'t str>,
    /// `None` for one that is too long.
    expanded: HashMap<&'t str, Option<String>>,
    left: usize,
}

impl Entities<'_> {
    /// The value with the entities in it, `None` if there is none or no room for it.
    fn value(&mut self, name: &str, levels: usize) -> Option<&str> {
        let (&name, &raw) = self.declared.get_key_value(name)?;
        if !self.expanded.contains_key(name) {
            // One that leads to itself has no value.
            self.expanded.insert(name, None);
            let value = self.expand(raw, levels);
            self.expanded.insert(name, value);
        }
        let value = self.expanded[name].as_deref()?;
        self.left = self.left.checked_sub(value.len())?;
        Some(value)
    }

    fn expand(&mut self, raw: &str, levels: usize) -> Option<String> {
        let (mut out, mut at) = (String::new(), 0);
        while let Some(next) = raw[at..].find('&') {
            out += &raw[at..at + next];
            at += next;
            let Some(name) = reference(&raw[at..]) else {
                out.push('&');
                at += 1;
                continue;
            };
            let written = &raw[at..at + name.len() + "&;".len()];
            at += written.len();
            match character(name) {
                Some(character) => out.push(character),
                None if self.declared.contains_key(name) => out += self.value(name, levels.checked_sub(1)?)?,
                None => out += written,
            }
        }
        out += &raw[at..];
        (out.len() <= self.left).then_some(out)
    }
}

/// A value in which references to nothing stay as they are.
pub(super) fn unescaped(raw: &str) -> Option<String> {
    let mut known = String::with_capacity(raw.len());
    for (at, part) in raw.split('&').enumerate() {
        if at > 0 {
            let name = part.split_once(';').map_or("", |(name, _)| name);
            let is_known = character(name).is_some() || resolve_predefined_entity(name).is_some();
            known += if is_known { "&" } else { "&amp;" };
        }
        known += part;
    }
    unescape(&known).ok().map(Cow::into_owned)
}

/// The name of a reference that a text begins with, as `&name;`.
fn reference(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('&')?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '#' | '_' | ':' | '-' | '.')))?;
    (end > 0 && rest[end..].starts_with(';')).then(|| &rest[..end])
}

/// The character of a reference by its number.
fn character(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

/// The length of a comment, of characters as they are, or of an instruction, with which a text begins.
fn as_it_is(text: &str) -> Option<usize> {
    let ends = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (_, end) = ends.iter().find(|(start, _)| text.starts_with(start))?;
    Some(text.find(end).map_or(text.len(), |at| at + end.len()))
}

/// A value in which nothing ends an attribute.
fn in_attribute(value: &str) -> Cow<'_, str> {
    match value.contains(['<', '"', '\'']) {
        true => value.replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&apos;").into(),
        false => value.into(),
    }
}

/// The declarations in a text's `<!DOCTYPE name […]>`.
fn internal_subset(text: &str) -> Option<Range<usize>> {
    const DOCTYPE: &str = "<!DOCTYPE";
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        match as_it_is(&text[at..]) {
            Some(len) => at += len,
            None => break,
        }
    }
    let head = text[at..].strip_prefix(DOCTYPE)?;
    let start = head.find(['[', '>']).filter(|&at| head[at..].starts_with('['))? + 1;
    let (mut end, mut quote) = (start, None);
    loop {
        let next = head[end..].find(['"', '\'', '<', ']'])?;
        end += next;
        let mark = head.as_bytes()[end];
        match (mark, quote) {
            (b'<', None) => end += as_it_is(&head[end..]).unwrap_or(1),
            (b']', None) => break,
            (b'"' | b'\'', None) => {
                quote = Some(mark);
                end += 1;
            }
            _ => {
                quote = quote.filter(|&open| open != mark);
                end += 1;
            }
        }
    }
    let base = at + DOCTYPE.len();
    Some(base + start..base + end)
}

/// The values that declarations give, by name; the first one of a name holds, and those that XML itself has stay.
fn declared(declarations: &str) -> HashMap<&str, &str> {
    const ENTITY: &str = "<!ENTITY";
    let (mut out, mut at) = (HashMap::new(), 0);
    while let Some(next) = declarations[at..].find('<') {
        at += next;
        let rest = &declarations[at..];
        at += as_it_is(rest).unwrap_or(1);
        let Some((name, value)) =
            rest.strip_prefix(ENTITY).and_then(|rest| rest.trim_start().split_once(char::is_whitespace))
        else {
            continue;
        };
        let value = value.trim_start();
        let quoted = value.strip_prefix('"').map(|value| (value, '"'));
        let Some((value, quote)) = quoted.or_else(|| Some((value.strip_prefix('\'')?, '\''))) else { continue };
        let Some(end) = value.find(quote) else { break };
        at = declarations.len() - value.len() + end;
        if resolve_predefined_entity(name).is_none() {
            out.entry(name).or_insert(&value[..end]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Expanded;

    fn expanded(declarations: &str, content: &str) -> Option<String> {
        let text = format!("<?xml version=\"1.0\"?>\n<!DOCTYPE r [{declarations}]>\n<r>{content}</r>");
        let found = Expanded::of(&text)?.text;
        let (_, content) = found.split_once("<r>").unwrap();
        Some(content.strip_suffix("</r>").unwrap().to_owned())
    }

    #[test]
    fn declared_entities_stand_for_themselves() {
        for (declarations, content, wanted) in [
            (
                "<!ENTITY a 'one'><!ENTITY b \"&a; & two\">",
                "&a;, <i n=\"&b;\"/> &b;",
                "one, <i n=\"one & two\"/> one & two",
            ),
            ("<!ENTITY a '<p>x</p>'>", "&a;<q n='&a;'/>", "<p>x</p><q n='&lt;p>x&lt;/p>'/>"),
            ("<!ENTITY a 'He said \"x\"'>", "<i n=\"&a;\">&a;</i>", "<i n=\"He said &quot;x&quot;\">He said \"x\"</i>"),
            // The first declaration holds, and XML's own stay.
            ("<!ENTITY a 'x'><!ENTITY a 'y'><!ENTITY lt 'z'>", "&a;&lt;", "x&lt;"),
            ("<!-- <!ENTITY a 'x'> --><!ENTITY b 'y ]> z'>", "&a;&b;", "&a;y ]> z"),
            ("<!ENTITY c 'A&#38;amp;B &#x41;'>", "&c;", "A&amp;B A"),
            // Neither other files nor declarations in parts are read.
            ("<!ENTITY % p SYSTEM 'x.dtd'>%p;<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY a 'b'>", "&x;&a;", "&x;b"),
            (
                "<!ENTITY a 'x'>",
                "<![CDATA[&a;]]><!-- &a; --><?p &a;?>&a; > '&a;'",
                "<![CDATA[&a;]]><!-- &a; --><?p &a;?>x > 'x'",
            ),
            ("<!ENTITY a '&b;'><!ENTITY b '&a;'><!ENTITY c '1'>", "&a;&b;&c;", "&a;&b;1"),
        ] {
            assert_eq!(expanded(declarations, content).as_deref(), Some(wanted), "{declarations}");
        }
        assert_eq!(expanded("<!ELEMENT r ANY>", "&a;"), None);
        assert!(Expanded::of("<r>&a;</r>").is_none());
    }

    #[test]
    fn entities_of_entities_are_bounded() {
        let laughs: String =
            (1..10).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10))).collect();
        let many = "<!ENTITY l0 'lol'>".to_owned() + &laughs;
        let once = expanded(&many, "&l9;&l9;").unwrap();
        assert_eq!(once, "&l9;&l9;");
        let long = format!("<!ENTITY a '{}'>", "x".repeat(1000));
        let all = expanded(&long, &"&a;".repeat(1000)).unwrap();
        assert!(all.len() < 9 * (1000 + 3000 + 100), "{}", all.len());
        assert!(all.ends_with("&a;") && all.starts_with('x'));
    }

    #[test]
    fn places_are_those_of_the_text_as_it_was() {
        let text = "<!DOCTYPE r [<!ENTITY a 'longer'>]><r>&a; b &a; c</r>";
        let found = Expanded::of(text).unwrap();
        for word in ["<r>", " b", " c", "</r>"] {
            assert_eq!(found.before(found.text.find(word).unwrap()), text.find(word).unwrap(), "{word}");
        }
    }
}
