//! Lists in brackets in a text that is not JSON: one of names and those of their values behind it, `(id, pin) VALUES (1, 'x')`, and pairs of
//! a name and its value, `("pin", "x")`, which JSON has, too.

use std::ops::Range;

use super::named_values::hide;
use super::names::{Fields, NAME};
use super::{Marks, REDACTED, Replaced, line_end};

const QUOTES: Marks = Marks::of(b"\"'`");
/// What ends a name.
const NAME_ENDS: Marks = Marks::of(b",()");

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, fields: &Fields) -> Option<String> {
    let (mut replaced, bytes) = (Replaced::of(text, REDACTED), text.as_bytes());
    // Of the last list of names, or of values behind it: where it ends, what is before the next one, and which are secret of how many.
    let (mut last, mut at) = (None, 0);
    while let Some(found) = memchr::memchr2(b'(', b'[', &bytes[at..]) {
        let open = at + found;
        at = open + 1;
        let is_next = |(end, word, _): &(usize, &str, Header)| {
            bytes[open] == b'(' && text[*end..open].trim().eq_ignore_ascii_case(word)
        };
        if let Some((.., header)) = last.take().filter(is_next) {
            at = hide_row(text, at, &header, &mut replaced);
            last = Some((at, ",", header));
        } else if let Some(value) = value_of_pair(text, open, fields) {
            at = value.end;
            hide(&mut replaced, inside(text, value));
        } else if bytes[open] == b'('
            && let Some((end, header)) = names(text, at, fields)
        {
            at = hide_copied(text, end, &header, &mut replaced);
            last = Some((at, "values", header));
        }
    }
    replaced.whole()
}

/// The names in a list.
struct Header {
    names: usize,
    /// The places of those that are secret, in their order.
    secret: Vec<usize>,
}

impl Header {
    fn hides(&self, place: usize) -> bool {
        self.secret.binary_search(&place).is_ok()
    }
}

/// The list of names that begins here, if it has secret ones, and where it ends.
fn names(text: &str, mut start: usize, fields: &Fields) -> Option<(usize, Header)> {
    let (bytes, mut header) = (text.as_bytes(), Header { names: 0, secret: Vec::new() });
    loop {
        let near = &bytes[start..bytes.len().min(start + 2 * NAME)];
        let end = start + NAME_ENDS.find(near)?;
        if fields.has(QUOTES.trimmed(text[start..end].trim())) {
            header.secret.push(header.names);
        }
        header.names += 1;
        start = end + 1;
        match bytes[end] {
            b',' => {}
            b')' if !header.secret.is_empty() => return Some((start, header)),
            _ => return None,
        }
    }
}

/// Hides the secret values of the list that begins here, and returns where it ends.
fn hide_row(text: &str, start: usize, header: &Header, replaced: &mut Replaced<'_>) -> usize {
    let values = Values { text, next: Some(start) }.count();
    let mut end = start;
    for (place, value) in (Values { text, next: Some(start) }).enumerate() {
        end = value.end;
        // Which one has the comma too many is unknown.
        if header.hides(place) || values != header.names {
            hide(replaced, inside(text, value));
        }
    }
    text.len().min(end + 1)
}

/// Hides the secret values in the lines that PostgreSQL copies, if they begin here, and returns where they end.
fn hide_copied(text: &str, start: usize, header: &Header, replaced: &mut Replaced<'_>) -> usize {
    let mut end = line_end(text, start);
    if !text[start..end].trim().eq_ignore_ascii_case("from stdin;") {
        return start;
    }
    while end < text.len() && !text[end..].starts_with("\\.") {
        let mut cell = end;
        end = line_end(text, end);
        for (place, value) in text[cell..end].trim_end_matches(['\n', '\r']).split('\t').enumerate() {
            if header.hides(place) {
                hide(replaced, cell..cell + value.len());
            }
            cell += value.len() + 1;
        }
    }
    end
}

/// The value of a pair with a secret name in quotes, where no name or call has the list.
pub(super) fn value_of_pair(text: &str, open: usize, fields: &Fields) -> Option<Range<usize>> {
    let rest = text[open + 1..].trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let near = rest.as_bytes().get(1..rest.len().min(NAME + 2))?;
    let name = memchr::memchr(quote as u8, near)?;
    if !rest[name + 2..].trim_start().starts_with(',') || !fields.has(&rest[1..=name]) || is_named(&text[..open]) {
        return None;
    }
    let mut values = Values { text, next: Some(open + 1) };
    let value = trimmed(text, values.nth(1)?);
    let is_last = values.all(|value| text[value].trim().is_empty());
    (is_last && !fields.has(&text[inside(text, value.clone())])).then_some(value)
}

/// Whether what is before a list says what it is: a call, an index, or the name of a list, which may be one of names.
fn is_named(before: &str) -> bool {
    before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '.' | ')' | ']'))
        || before.trim_end().ends_with([':', '='])
}

/// The values of the list that begins here, one by one: between commas which are not in quotes or in brackets.
struct Values<'t> {
    text: &'t str,
    next: Option<usize>,
}

impl Iterator for Values<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let (bytes, start) = (self.text.as_bytes(), self.next.take()?);
        let (mut at, mut depth) = (start, 0_usize);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' | b'\'' | b'`' => at = quoted_end(bytes, at),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b')' | b']' | b'}' => break,
                b',' if depth == 0 => {
                    self.next = Some(at + 1);
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        Some(start..at.min(bytes.len()))
    }
}

/// The place of the quote that ends the one here. One that is doubled ends and begins.
fn quoted_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while bytes.get(at).is_some_and(|byte| *byte != bytes[start]) {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// A value without white space around it.
fn trimmed(text: &str, value: Range<usize>) -> Range<usize> {
    let own = text[value.clone()].trim_start();
    let start = value.end - own.len();
    start..start + own.trim_end().len()
}

/// A value without white space and quotes around it.
fn inside(text: &str, value: Range<usize>) -> Range<usize> {
    let value = trimmed(text, value);
    let own = &text[value.clone()];
    let is_quoted =
        own.len() > 1 && own.starts_with(['"', '\'', '`']) && own.as_bytes().first() == own.as_bytes().last();
    value.start + usize::from(is_quoted)..value.end - usize::from(is_quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_list_has_the_name_at_its_place() {
        for (text, wanted) in [
            ("INTO t (id, pin) VALUES (1, 'a');", "INTO t (id, pin) VALUES (1, '[redacted]');"),
            (
                "t(`pin`,`n`) values\n('a, (''b)', 1),\n(f(2, 3), '\\'c') on (pin) VALUE (1)",
                "t(`pin`,`n`) values\n('[redacted]', 1),\n([redacted], '\\'c') on (pin) VALUE (1)",
            ),
            ("(id, pin) VALUES (1, 'a', 2)", "(id, pin) VALUES ([redacted], '[redacted]', [redacted])"),
            ("(pin) VALUES ('a') (pin) (1)", "(pin) VALUES ('[redacted]') (pin) (1)"),
            ("(id, pin) VALUES (1, 'a", "(id, pin) VALUES (1, [redacted]"),
            ("(id, pin) see (1, 2)", "(id, pin) see (1, 2)"),
            ("(id, (pin)) (1, 2)", "(id, (pin)) (1, 2)"),
            (
                "COPY t (id, pin) FROM stdin;\n1\ta b\n\\.\n1\t2",
                "COPY t (id, pin) FROM stdin;\n1\t[redacted]\n\\.\n1\t2",
            ),
            (
                "a [('id', 1), ('pin', 2), (\"PIN\", 'é',)]",
                "a [('id', 1), ('pin', [redacted]), (\"PIN\", '[redacted]',)]",
            ),
            ("a ['pin', [1, 2]] ['pin', 1, 2]", "a ['pin', [redacted]] ['pin', 1, 2]"),
            ("f('pin', 1) a: ['pin', 'b'] (pin, 1)", "f('pin', 1) a: ['pin', 'b'] (pin, 1)"),
            ("('pin", "('pin"),
        ] {
            let fields = Fields::new(&["pin"]);
            let shown = redacted(text, &fields).unwrap_or_else(|| text.to_owned());
            assert_eq!(shown, wanted, "{text}");
            assert_eq!(redacted(&shown, &fields), None, "twice: {shown}");
        }
    }
}
