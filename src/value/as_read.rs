//! A text as its readers may see it: without the codes of a terminal and invisible characters, with the characters that it spells, as the
//! page of its HTML, as the data in it, with its headings plain. A secret that is divided or escaped in the text is whole there.
//!
//! Whether a text is shown so depends on the call and on the policy, and a model reads escapes as what they mean, so every text is read in
//! all of these ways, before it is redacted as it is: what is redacted of the text alone may leave the rest of a secret.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use toolshape_json::{skip_space, skip_string};
use toolshape_text::prose::{html, outline, terminal};

use crate::base::json_string::{Quoted, quoted};
use crate::value::canonical::canonical;
use crate::value::seen_char::{unescaped, visible};
use crate::value::source::Source;
use crate::value::structured_text::{self, Formats};

/// How many texts with data may be inside each other.
const MOST_TEXTS: usize = 16;
/// A longer text is data, and not the message of an error.
const MOST_LABELLED: usize = 1 << 20;

/// Returns what replaces a text, or `None` if that may stay.
pub(crate) type Redact<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// Replaces what a reader sees of a text, or of the texts in JSON, where `redact` leaves more of it in the text than in what is seen;
/// `None` if there is no such text. The result is to be redacted as it is.
///
/// `redact` receives each text that is seen otherwise, and what is seen, always in the same order. `mark` is what it replaces secrets with;
/// empty if that is unknown.
pub(crate) fn replaced(text: &str, is_json: bool, mark: &str, redact: &mut Redact<'_>) -> Option<String> {
    match is_json {
        true => of_json(text, MOST_TEXTS, mark, redact),
        false => of_text(text, MOST_TEXTS, mark, redact),
    }
}

/// A text whose first line begins with a label, such as `Error calling tool 'x': `, which SDKs write before what a tool throws: the
/// label, and the rest, which is a text of its own.
pub(crate) fn labelled(text: &str) -> Option<(&str, &str)> {
    let first = text.split('\n').next()?;
    let (label, rest) = text.split_at(first.find(": ")? + 2);
    // Data begins otherwise, or has these in its first line.
    let is_words = label.starts_with(char::is_alphanumeric) && !label.contains(['"', '{', '[', '<', '|', '\t']);
    (is_words && rest.len() <= MOST_LABELLED).then_some((label, rest))
}

/// How a text is read, before its data is.
#[derive(Clone, Copy)]
struct Reading {
    is_unescaped: bool,
    is_page: bool,
    has_plain_titles: bool,
}

impl Reading {
    fn of(self, text: &str) -> Cow<'_, str> {
        let mut seen = Cow::Borrowed(text);
        if self.is_unescaped {
            seen = then(seen, unescaped);
        }
        seen = then(then(seen, terminal::shown), visible);
        if self.is_page {
            seen = then(seen, page);
        }
        if self.has_plain_titles {
            seen = then(seen, outline::plain_lines);
        }
        seen
    }
}

fn then<'t>(text: Cow<'t, str>, read: fn(&str) -> Cow<'_, str>) -> Cow<'t, str> {
    let new = match &text {
        Cow::Borrowed(text) => return read(text),
        Cow::Owned(text) => match read(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(new) => Some(new),
        },
    };
    new.map_or(text, Cow::Owned)
}

/// A text that is read in other ways, and what is left of it.
struct Seen<'t, 'r, 'm> {
    text: &'t str,
    mark: &'m str,
    redact: &'r mut Redact<'m>,
    /// The redacted text, once there is another way to read it.
    own: Option<Cow<'t, str>>,
    /// What replaces the text.
    changed: Option<String>,
}

impl Seen<'_, '_, '_> {
    /// Looks at what is seen of the text, of which `read` sees the same in what is left of it.
    fn look(&mut self, seen: &str, read: impl FnOnce(&str) -> Option<String>) {
        let (text, redact) = (self.text, &mut self.redact);
        let own = self.own.get_or_insert_with(|| redact(text).map_or(Cow::Borrowed(text), Cow::Owned));
        if let Some(wanted) = redact(seen)
            && !read(own).is_some_and(|left| hides_as_much(&left, &wanted, self.mark))
        {
            self.changed = Some(wanted);
        }
    }
}

/// Whether all that is left is also in what is wanted, in its order.
fn hides_as_much(left: &str, wanted: &str, mark: &str) -> bool {
    if mark.is_empty() {
        return left == wanted;
    }
    let mut rest = wanted;
    left.split(mark).all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// A plain text, after what follows its label.
fn of_text(text: &str, texts: usize, mark: &str, redact: &mut Redact<'_>) -> Option<String> {
    // Most strings of data have no other reading.
    let may_differ =
        |byte: u8| !byte.is_ascii() || byte < b' ' || matches!(byte, b'<' | b'&' | b'[' | b'{' | b'\\' | b'%');
    if !text.bytes().any(may_differ) {
        return None;
    }
    if let Some((label, rest)) = labelled(text)
        && let Some(new) = of_part(rest, texts, mark, redact)
    {
        return Some([label, &new].concat());
    }
    of_part(text, texts, mark, redact)
}

/// A text in each of its readings. Of those that change the last one replaces it, in which the most is read.
fn of_part(text: &str, texts: usize, mark: &str, redact: &mut Redact<'_>) -> Option<String> {
    let mut seen = Seen { text, mark, redact, own: None, changed: None };
    let mut known = vec![hash(text)];
    let mut look = |shown: &str, reading: Reading| {
        if !known.contains(&hash(shown)) {
            known.push(hash(shown));
            seen.look(shown, |left| Some(reading.of(left).into_owned()));
        }
    };
    for is_unescaped in [false, true] {
        let reading = Reading { is_unescaped, is_page: false, has_plain_titles: false };
        if is_unescaped && matches!(unescaped(text), Cow::Borrowed(_)) {
            break;
        }
        let shown = reading.of(text);
        let page = page(&shown);
        for (is_page, shown) in [(false, &shown), (true, &page)] {
            look(shown, Reading { is_page, ..reading });
            look(&outline::plain_lines(shown), Reading { is_page, has_plain_titles: true, ..reading });
        }
    }
    of_data(text, texts, &mut seen);
    seen.changed
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A text without the codes of a terminal, and the text of a page.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let shown = terminal::shown_text(text);
    // A text with a bracket is not a page.
    match page(&shown) {
        Cow::Owned(page) if shown.contains("</") || shown.contains(';') => Cow::Owned(page),
        _ => shown,
    }
}

/// The text that a page shows, with its title.
fn page(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'<', b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let page = html::read(text);
    let page = if page.title.is_empty() { page.text } else { format!("{}\n{}", page.title, page.text) };
    // A text without tags only loses white space.
    let is_same = page.split_whitespace().flat_map(str::chars).eq(text.split_whitespace().flat_map(str::chars));
    if is_same { Cow::Borrowed(text) } else { Cow::Owned(page) }
}

/// A text with data in it.
fn of_data(text: &str, texts: usize, seen: &mut Seen<'_, '_, '_>) {
    if texts == 0 || !text.contains(['{', '[', '\n', '<']) {
        return;
    }
    let Some((before, data, after)) = data(text) else { return };
    if data != text {
        seen.look(&data, data_of);
    }
    let changed = of_json(&data, texts - 1, seen.mark, seen.redact).or_else(|| seen.changed.take_if(|_| data != text));
    if let Some(changed) = changed {
        seen.changed = Some(format!("{}{changed}{}", &text[before], &text[after]));
    }
}

/// What is before the data in a text, the data, and what is behind it.
fn data(text: &str) -> Option<(Range<usize>, String, Range<usize>)> {
    let structure = structured_text::recognize(text, Formats::All)?;
    let json = structure.source(text);
    let data = canonical(&json.json().ok()?).into_owned();
    Some((structure.before.clone(), data, structure.after.clone()))
}

fn data_of(text: &str) -> Option<String> {
    data(text).map(|(_, data, _)| data)
}

/// The strings of a JSON text. A list of strings is read as their lines, too.
fn of_json(json: &str, texts: usize, mark: &str, redact: &mut Redact<'_>) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(next) = memchr::memchr2(b'"', b'[', &bytes[at..]).map(|next| at + next) {
        let changed = if bytes[next] == b'"' {
            at = skip_string(bytes, next);
            let text = Quoted::new(&json[next..at]).text();
            // A string with escapes is not what is written.
            let has_escapes = json[next..at].contains('\\');
            let itself = |redact: &mut Redact<'_>| if has_escapes { redact(&text) } else { None };
            of_text(&text, texts, mark, redact).or_else(|| itself(redact)).map(|new| (at, quoted(&new)))
        } else {
            at = next + 1;
            of_lines(json, next, mark, redact)
        };
        // The strings of a list that was replaced are read like all others.
        if let Some((end, new)) = changed.filter(|_| next >= copied) {
            out += &json[copied..next];
            out += &new;
            copied = end;
        }
    }
    (copied > 0).then(|| out + &json[copied..])
}

/// The list at `start` as the lines of a page, if it has strings alone: where it ends, and what replaces it.
fn of_lines(json: &str, start: usize, mark: &str, redact: &mut Redact<'_>) -> Option<(usize, String)> {
    let (bytes, mut at, mut lines) = (json.as_bytes(), start + 1, String::new());
    loop {
        at = skip_space(bytes, at);
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = skip_string(bytes, at);
        lines += &Quoted::new(&json[at..end]).text().replace('\n', " ");
        at = skip_space(bytes, end);
        match bytes.get(at) {
            Some(b',') => lines.push('\n'),
            _ => break,
        }
        at += 1;
    }
    let mut seen = Seen { text: &lines, mark, redact, own: None, changed: None };
    for has_plain_titles in [false, true] {
        let reading = Reading { is_unescaped: false, is_page: true, has_plain_titles };
        let shown = reading.of(&lines);
        if shown != lines {
            seen.look(&shown, |left| Some(reading.of(left).into_owned()));
        }
    }
    let lines: Vec<String> = seen.changed?.lines().map(quoted).collect();
    Some((at + 1, format!("[{}]", lines.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text if everything is replaced in which `secret` is seen.
    fn without(secret: &str, text: &str, is_json: bool) -> String {
        let seen = |reading: &str| reading.contains(secret).then(|| reading.replace(secret, "…"));
        replaced(text, is_json, "…", &mut { seen }).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_secret_is_seen_however_a_text_divides_it() {
        for (text, left) in [
            ("<p>key s&#107;-1&lt;", "key …1<"),
            ("<title>s&#107;-1</title><p>text", "…1\ntext"),
            ("s<b>k</b>-1", "…1"),
            ("s&#107;-1", "…1"),
            ("<p>s<!-- -->k-1", "…1"),
            ("\x1b[31ms\x1b[0mk-1", "…1"),
            ("s\u{200b}k-1", "…1"),
            (r"s\x6b-1", "…1"),
            (r"s\\x1b[1mk%2d1", "…1"),
            ("# s[k](https://a.b)-1\nx", "# …1\nx"),
            ("# a\n<!--\n<h1>s&#107;-<b\nx>1</h1>\n-->\nb", "# a\n<!--\n…1\n-->\nb"),
            ("<p><h1>s<a href='https://a.b'>k</a>-1</h1>", "# …1"),
            ("[{'key': 's\\x6b-1'}, {'key': None}]", r#"[{"key":"…1"},{"key":null}]"#),
            ("<?xml version=\"1.0\"?><r><a>1</a><key>s&#107;-1</key></r>", r#"{"r":{"a":1,"key":"…1"}}"#),
            ("n,key\n1,\"s<b>k</b>-1\"\n2,b\n3,c\n", r#"[{"n":1,"key":"…1"},{"n":2,"key":"b"},{"n":3,"key":"c"}]"#),
        ] {
            let inside = |text: &str| format!(r#"{{"a":{}}}"#, quoted(text));
            assert_eq!(
                (without("sk-", text, false), without("sk-", &inside(text), true)),
                (left.to_owned(), inside(left)),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_redacted_of_the_text_alone_leaves_no_rest() {
        let token = |text: &str| {
            let start = text.find("sk-")?;
            let end =
                text[start..].find(|c: char| !c.is_alphanumeric() && c != '-').map_or(text.len(), |end| start + end);
            Some(format!("{}…{}", &text[..start], &text[end..]))
        };
        for (text, left) in
            [("a sk-1<b>2</b> c", "a … c"), ("a sk-1\x1b[1m2 c", "a … c"), ("a sk-1 <b>c</b>", "a sk-1 <b>c</b>")]
        {
            assert_eq!(replaced(text, false, "…", &mut { token }).unwrap_or_else(|| text.to_owned()), left);
        }
    }

    #[test]
    fn of_json_only_the_strings_with_a_secret_change() {
        let json = r#"{"a":["<b>x</b>",{"k":"<b>s</b>k-1"}],"s\u006b-":1,"lines":["<p>s<i","title>k-1","b &lt;"]}"#;
        let left = r#"{"a":["<b>x</b>",{"k":"…1"}],"…":1,"lines":["…1 b <"]}"#;
        assert_eq!(without("sk-", json, true), left);
        let inner = format!(r#"{{"a":{}}}"#, quoted(r#"{"b":"s\u006b-1","n":1.50}"#));
        assert_eq!(without("sk-", &inner, true), r#"{"a":"{\"b\":\"…1\",\"n\":1.50}"}"#);
    }

    #[test]
    fn a_text_that_is_shown_as_it_is_has_no_other_reading() {
        for text in ["", "sk-1", "a & b <\n c", "[1, 2]", "x [1] y", "é 100 % C:\\x"] {
            let mut seen = Vec::new();
            replaced(text, false, "", &mut |reading| (seen.push(reading.to_owned()), None).1);
            assert!(seen.iter().all(|reading| reading == "[1,2]" || reading == text), "{text:?}: {seen:?}");
        }
    }
}
