//! A text as its readers may see it: without the codes of a terminal, as the page of its HTML, as the data in it, with its headings
//! plain. A secret that is divided or escaped in the text is whole there.
//!
//! Whether a text is shown so depends on the call and on the policy, so every text is read in all of these ways.

use std::borrow::Cow;

use toolshape_json::{skip_space, skip_string};
use toolshape_text::prose::{html, outline, terminal};

use crate::base::json_string::{Quoted, quoted};
use crate::value::canonical::canonical;
use crate::value::json_text::JsonText;
use crate::value::source::Source;
use crate::value::structured_text::{self, Formats};

/// How many texts with data may be inside each other.
const MOST_TEXTS: usize = 16;

/// Replaces what a reader sees of a text, or of the texts in JSON, where `replace` changes it; `None` if it changes nothing.
/// `replace` receives the readings that differ from the text, always the same ones in the same order, and returns `None` for what may
/// stay.
pub fn replaced(text: &str, is_json: bool, replace: &mut Replace<'_>) -> Option<String> {
    match is_json {
        true => of_json(text, MOST_TEXTS, replace),
        false => of_text(text, MOST_TEXTS, replace),
    }
}

/// Returns what replaces a reading, or `None` if that may stay.
pub type Replace<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// A plain text. Of its readings that change the last one replaces it, in which the most is read.
fn of_text(text: &str, texts: usize, replace: &mut Replace<'_>) -> Option<String> {
    // Most strings of data have no other reading.
    if !text.bytes().any(|byte| matches!(byte, b'\x1b' | b'<' | b'&' | b'[' | b'{' | b'\n')) {
        return None;
    }
    let shown = terminal::shown(text);
    let page = page(&shown);
    let titles = [outline::plain_lines(&shown), outline::plain_lines(&page)];
    let (mut changed, mut seen) = (None, vec![text]);
    for reading in [&shown, &titles[0], &page, &titles[1]] {
        if !seen.contains(&&**reading) {
            seen.push(reading);
            changed = replace(reading).or(changed);
        }
    }
    of_data(text, texts, replace).or(changed)
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
fn of_data(text: &str, texts: usize, replace: &mut Replace<'_>) -> Option<String> {
    if texts == 0 || !text.contains(['{', '[', '\n', '<']) {
        return None;
    }
    let structure = structured_text::recognize(text, Formats::All)?;
    let source = structure.source(text);
    let json = source.json().ok()?;
    let data = canonical(&json);
    let mut changed = if data == text { None } else { replace(&data) };
    // It may have another spelling.
    changed = changed.filter(|new| JsonText::parse(new).map_or(true, |new| canonical(&new.minified()) != data));
    let changed = of_json(&data, texts - 1, replace).or(changed)?;
    Some(format!("{}{changed}{}", &text[structure.before.clone()], &text[structure.after.clone()]))
}

/// The strings of a JSON text. A list of strings is read as their lines, too.
fn of_json(json: &str, texts: usize, replace: &mut Replace<'_>) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(next) = memchr::memchr2(b'"', b'[', &bytes[at..]).map(|next| at + next) {
        let changed = if bytes[next] == b'"' {
            at = skip_string(bytes, next);
            let text = Quoted::new(&json[next..at]).text();
            of_text(&text, texts, replace).map(|new| (at, quoted(&new)))
        } else {
            at = next + 1;
            of_lines(json, next, replace)
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
fn of_lines(json: &str, start: usize, replace: &mut Replace<'_>) -> Option<(usize, String)> {
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
    let page = page(&lines);
    let titles = outline::plain_lines(&page);
    let mut changed = if page == lines { None } else { replace(&page) };
    if titles != page {
        changed = replace(&titles).or(changed);
    }
    let lines: Vec<String> = changed?.lines().map(quoted).collect();
    Some((at + 1, format!("[{}]", lines.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text if everything is replaced in which `secret` is seen.
    fn without(secret: &str, text: &str, is_json: bool) -> String {
        let seen = |reading: &str| reading.contains(secret).then(|| reading.replace(secret, "…"));
        replaced(text, is_json, &mut { seen }).unwrap_or_else(|| text.to_owned())
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
            ("# s[k](https://a.b)-1\nx", "# …1\nx"),
            ("# a\n<!--\n<h1>s&#107;-<b\nx>1</h1>\n-->\nb", "# a\n<!--\n…1\n-->\nb"),
            ("<p><h1>s<a href='https://a.b'>k</a>-1</h1>", "# …1"),
            (r#"Rows: [{"key":"s\u006b-1","a":[1,2,3,4,5,6,7,8]}]."#, r#"Rows: [{"key":"…1","a":[1,2,3,4,5,6,7,8]}]."#),
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
    fn of_json_only_the_strings_with_a_secret_change() {
        let json = r#"{"a":["<b>x</b>",{"k":"<b>s</b>k-1"}],"s\u006b-":1,"lines":["<p>s<i","title>k-1","b &lt;"]}"#;
        let left = r#"{"a":["<b>x</b>",{"k":"…1"}],"s\u006b-":1,"lines":["…1 b <"]}"#;
        assert_eq!(without("sk-", json, true), left);
        let inner = format!(r#"{{"a":{}}}"#, quoted(r#"{"b":"s\u006b-1","n":1.50}"#));
        assert_eq!(without("sk-", &inner, true), r#"{"a":"{\"b\":\"…1\",\"n\":1.50}"}"#);
    }

    #[test]
    fn a_text_that_is_shown_as_it_is_has_no_other_reading() {
        for text in ["", "sk-1", "a & b <\n c", "[1, 2]", "x [1] y"] {
            let mut seen = Vec::new();
            replaced(text, false, &mut |reading| (seen.push(reading.to_owned()), None).1);
            assert!(seen.iter().all(|reading| reading == "[1,2]"), "{text:?}: {seen:?}");
        }
    }
}
