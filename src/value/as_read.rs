//! A text as its readers may see it: without the codes of a terminal and invisible characters, with the characters that it spells, as the
//! page of its HTML, as the data in it, with its headings plain. A secret that is divided or escaped in the text is whole there.
//!
//! Whether a text is shown so depends on the call and on the policy, and a model reads escapes as what they mean, so every text is read in
//! all of these ways, before it is redacted as it is: what is redacted of the text alone may leave the rest of a secret.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use toolshape_json::{skip_space, skip_string};
use toolshape_text::chars;
use toolshape_text::prose::{html, outline, terminal};
pub(crate) use toolshape_text::redaction::REDACTED;
use toolshape_text::redaction::divided::Unseen;
use toolshape_text::redaction::seen_char::{is_spelled, unescaped, visible};
use toolshape_text::redaction::{is_json, labelled};
use toolshape_text::replaced::Replaced;

use crate::base::json_string::{Quoted, quoted};
use crate::value::canonical::canonical;
use crate::value::hidden_in_place::{find, hidden, pieces};
use crate::value::redacted_rows;
use crate::value::source::Source;
use crate::value::structured_text::{self, Formats, Structure};

/// How many texts with data may be inside each other.
const MOST_TEXTS: usize = 16;

/// What is in place of a line break within a line of a list: no page shows it as a space.
const WITHIN: &str = "\x0b";

/// Returns what replaces a text, or `None` if that may stay.
pub(crate) type Redact<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// What `redact` returned of a text itself, once it was asked.
pub(crate) type Own = Option<Option<String>>;

/// Replaces what a reader sees of a text, or of the texts in JSON, where `redact` leaves more of it in the text than in what is seen;
/// `None` if there is no such text. The result is to be redacted as it is.
///
/// `redact` receives each text that is seen otherwise, and what is seen, always in the same order. `mark` is what it replaces secrets with;
/// empty if that is unknown. `own` is what it returned of the text itself, or of the one that replaces it.
pub(crate) fn replaced(
    text: &str,
    is_json: bool,
    mark: &str,
    own: &mut Own,
    redact: &mut Redact<'_>,
) -> Option<String> {
    match is_json {
        true => of_json(text, MOST_TEXTS, mark, redact),
        false => of_text(text, MOST_TEXTS, mark, own, redact),
    }
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
        if let Cow::Owned(seen) = &mut seen {
            seen.shrink_to_fit();
        }
        seen
    }

    fn unseen(self) -> Unseen {
        let has_tags = self.is_page || self.has_plain_titles;
        Unseen {
            is_escaped: self.is_unescaped,
            has_tags,
            has_blocks: has_tags,
            has_links: self.has_plain_titles,
            is_close: false,
        }
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

/// A text that is read in other ways.
struct Read<'t, 'r, 'm> {
    text: &'t str,
    mark: &'m str,
    redact: &'r mut Redact<'m>,
    own: &'r mut Own,
}

impl Read<'_, '_, '_> {
    /// The text without what is hidden of `seen` and may be seen in what is left of the text itself.
    ///
    /// Of long texts no more than four are held at once, so what is seen is read again where it is needed again.
    fn look(&mut self, seen: Cow<'_, str>, reading: Reading) -> Option<Hidden> {
        let (text, mark, redact) = (self.text, self.mark, &mut self.redact);
        let own = self.own.get_or_insert_with(|| redact(text)).as_deref();
        let wanted = redact(&seen)?;
        let hides_all = match own {
            Some(own) => {
                drop(seen);
                hides_as_much(&reading.of(own), &wanted, mark)
            }
            None => hides_as_much(&seen, &wanted, mark),
        };
        if hides_all {
            return None;
        }
        *self.own = None;
        Some(match hidden(text, reading.unseen(), (&reading.of(text), &wanted), mark, redact) {
            Some(text) => Hidden::InPlace(text),
            None => {
                let own = self.own.get_or_insert_with(|| redact(text)).as_deref().unwrap_or(text);
                let hides_own = own == text || !mark.is_empty() && hides_as_much(&wanted, &reading.of(own), mark);
                let hides_all = hides_own && !(reading.is_page && data(text).is_some());
                Hidden::Elsewhere(if hides_all { wanted } else { REDACTED.to_owned() })
            }
        })
    }
}

/// A text without what a reading hides.
enum Hidden {
    InPlace(String),
    /// What is seen replaces the text, if it hides all that other readings do, or nothing is left.
    Elsewhere(String),
}

/// Whether all that is left is also in what is wanted, in its order.
pub(crate) fn hides_as_much(left: &str, wanted: &str, mark: &str) -> bool {
    if mark.is_empty() {
        return left == wanted;
    }
    let mut rest = wanted;
    pieces(left, mark).all(|piece| match find(rest, piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// A plain text, after what follows its label.
fn of_text(text: &str, texts: usize, mark: &str, own: &mut Own, redact: &mut Redact<'_>) -> Option<String> {
    // Most strings of data have no other reading.
    let may_differ =
        |byte: u8| !byte.is_ascii() || byte < b' ' || matches!(byte, b'<' | b'&' | b'[' | b'{' | b'\\' | b'%');
    if !text.bytes().any(may_differ) {
        return None;
    }
    if let Some((label, rest)) = labelled(text) {
        *own = None;
        if let Some(new) = of_part(rest, texts, mark, &mut None, redact) {
            return Some([label, &new].concat());
        }
        if is_json(rest) {
            return of_part(label, texts, mark, &mut None, redact).map(|new| new + rest);
        }
    }
    of_part(text, texts, mark, own, redact)
}

/// A text in each of its readings, the one first in which the most is read. What one of them hides is hidden in the text, so that no other
/// one shows it.
fn of_part(text: &str, texts: usize, mark: &str, own: &mut Own, redact: &mut Redact<'_>) -> Option<String> {
    // Of JSON each string is read by itself.
    if is_json(text) {
        return of_data(text, texts, mark, own, redact).inspect(|_| *own = None);
    }
    let (mut now, mut elsewhere, mut known) = (Cow::Borrowed(text), None, Vec::new());
    for (is_unescaped, is_page) in [(true, true), (true, false), (false, true), (false, false)] {
        if is_unescaped && !is_spelled(&now) {
            continue;
        }
        let mut look = |seen: Cow<'_, str>, reading: Reading| {
            let hash = hash(&seen);
            if seen == now || known.contains(&hash) {
                return None;
            }
            known.push(hash);
            Read { text: &now, mark, redact, own }.look(seen, reading)
        };
        let reading = Reading { is_unescaped, is_page, has_plain_titles: false };
        let seen = reading.of(&now);
        let titles = Reading { has_plain_titles: true, ..reading };
        let plain = match outline::plain_lines(&seen) {
            Cow::Owned(plain) => Some(plain),
            Cow::Borrowed(_) => None,
        };
        let found = match plain {
            Some(plain) => look(Cow::Owned(plain), titles).or_else(|| look(seen, reading)),
            None => look(seen, titles),
        };
        match found {
            Some(Hidden::InPlace(text)) => (now, *own) = (Cow::Owned(text), None),
            Some(Hidden::Elsewhere(text)) => elsewhere = elsewhere.or(Some(text)),
            None => {}
        }
    }
    match now {
        Cow::Owned(now) if !leaves_rest(text, &now, mark, redact) => Some(now),
        now => {
            let is_whole = matches!(now, Cow::Owned(_)).then(|| REDACTED.to_owned());
            let other = is_whole.or(elsewhere).or_else(|| of_data(text, texts, mark, own, redact));
            other.inspect(|_| *own = None)
        }
    }
}

/// Whether the data in a text has a secret of which there is a part in the data of what is left of the text.
fn leaves_rest(text: &str, left: &str, mark: &str, redact: &mut Redact<'_>) -> bool {
    let Some(wanted) = data_of(text).filter(|_| !mark.is_empty()).and_then(|data| redact(&data)) else { return false };
    let left = redact(left).unwrap_or_else(|| left.to_owned());
    !data_of(&left).is_some_and(|data| hides_as_much(redact(&data).as_deref().unwrap_or(&data), &wanted, mark))
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
    let is_same = chars::are_same_words(&page, text);
    if is_same { Cow::Borrowed(text) } else { Cow::Owned(page) }
}

/// A text with data in it.
fn of_data(text: &str, texts: usize, mark: &str, own: &mut Own, redact: &mut Redact<'_>) -> Option<String> {
    if texts == 0 || !text.contains(['{', '[', '\n', '<']) {
        return None;
    }
    let structure = structured_text::recognize(text, Formats::All)?;
    if !mark.is_empty() && structure.rows().is_some() {
        let own = own.get_or_insert_with(|| redact(text)).as_deref();
        let inside = &mut |data: &str, redact: &mut Redact<'_>| of_json(data, texts - 1, mark, redact).is_some();
        if redacted_rows::show_no_more(text, &structure, own, mark, redact, inside) {
            return None;
        }
    }
    let (before, data, after) = data_in(&structure, text)?;
    let is_same = data == text;
    let own = if is_same { None } else { own.get_or_insert_with(|| redact(text)).as_deref() };
    let wanted = if is_same { None } else { redact(&data) };
    let wanted = wanted.filter(|wanted| match own {
        Some(own) => !data_of(own).is_some_and(|left| hides_as_much(&left, wanted, mark)),
        None => !hides_as_much(&data, wanted, mark),
    });
    let is_seen = wanted.is_some();
    let seen = wanted.unwrap_or(data);
    let now = match of_json(&seen, texts - 1, mark, redact) {
        Some(inside) => inside,
        None if is_seen => seen,
        None => return None,
    };
    // As data it may show what the text itself hides.
    if !mark.is_empty()
        && let Some(left) = own.and_then(data_of)
        && !hides_as_much(redact(&now).as_deref().unwrap_or(&now), &left, mark)
    {
        return own.map(str::to_owned);
    }
    Some([&text[before], &now, &text[after]].concat())
}

/// What is before the data in a text, the data, and what is behind it.
fn data(text: &str) -> Option<(Range<usize>, String, Range<usize>)> {
    data_in(&structured_text::recognize(text, Formats::All)?, text)
}

fn data_in(structure: &Structure, text: &str) -> Option<(Range<usize>, String, Range<usize>)> {
    let source = structure.source(text);
    let json = source.json().ok()?;
    let one_spelling = match canonical(&json) {
        Cow::Owned(data) => Some(data),
        Cow::Borrowed(_) => None,
    };
    let data = one_spelling.unwrap_or_else(|| json.into_owned());
    Some((structure.before.clone(), data, structure.after.clone()))
}

fn data_of(text: &str) -> Option<String> {
    data(text).map(|(_, data, _)| data)
}

/// The strings of a JSON text. A list of strings is read as their lines, too.
fn of_json(json: &str, texts: usize, mark: &str, redact: &mut Redact<'_>) -> Option<String> {
    let (bytes, secret) = (json.as_bytes(), quoted(mark));
    let (mut replaced, mut at) = (Replaced::of(json, &secret), 0);
    while let Some(next) = memchr::memchr2(b'"', b'[', &bytes[at..]).map(|next| at + next) {
        let changed = if bytes[next] == b'"' {
            at = skip_string(bytes, next);
            let text = Quoted::new(&json[next..at]).text();
            // A string with escapes is not what is written.
            let has_escapes = json[next..at].contains('\\');
            let itself = |redact: &mut Redact<'_>| if has_escapes { redact(&text) } else { None };
            of_text(&text, texts, mark, &mut None, redact).or_else(|| itself(redact)).map(|new| (at, quoted(&new)))
        } else {
            at = next + 1;
            of_lines(json, next, mark, redact)
        };
        // The strings of a list that was replaced are read like all others.
        if let Some((end, new)) = changed.filter(|_| next >= replaced.end()) {
            replaced.add(next..end, &new);
        }
    }
    replaced.whole()
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
        lines += &Quoted::new(&json[at..end]).text().replace('\n', WITHIN);
        at = skip_space(bytes, end);
        match bytes.get(at) {
            Some(b',') => lines.push('\n'),
            _ => break,
        }
        at += 1;
    }
    let mut now = Cow::Borrowed(&*lines);
    for has_plain_titles in [true, false] {
        let reading = Reading { is_unescaped: false, is_page: true, has_plain_titles };
        let seen = reading.of(&now);
        if seen != now
            && let Some(Hidden::InPlace(text) | Hidden::Elsewhere(text)) =
                (Read { text: &now, mark, redact, own: &mut None }).look(seen, reading)
        {
            now = Cow::Owned(text);
        }
    }
    let Cow::Owned(now) = now else { return None };
    let lines: Vec<String> = now.split('\n').map(|line| quoted(&line.replace(WITHIN, "\n"))).collect();
    Some((at + 1, format!("[{}]", lines.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text if everything is replaced in which `secret` is seen.
    fn without(secret: &str, text: &str, is_json: bool) -> String {
        let seen = |reading: &str| reading.contains(secret).then(|| reading.replace(secret, "…"));
        replaced(text, is_json, "…", &mut None, &mut { seen }).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_secret_is_seen_however_a_text_divides_it() {
        for (text, left) in [
            ("<p>key s&#107;-1&lt;", "<p>key …1&lt;"),
            ("<title>s&#107;-1</title><p>text", "<title>…1</title><p>text"),
            ("s<b>k</b>-1", "…<b>…</b>…1"),
            ("s&#107;-1", "…1"),
            ("<p>s<!-- -->k-1", "<p>…<!-- -->…1"),
            ("\x1b[31ms\x1b[0mk-1", "\x1b[31m…\x1b[0m…1"),
            ("s\u{200b}k-1", "…\u{200b}…1"),
            (r"s\x6b-1", "…1"),
            (r"s\\x1b[1mk%2d1", r"…\\x1b[1m…1"),
            ("# s[k](https://a.b)-1\nx", "# …[…](https://a.b)…1\nx"),
            ("# a\n<!--\n<h1>s&#107;-<b\nx>1</h1>\n-->\nb", "# a\n<!--\n…1\n-->\nb"),
            ("<p><h1>s<a href='https://a.b'>k</a>-1</h1>", "<p><h1>…<a href='https://a.b'>…</a>…1</h1>"),
            ("[{'key': 's\\x6b-1'}, {'key': None}]", "[{'key': '…1'}, {'key': None}]"),
            (
                "<?xml version=\"1.0\"?><r><a>1</a><key>s&#107;-1</key></r>",
                "<?xml version=\"1.0\"?><r><a>1</a><key>…1</key></r>",
            ),
            ("n,key\n1,\"s<b>k</b>-1\"\n2,b\n3,c\n", "n,key\n1,\"…<b>…</b>…1\"\n2,b\n3,c\n"),
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
        for (text, left) in [
            ("a sk-1<b>2</b> c", "a …<b>…</b> c"),
            ("a sk-1\x1b[1m2 c", "a …\x1b[1m… c"),
            ("a sk-1 <b>c</b>", "a sk-1 <b>c</b>"),
        ] {
            assert_eq!(replaced(text, false, "…", &mut None, &mut { token }).unwrap_or_else(|| text.to_owned()), left);
        }
    }

    #[test]
    fn of_json_only_the_strings_with_a_secret_change() {
        let json = r#"{"a":["<b>x</b>",{"k":"<b>s</b>k-1"}],"s\u006b-":1,"lines":["<p>s<i","title>k-1","b &lt;"]}"#;
        let left = r#"{"a":["<b>x</b>",{"k":"<b>…</b>…1"}],"…":1,"lines":["<p>…<i","title>…1","b &lt;"]}"#;
        assert_eq!(without("sk-", json, true), left);
        let inner = format!(r#"{{"a":{}}}"#, quoted(r#"{"b":"s\u006b-1","n":1.50}"#));
        assert_eq!(without("sk-", &inner, true), r#"{"a":"{\"b\":\"…1\",\"n\":1.50}"}"#);
    }

    #[test]
    fn a_text_that_is_shown_as_it_is_has_no_other_reading() {
        for text in ["", "sk-1", "a & b <\n c", "[1, 2]", "x [1] y", "é 100 % C:\\x"] {
            let mut seen = Vec::new();
            replaced(text, false, "", &mut None, &mut |reading| (seen.push(reading.to_owned()), None).1);
            assert!(seen.iter().all(|reading| reading == "[1,2]" || reading == text), "{text:?}: {seen:?}");
        }
    }
}
