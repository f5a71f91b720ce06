//! A page as text, and its headings.

/// A page as text.
pub struct HtmlPage {
    pub title: String,
    pub text: String,
    /// Its headings, in their order.
    pub headings: Vec<HtmlHeading>,
}

/// A heading of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtmlHeading {
    /// From 1 to 6.
    pub level: usize,
    /// The byte of the HTML in its tag.
    pub source: usize,
    /// The byte of the text at which it begins, with its mark.
    pub at: usize,
}

impl HtmlPage {
    /// The lines of the HTML in which the headings begin, from 0.
    pub fn lines(&self, html: &str) -> Vec<usize> {
        let (mut line, mut seen) = (0, 0);
        let line = |heading: &HtmlHeading| {
            line += memchr::memchr_iter(b'\n', &html.as_bytes()[seen..heading.source]).count();
            seen = heading.source;
            line
        };
        self.headings.iter().map(line).collect()
    }

    /// What a heading says, without its mark.
    pub fn title_of(&self, heading: &HtmlHeading) -> &str {
        let line = self.text.get(heading.at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        line.trim_start_matches('#').trim()
    }
}
