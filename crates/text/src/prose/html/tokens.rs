//! The tokens of HTML, as far as its text depends on them (WHATWG HTML, section 13.2.5).
//!
//! Every text is HTML: what is not a tag is text, as in a browser. Markup that does not end, where a browser would show
//! nothing more, is text up to the end: so nothing is lost, and no end is looked for twice.

use std::borrow::Cow;

/// A token of a page.
#[derive(Debug, PartialEq)]
pub(super) enum HtmlToken<'a> {
    /// Text, with its character references.
    Text(&'a str),
    /// The content of an element that has no markup in it.
    Raw {
        name: &'static str,
        text: &'a str,
    },
    Start(Tag<'a>),
    /// The name of an end tag, in lower case.
    End(Cow<'a, str>),
}

/// A start tag.
#[derive(Debug, PartialEq)]
pub(super) struct Tag<'a> {
    /// In lower case.
    pub name: Cow<'a, str>,
    /// The part between the name and the end of the tag.
    pub source: &'a str,
}

const CDATA: &str = "<![CDATA[";

/// Elements whose content is not markup.
const RAW: [&str; 8] = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];
const VOID: [&str; 13] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

impl Tag<'_> {
    pub fn is_void(&self) -> bool {
        VOID.contains(&&*self.name) || self.source.ends_with('/')
    }

    pub fn has_attribute(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The value of an attribute, decoded; the first of its name counts.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.find(name).map(|value| super::entities::decoded(value, true).into_owned())
    }

    fn find(&self, wanted: &str) -> Option<&str> {
        let mut rest = self.source;
        // Most tags have no attributes, or not this one.
        let first = wanted.as_bytes()[0];
        memchr::memchr2(first, first.to_ascii_uppercase(), rest.as_bytes())?;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/');
            // An attribute may begin with `=`.
            let end = rest.char_indices().skip(1).find(|(_, c)| is_end(*c)).map_or(rest.len(), |(at, _)| at);
            let (name, after) = rest.split_at(end);
            let (value, after) = match after.trim_start().strip_prefix('=') {
                None => ("", after),
                Some(value) => value_at_start(value.trim_start()),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// The value of an attribute, and what follows it.
fn value_at_start(text: &str) -> (&str, &str) {
    match text.as_bytes().first() {
        Some(&quote) if matches!(quote, b'"' | b'\'') => {
            let inside = &text[1..];
            let end = memchr::memchr(quote, inside.as_bytes());
            end.map_or((inside, ""), |end| (&inside[..end], &inside[end + 1..]))
        }
        _ => text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len())),
    }
}

/// The tokens of a page.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The element whose raw content comes next.
    raw: Option<&'static str>,
    /// Whether what is left is text.
    is_text: bool,
}

impl<'a> Tokens<'a> {
    pub fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None, is_text: false }
    }

    /// The content of a raw element up to its end tag.
    fn raw(&mut self, name: &'static str) -> Option<HtmlToken<'a>> {
        let text = self.rest;
        let is_end = |&at: &usize| {
            let after = &text.as_bytes()[at + 1..];
            after.first() == Some(&b'/')
                && after.get(1..1 + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
                && after
                    .get(1 + name.len())
                    .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
        };
        let end = memchr::memchr_iter(b'<', text.as_bytes()).find(is_end)?;
        self.rest = &text[end..];
        Some(HtmlToken::Raw { name, text: &text[..end] })
    }

    /// What begins with `<`: a tag, or what is skipped; text if it is neither, or does not end.
    fn markup(&mut self) -> Markup<'a> {
        let text = self.rest;
        let bytes = text.as_bytes();
        let found = match bytes.get(1) {
            Some(b'!') if text.starts_with("<!--") => comment_end(bytes).map(|end| (Markup::Skipped, &text[end..])),
            // A comment to HTML, and text to the XHTML of wikis.
            Some(b'!') if text.starts_with(CDATA) => {
                let inside = &text[CDATA.len()..];
                inside.find("]]>").map(|end| (Markup::Token(HtmlToken::Text(&inside[..end])), &inside[end + 3..]))
            }
            Some(b'!' | b'?') => memchr::memchr(b'>', bytes).map(|end| (Markup::Skipped, &text[end + 1..])),
            Some(b'/') if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => {
                tag(&text[2..]).map(|(name, _, after)| (Markup::Token(HtmlToken::End(name)), after))
            }
            Some(byte) if byte.is_ascii_alphabetic() => tag(&text[1..]).map(|(name, source, after)| {
                self.raw = RAW.into_iter().find(|raw| *raw == name);
                (Markup::Token(HtmlToken::Start(Tag { name, source })), after)
            }),
            _ => return Markup::Text,
        };
        match found {
            Some((markup, after)) => {
                self.rest = after;
                markup
            }
            None => {
                self.is_text = true;
                Markup::Text
            }
        }
    }
}

enum Markup<'a> {
    Token(HtmlToken<'a>),
    Skipped,
    Text,
}

/// The end of the comment at the start: `-->`, which may share its hyphens with `<!--`, or `--!>`.
fn comment_end(bytes: &[u8]) -> Option<usize> {
    let ends = memchr::memchr_iter(b'>', bytes).filter(|&at| at >= 4);
    let is_end = |&at: &usize| bytes[..at].ends_with(b"--") || (at >= 7 && bytes[..at].ends_with(b"--!"));
    let mut ends = ends.filter(is_end);
    ends.next().map(|at| at + 1)
}

/// The name of a tag in lower case, what follows it, and what follows the tag. A quoted value may contain `>`.
fn tag(text: &str) -> Option<(Cow<'_, str>, &str, &str)> {
    let bytes = text.as_bytes();
    let name = bytes.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))?;
    let mut at = name;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', &bytes[at..])?;
        let quote = bytes[at];
        if quote == b'>' {
            let tag = &text[..name];
            let is_lower = !tag.bytes().any(|byte| byte.is_ascii_uppercase());
            let tag = if is_lower { Cow::Borrowed(tag) } else { Cow::Owned(tag.to_ascii_lowercase()) };
            return Some((tag, &text[name..at], &text[at + 1..]));
        }
        // Only after `=` does a quote open a value.
        let is_value = text[name..at].trim_end().ends_with('=');
        at += 1;
        if is_value {
            at += memchr::memchr(quote, &bytes[at..])? + 1;
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = HtmlToken<'a>;

    fn next(&mut self) -> Option<HtmlToken<'a>> {
        if let Some(name) = self.raw.take() {
            match self.raw(name) {
                Some(raw) => return Some(raw),
                None => self.is_text = true,
            }
        }
        while self.rest.starts_with('<') && !self.is_text {
            match self.markup() {
                Markup::Token(token) => return Some(token),
                Markup::Skipped => {}
                Markup::Text => break,
            }
        }
        if self.rest.is_empty() {
            return None;
        }
        // The first character is text even if it is `<`.
        let end = match self.is_text {
            true => None,
            false => memchr::memchr(b'<', &self.rest.as_bytes()[1..]),
        };
        let (text, rest) = self.rest.split_at(end.map_or(self.rest.len(), |end| end + 1));
        self.rest = rest;
        Some(HtmlToken::Text(text))
    }
}
