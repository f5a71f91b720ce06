//! Values after names in a text that is not JSON: `password: x`, `token=x&…`, `"pin": 1`, `<key>x</key>`, `--pin 1`, YAML.

use std::ops::Range;

use super::json::is_value;
use super::names::{Fields, NAME, path};
use super::{Marks, REDACTED, Replaced, line_end};

/// What may come before a name at the start of a line.
const WORDS: [&str; 6] = ["", "export", "set", "let", "const", "var"];
/// What may be before a name that begins a line.
const INDENT: [char; 3] = [' ', '\t', '-'];
/// What ends a name.
const SEPARATORS: Marks = Marks::of(b":=>-");
const SPACE: Marks = Marks::of(b" \t");
/// What may be around a name.
pub(super) const AROUND: Marks = Marks::of(b"\"'`*\\]");
const QUOTES: Marks = Marks::of(b"\"'");

/// The text without the values of secret names; `None` if there are none.
pub(super) fn redacted(text: &str, fields: &Fields) -> Option<String> {
    let mut replaced = Replaced::of(text, REDACTED);
    let mut above = Above { fields, names: Vec::new(), section: "" };
    // Whether the line before named a secret whose value this one has: `- name: pin`.
    let mut is_named = false;
    let (mut end, mut breaks) = (0, Breaks { text, next: 0 });
    while end < text.len() {
        let line_start = end;
        end = line_end(text, line_start);
        let line = &text[line_start..end];
        above.section(line);
        let indent = line.len() - line.trim_start_matches(INDENT).len();
        let (was_named, mut at) = (std::mem::take(&mut is_named), line_start.max(replaced.end()));
        while at < end
            && let Some(found) = SEPARATORS.find(&text.as_bytes()[at..end])
        {
            let separator = at + found;
            at = separator + 1;
            if text.as_bytes()[separator] == b'-' {
                if let Some(value) = option_value(&text[line_start..end], separator - line_start, fields) {
                    let value = line_start + value.start..line_start + value.end;
                    if value.start >= replaced.end() {
                        at = value.end;
                        hide(&mut replaced, value);
                    }
                }
                continue;
            }
            let (name, is_quoted) = name_before(text, separator);
            if name.start < replaced.end() || name.is_empty() || name.start < line_start {
                continue;
            }
            let before = &text[line_start..name.start];
            let own = &text[name];
            let is_secret = if before.len() <= indent { above.is_secret(own, before.len()) } else { fields.has(own) };
            if !(is_secret || was_named && is_value(own)) {
                let value = text[at..end].trim_start();
                is_named |=
                    value.len() <= 2 * NAME && fields.has(QUOTES.trimmed(value.trim_end())) && begins_line(before);
                continue;
            }
            let value = match text.as_bytes()[separator] {
                b'>' if before.ends_with('<') => at..text[at..].find("</").map_or(text.len(), |end| at + end),
                b'>' => continue,
                _ => value_after(separator, before, is_quoted, &mut breaks),
            };
            if !value.is_empty() {
                at = value.end;
                hide(&mut replaced, value);
            }
        }
    }
    replaced.whole()
}

/// Where the lines of a text end, asked from its start to its end.
pub(super) struct Breaks<'t> {
    pub text: &'t str,
    pub next: usize,
}

impl Breaks<'_> {
    /// The first end of a line from here on.
    fn after(&mut self, at: usize) -> usize {
        if self.next < at {
            let found = memchr::memchr2(b'\n', b'\r', &self.text.as_bytes()[at..]);
            self.next = found.map_or(self.text.len(), |found| at + found);
        }
        self.next
    }
}

pub(super) fn hide(replaced: &mut Replaced<'_>, value: Range<usize>) {
    if &replaced.text()[value.clone()] != REDACTED {
        replaced.add(value, REDACTED);
    }
}

/// The names that a name is under, by indents or in a section.
struct Above<'f, 't> {
    fields: &'f Fields,
    names: Vec<(usize, &'t str)>,
    section: &'t str,
}

impl<'t> Above<'_, 't> {
    fn section(&mut self, line: &'t str) {
        if !self.fields.have_paths() {
            return;
        }
        let name = line.trim_start().strip_prefix('[').and_then(|name| name.trim_end().strip_suffix(']'));
        if let Some(name) = name.filter(|name| name.len() <= NAME) {
            self.section = name;
            self.names.clear();
        }
    }

    /// Whether a name that begins a line after that many bytes is that of a secret.
    fn is_secret(&mut self, name: &'t str, indent: usize) -> bool {
        if !self.fields.have_paths() {
            return self.fields.has(name);
        }
        while self.names.last().is_some_and(|(above, _)| *above >= indent) {
            self.names.pop();
        }
        self.names.push((indent, name));
        if !self.fields.may_have(name) {
            return false;
        }
        let mut end = Vec::new();
        for name in self.names.iter().rev().map(|(_, name)| *name).chain([self.section]) {
            end.splice(0..0, path(name));
            if end.len() >= self.fields.most_names() {
                break;
            }
        }
        self.fields.end(&end)
    }
}

/// The value of an option of a command: what comes after `--name` and a space.
fn option_value(line: &str, dash: usize, fields: &Fields) -> Option<Range<usize>> {
    let rest = &line[dash..];
    if !line[..dash].ends_with('-') || rest[1..].starts_with('-') {
        return None;
    }
    let name = 1 + rest[1..]
        .bytes()
        .take(NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    let value = dash + name + 1;
    if !rest[name..].starts_with(' ') || !fields.has(&rest[1..name]) || line[value..].starts_with(['-', ' ']) {
        return None;
    }
    let end = match line[value..].chars().next()? {
        quote @ ('"' | '\'') => line[value + 1..].find(quote).map(|end| value + end + 2),
        _ => line[value..].find(char::is_whitespace).map(|end| value + end),
    };
    Some(value..end.unwrap_or(line.len()))
}

/// The name before a separator, and whether it has quotes.
fn name_before(text: &str, separator: usize) -> (Range<usize>, bool) {
    let before = SPACE.trimmed_end(&text[..separator]);
    let inside = AROUND.trimmed_end(before);
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '[' | '/');
    let (end, mut start) = (inside.len(), inside.len());
    while let Some(letter) = inside[..start].chars().next_back()
        && is_name(letter)
        && end + letter.len_utf8() - start <= NAME
    {
        start -= letter.len_utf8();
    }
    let marks = inside[start..end].len() - inside[start..end].trim_start_matches(['-', '[', '/']).len();
    (start + marks..end, before.ends_with(['"', '\'']))
}

/// The value after a separator. `before` is the line before the name.
pub(super) fn value_after(separator: usize, before: &str, is_quoted: bool, breaks: &mut Breaks<'_>) -> Range<usize> {
    let text = breaks.text;
    let start = text.len() - text[separator + 1..].trim_start_matches([' ', '\t', '=', ':', '>', '*', '~']).len();
    let rest = &text[start..];
    if rest.starts_with(REDACTED) {
        return start..start + REDACTED.len();
    }
    let up_to = |ends: &[char]| start..rest.find(ends).map_or(text.len(), |end| start + end);
    let line = start..breaks.after(start);
    // What may be before a block: `|`, `|-`, `>+`.
    let marks = text[line.clone()].trim_start().trim_start_matches('|').trim_start_matches(['+', '-']);
    if marks.trim_start().is_empty() {
        return block(text, line.end, before, true);
    }
    for quotes in ["\"\"\"", "'''"] {
        if rest.starts_with(quotes) {
            return inside(text, start + quotes.len(), quotes.as_bytes());
        }
    }
    match rest.as_bytes()[0] {
        quote @ (b'"' | b'\'' | b'`') => inside(text, start + 1, &[quote]),
        b'\\' if rest[1..].starts_with('"') => inside(text, start + 2, b"\\\""),
        b'{' | b'[' => start..start + bracketed(rest),
        _ if is_quoted => up_to(&[',', '}', ']', '\n', '\r']),
        _ if text.as_bytes()[separator] == b':' && begins_line(before) => {
            // YAML and headers go on in lines that are indented more.
            let more = block(text, line.end, before, false);
            start..if more.is_empty() { line.end } else { more.end }
        }
        _ if text.as_bytes()[separator] == b':' || begins_line(before) => line,
        _ => up_to(&[' ', '\t', '\n', '\r', '&', ';', ',', '"', '\'', ')', '}', ']', '<']),
    }
}

/// What is in quotes; all that follows if they do not end.
fn inside(text: &str, start: usize, quote: &[u8]) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(quote) {
            return start..at;
        }
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    start..text.len()
}

/// The bytes of what begins with a bracket, up to its end.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    text.len()
}

/// The lines after a name that are indented more than its own, or are the items of its list. Other values end with an empty line.
fn block(text: &str, line_end: usize, before: &str, is_block: bool) -> Range<usize> {
    let own = before.len() - before.trim_start_matches(INDENT).len();
    let (mut at, mut value) = (line_end, line_end..line_end);
    let is_first_of_list = before.trim_start().starts_with('-');
    while at < text.len() {
        let content = text[at..].trim_start_matches([' ', '\t']);
        let indent = text.len() - at - content.len();
        // A line is read up to its end only if it is inside.
        let is_empty = content.trim_start_matches(|letter: char| letter != '\n' && letter.is_whitespace());
        let is_empty = is_empty.is_empty() || is_empty.starts_with('\n');
        let is_inside = match is_empty {
            true => is_block || at == line_end,
            false => indent > own || is_block && indent == own && content.starts_with("- ") && !is_first_of_list,
        };
        if !is_inside {
            break;
        }
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1);
        if !is_empty {
            if value.is_empty() {
                value.start = at + indent;
            }
            value.end = at + text[at..end].trim_end().len();
        }
        at = end;
    }
    value
}

fn begins_line(before: &str) -> bool {
    before.len() <= NAME && WORDS.contains(&before.trim_matches([' ', '\t', '-', '#', '*', '>', '"', '\'', '`']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_form_says() {
        for (text, wanted) in [
            ("key: a b, c\nd", "key: [redacted]\nd"),
            ("x key: a b", "x key: [redacted]"),
            ("url?a=1&key=abc&b=2", "url?a=1&key=[redacted]&b=2"),
            ("key = a b\nc", "key = [redacted]\nc"),
            ("export key=a b", "export key=[redacted]"),
            ("at 1 key=ab c=d", "at 1 key=[redacted] c=d"),
            ("log {\"key\":\"a,\\\"b\",\"c\":1}", "log {\"key\":\"[redacted]\",\"c\":1}"),
            ("log {\"key\":12,\"c\":1}", "log {\"key\":[redacted],\"c\":1}"),
            ("log {\"key\": {\n \"a\": 1 },\"c\":1}", "log {\"key\": [redacted],\"c\":1}"),
            ("log {\\\"key\\\":\\\"ab\\\",c", "log {\\\"key\\\":\\\"[redacted]\\\",c"),
            ("key: 'a b' # c", "key: '[redacted]' # c"),
            ("key: \"a", "key: \"[redacted]"),
            ("- key: |\n    a\n\n    b\n  c: 1", "- key: |\n    [redacted]\n  c: 1"),
            ("key:\n  a: 1\n  b: 2\nc: 3", "key:\n  [redacted]\nc: 3"),
            ("key:\n- a\n- b\nc: 3", "key:\n[redacted]\nc: 3"),
            ("- key:\n- b: 1\n", "- key:\n- b: 1\n"),
            ("key: a\n  b\nc: 3", "key: [redacted]\nc: 3"),
            ("key:\nc: 3", "key:\nc: 3"),
            ("key:", "key:"),
            ("key = '''\na\n'''\nc", "key = '''[redacted]'''\nc"),
            ("<key>a b</key><c>1</c>", "<key>[redacted]</key><c>1</c>"),
            ("a key > b", "a key > b"),
            ("**key:** a", "**key:** [redacted]"),
            ("key := a", "key := [redacted]"),
            ("monkey: a, keys=b", "monkey: a, keys=b"),
            ("é key=ü ö", "é key=[redacted] ö"),
            ("key=a\r\nkey=b\r\n", "key=[redacted]\r\nkey=[redacted]\r\n"),
            (
                "- name: key\n  value: a\n- name: c\n  value: d\n",
                "- name: key\n  value: [redacted]\n- name: c\n  value: d\n",
            ),
            ("run --key a --c d", "run --key [redacted] --c d"),
            ("run --key 'a b' c", "run --key [redacted] c"),
            ("u:\n  a: 1\n  pin: 2\nv:\n  pin: 3\n", "u:\n  a: 1\n  pin: [redacted]\nv:\n  pin: 3\n"),
            ("[u]\npin = 2\n[v]\npin = 3\n", "[u]\npin = [redacted]\n[v]\npin = 3\n"),
            ("a=1&u[pin]=2&v[pin]=3", "a=1&u[pin]=[redacted]&v[pin]=3"),
            ("x['key'] = 'a'", "x['key'] = '[redacted]'"),
        ] {
            let fields = Fields::new(&["key", "u.pin"]);
            let shown = redacted(text, &fields).unwrap_or_else(|| text.to_owned());
            assert_eq!(shown, wanted, "{text}");
            assert_eq!(redacted(&shown, &fields), None, "twice: {shown}");
        }
    }
}
