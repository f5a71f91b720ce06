//! HTML as the text that a reader of the page sees.
//!
//! Headings, paragraphs, lists, tables (cells with ` | ` between them), links as `[text](href)`, alternative texts of
//! images and preformatted text stay; scripts, styles and what is hidden go. One pass over the page; nothing that is not
//! closed is hidden, so that broken markup loses nothing.

mod entities;
mod page;
mod page_start;
mod spans;
mod tokens;

use spans::OpenTable;
use tokens::{HtmlToken, Tag, Tokens};

pub use entities::reference;
pub use page::{HtmlHeading, HtmlPage};
pub use page_start::is_page;

/// Nested lists are indented at most so often.
const MAX_INDENTS: usize = 8;
/// A longer address says nothing to a reader.
const MAX_HREF_BYTES: usize = 500;
/// The bytes of text whose references are decoded at once.
const AT_ONCE: usize = 1 << 14;
/// Elements that are open and may take back what was written: a few, however deep the page nests.
const MAX_OPEN: usize = 64;

/// Reads a page, and the text before it as plain text.
pub fn read(html: &str) -> HtmlPage {
    let mut reader = HtmlReader { html, out: String::with_capacity(html.len()), ..HtmlReader::default() };
    let (preface, page) = html.split_at(page_start::preface_end(html));
    if !preface.is_empty() {
        reader.out.push_str(preface.trim());
        reader.gap(Gap::Paragraph);
    }
    for token in Tokens::new(page) {
        match token {
            HtmlToken::Text(text) => reader.encoded(text),
            HtmlToken::Raw { name: "title", text } => reader.title(&entities::decoded(text, false)),
            HtmlToken::Raw { name: "textarea", text } => reader.encoded(text),
            HtmlToken::Raw { .. } => {}
            HtmlToken::Start(tag) => reader.start(&tag),
            HtmlToken::End(name) => reader.end(&name),
        }
    }
    reader.finish()
}

/// What has to be written before the next text.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

/// An element that is open, and where what is in it begins.
enum OpenElement {
    /// Everything in it goes when it is closed.
    Hidden { name: String, nested: usize, from: usize },
    /// It begins with the first text in it.
    Link { href: String, from: Option<usize> },
}

#[derive(Default)]
struct HtmlReader<'a> {
    html: &'a str,
    title: String,
    out: String,
    gap: Gap,
    open: Vec<OpenElement>,
    /// Ordered lists count their items; unordered ones have none.
    lists: Vec<Option<usize>>,
    tables: Vec<OpenTable>,
    /// The bytes of cells that are written again, at most as many as the page has.
    repeated: usize,
    preformatted: usize,
    /// The mark of a heading or an item, which is written if a text follows.
    mark: String,
    /// The heading whose mark that is.
    marked: Option<HtmlHeading>,
    headings: Vec<HtmlHeading>,
}

impl HtmlReader<'_> {
    fn gap(&mut self, gap: Gap) {
        // A block in a cell does not end the row.
        let most = if self.is_in_row() { Gap::Space } else { Gap::Paragraph };
        self.gap = self.gap.max(gap.min(most));
    }

    /// Writes what comes before a text: the gap, unless nothing precedes it, and the mark.
    fn begin(&mut self) {
        let gap = if self.out.is_empty() { Gap::None } else { self.gap };
        self.gap = Gap::None;
        match gap {
            Gap::Line | Gap::Paragraph => {
                self.out.truncate(self.out.trim_end_matches(' ').len());
                let breaks = if gap == Gap::Line { 1 } else { 2 };
                let has = self.out.bytes().rev().take(2).take_while(|byte| *byte == b'\n').count();
                (has..breaks).for_each(|_| self.out.push('\n'));
            }
            Gap::Space if !self.out.ends_with([' ', '\n']) => self.out.push(' '),
            _ => {}
        }
        if let Some(heading) = self.marked.take().filter(|_| !self.mark.is_empty()) {
            self.headings.push(HtmlHeading { at: self.out.len(), ..heading });
        }
        self.out.push_str(&std::mem::take(&mut self.mark));
        for open in &mut self.open {
            if let OpenElement::Link { from, .. } = open {
                from.get_or_insert(self.out.len());
            }
        }
    }

    fn is_in_row(&self) -> bool {
        self.tables.last().is_some_and(|table| table.has_cell)
    }

    /// Divides a cell from the one before it in its row.
    fn begin_cell(&mut self) {
        if self.is_in_row() {
            self.drop_mark();
            // The cells before it are empty.
            if self.gap >= Gap::Line {
                self.begin();
            }
            self.gap = Gap::None;
            self.out.truncate(self.place());
            self.out.push_str(" | ");
        } else {
            self.gap = self.gap.max(Gap::Line);
        }
    }

    /// Ends the open cell, whose text is also in the other columns that it spans.
    fn end_cell(&mut self) {
        let texts = self.tables.last_mut().map(|table| table.end(&self.out)).unwrap_or_default();
        texts.iter().for_each(|text| self.repeat(text));
    }

    /// Writes the texts of cells above that span the next columns.
    fn write_spanned(&mut self) {
        while let Some(text) = self.tables.last_mut().and_then(OpenTable::spanned) {
            self.repeat(&text);
        }
    }

    fn repeat(&mut self, text: &str) {
        self.repeated += text.len() + " | ".len();
        if self.repeated > self.html.len() {
            return;
        }
        self.begin_cell();
        if !text.is_empty() {
            self.begin();
            self.out.push_str(text);
        }
        if let Some(table) = self.tables.last_mut() {
            table.has_cell = true;
        }
    }

    fn end_row(&mut self) {
        if self.is_in_row() {
            self.end_cell();
            self.write_spanned();
        }
        if let Some(table) = self.tables.last_mut() {
            table.end_row();
        }
        self.gap(Gap::Line);
    }

    /// Forgets a mark that no text followed.
    fn drop_mark(&mut self) {
        self.mark.clear();
        self.marked = None;
    }

    /// A text with character references. A long one is read up to one of them at a time.
    fn encoded(&mut self, mut text: &str) {
        while let Some(next) = text.as_bytes().get(AT_ONCE..).and_then(|rest| memchr::memchr(b'&', rest)) {
            let (now, rest) = text.split_at(AT_ONCE + next);
            self.text(&entities::decoded(now, false));
            text = rest;
        }
        self.text(&entities::decoded(text, false));
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            // A line break right after the tag is none of the text.
            let text = if self.mark.is_empty() { text } else { text.strip_prefix('\n').unwrap_or(text) };
            if !text.is_empty() {
                self.begin();
                self.out.push_str(text);
            }
            return;
        }
        let bytes = text.as_bytes();
        let mut at = skip_space(bytes, 0);
        if at > 0 && self.mark.is_empty() {
            self.gap = self.gap.max(Gap::Space);
        }
        if at == bytes.len() {
            return;
        }
        self.begin();
        // Words that one space divides are written together.
        let mut from = at;
        while at < bytes.len() {
            if !is_space(bytes[at]) {
                at += 1;
                continue;
            }
            let next = skip_space(bytes, at);
            if next == at + 1 && bytes[at] == b' ' && next < bytes.len() {
                at = next;
                continue;
            }
            self.out.push_str(&text[from..at]);
            if next == bytes.len() {
                self.gap = self.gap.max(Gap::Space);
                return;
            }
            self.out.push(' ');
            (from, at) = (next, next);
        }
        self.out.push_str(&text[from..]);
    }

    fn title(&mut self, title: &str) {
        if self.title.is_empty() {
            self.title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }

    /// Where an element begins whose content may be taken back or put in brackets.
    fn place(&self) -> usize {
        // No gap goes back behind it.
        self.out.trim_end_matches(' ').len()
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let name = &*tag.name;
        for open in &mut self.open {
            if let OpenElement::Hidden { name: hidden, nested, .. } = open
                && hidden == name
            {
                *nested += 1;
            }
        }
        if is_hidden(tag) && !tag.is_void() && self.open.len() < MAX_OPEN {
            let from = self.place();
            self.open.push(OpenElement::Hidden { name: name.to_owned(), nested: 0, from });
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.gap(Gap::Paragraph);
                let level = usize::from(name.as_bytes()[1] - b'0');
                if !self.is_in_row() {
                    self.mark = "#".repeat(level) + " ";
                    let source = tag.source.as_ptr() as usize - self.html.as_ptr() as usize;
                    self.marked = Some(HtmlHeading { level, source, at: 0 });
                }
            }
            "br" => self.gap(Gap::Line),
            "hr" => {
                self.gap(Gap::Paragraph);
                self.begin();
                self.out.push_str("---");
                self.gap(Gap::Paragraph);
            }
            "ul" | "ol" | "menu" | "dir" => {
                self.gap(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
                let first = tag.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1usize);
                self.lists.push((name == "ol").then_some(first));
            }
            "li" => {
                self.gap(Gap::Line);
                let indents = self.lists.len().saturating_sub(1).min(MAX_INDENTS);
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{}{number}. ", "  ".repeat(indents));
                        *number = number.saturating_add(1);
                        mark
                    }
                    _ => "  ".repeat(indents) + "- ",
                };
                (self.mark, self.marked) = (mark, None);
            }
            "table" => {
                self.gap(Gap::Paragraph);
                self.tables.push(OpenTable::default());
                self.gap(Gap::Paragraph);
            }
            "tr" => self.end_row(),
            "td" | "th" if self.tables.is_empty() => self.gap(Gap::Space),
            "td" | "th" => {
                self.end_cell();
                self.write_spanned();
                self.begin_cell();
                let from = self.out.len();
                if let Some(table) = self.tables.last_mut() {
                    table.begin(tag, from);
                }
            }
            "pre" => {
                self.gap(Gap::Paragraph);
                self.mark += "```\n";
                self.preformatted += 1;
            }
            "a" => {
                // A link cannot be in another one.
                self.close_link();
                let href = tag.attribute("href").filter(|href| is_address(href));
                if let Some(href) = href.filter(|_| self.open.len() < MAX_OPEN) {
                    self.open.push(OpenElement::Link { href, from: None });
                }
            }
            "img" => {
                if let Some(alt) = tag.attribute("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.begin();
                    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.out += &format!("![{alt}]");
                }
            }
            "option" | "dt" | "dd" | "figcaption" | "caption" | "summary" | "legend" => self.gap(Gap::Line),
            _ if is_block(name) => self.gap(Gap::Paragraph),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.drop_mark();
                self.gap(Gap::Paragraph);
            }
            "li" => {
                self.drop_mark();
                self.gap(Gap::Line);
            }
            "ul" | "ol" | "menu" | "dir" => {
                self.lists.pop();
                self.gap(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
            }
            "table" => {
                self.end_row();
                self.tables.pop();
                self.gap = self.gap.max(Gap::Line);
                self.gap(Gap::Paragraph);
            }
            "tr" => self.end_row(),
            "pre" if self.preformatted > 0 => {
                self.preformatted -= 1;
                // Without the mark there was no text.
                if self.mark.is_empty() {
                    if !self.out.ends_with('\n') {
                        self.out.push('\n');
                    }
                    self.out.push_str("```");
                }
                self.drop_mark();
                self.gap(Gap::Paragraph);
            }
            "a" => self.close_link(),
            "dt" | "dd" | "figcaption" | "caption" | "summary" | "legend" | "option" => self.gap(Gap::Line),
            _ if is_block(name) => self.gap(Gap::Paragraph),
            _ => {}
        }
        self.close_hidden(name);
    }

    fn close_link(&mut self) {
        let Some(at) = self.open.iter().rposition(|open| matches!(open, OpenElement::Link { .. })) else { return };
        let OpenElement::Link { href, from } = self.open.remove(at) else { return };
        let inside = from.and_then(|from| self.out.get(from..)).unwrap_or_default();
        let text = inside.trim();
        // A reader sees no link where it shows nothing, or only its own address.
        if text.is_empty() || text == href || self.preformatted > 0 {
            return;
        }
        let start = self.out.len() - inside.trim_start().len();
        // A link that is closed in a hidden element ends before that element, of which nothing stays.
        let mut end = self.out.len();
        let address = format!("]({href})");
        for open in &mut self.open {
            if let OpenElement::Hidden { from, .. } = open
                && *from > start
            {
                end = end.min(*from);
                *from += 1 + address.len();
            }
        }
        for heading in self.headings.iter_mut().rev().take_while(|heading| heading.at >= start) {
            heading.at += if heading.at >= end { 1 + address.len() } else { 1 };
        }
        self.out.insert_str(end, &address);
        self.out.insert(start, '[');
    }

    /// Takes back what a hidden element showed.
    fn close_hidden(&mut self, closed: &str) {
        let mut to = None;
        for (at, open) in self.open.iter_mut().enumerate().rev() {
            if let OpenElement::Hidden { name, nested, from } = open
                && name == closed
            {
                if *nested == 0 {
                    to = Some((at, *from));
                } else {
                    *nested -= 1;
                }
            }
        }
        if let Some((at, from)) = to {
            self.open.truncate(at);
            self.out.truncate(from);
            self.headings.truncate(self.headings.partition_point(|heading| heading.at < from));
            self.drop_mark();
            self.gap(Gap::Space);
        }
    }

    fn finish(mut self) -> HtmlPage {
        self.close_link();
        if self.preformatted > 0 && self.mark.is_empty() {
            self.out.push_str("\n```");
        }
        self.out.truncate(self.out.trim_end_matches(|c: char| c.is_ascii_whitespace()).len());
        self.headings.retain(|heading| heading.at < self.out.len());
        self.out.shrink_to_fit();
        HtmlPage { title: self.title, text: self.out, headings: self.headings }
    }
}

/// Whether a byte is white space of HTML.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// The first place from `at` on that is not white space.
fn skip_space(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| !is_space(*byte)).map_or(bytes.len(), |found| at + found)
}

/// Whether an address is a link to another page: no script, no place on the same page, no data.
fn is_address(href: &str) -> bool {
    let start = href.trim_start().get(..11).unwrap_or(href).to_ascii_lowercase();
    !href.trim().is_empty()
        && href.len() <= MAX_HREF_BYTES
        && !["javascript:", "data:", "#"].iter().any(|none| start.starts_with(none))
}

/// Elements whose content no reader sees. Raw texts such as scripts are tokens of their own.
fn is_hidden(tag: &Tag<'_>) -> bool {
    if matches!(&*tag.name, "html" | "body" | "main") {
        // Scripts show these when they have loaded.
        return false;
    }
    matches!(&*tag.name, "svg" | "template" | "noscript")
        || tag.has_attribute("hidden")
        || tag.attribute("style").is_some_and(|style| {
            let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        })
}

/// Whether the page shows what comes before and after a tag of this name as different words.
pub fn divides_words(name: &str) -> bool {
    const OTHERS: [&str; 26] = [
        "h1", "h2", "h3", "h4", "h5", "h6", "br", "hr", "ul", "ol", "menu", "dir", "li", "table", "tr", "td", "th",
        "pre", "option", "dt", "dd", "figcaption", "caption", "summary", "legend", "title",
    ];
    is_block(name) || OTHERS.contains(&name)
}

fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 24] = [
        "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset",
        "figure", "footer", "form", "header", "hgroup", "iframe", "main", "nav", "p", "section", "select", "video",
        "audio",
    ];
    BLOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_link_that_is_closed_in_a_hidden_element_ends_before_it() {
        for (html, text) in [
            ("<p><a href=/x>Caf\u{e9}<div hidden>y</a></div>z", "[Caf\u{e9}](/x)\n\nz"),
            ("<p><a href=/x>Caf\u{e9}<svg><a href=/y>z</a></svg></a> w", "[Caf\u{e9}](/x) w"),
            ("<p><a href=/x>Caf\u{e9}<template><h2>t<a href=/y>z</a></template><h2>w", "[Caf\u{e9}](/x)\n\n## w"),
            ("<p>a<div hidden>b<a href=/x>c<svg>d</a></svg></div>e", "a\n\ne"),
            ("<p>a<div hidden><a href=/x>c</a></div>e", "a\n\ne"),
        ] {
            let page = read(&format!("<!doctype html>{html}"));
            assert_eq!(page.text, text, "{html}");
            assert!(page.headings.iter().all(|heading| page.text[heading.at..].starts_with('#')), "{html}");
        }
    }

    #[test]
    fn a_page_is_what_a_reader_sees() {
        let html = "<!DOCTYPE html><html><head><title>A  &amp; B</title><style>body{margin:0}</style>\
            <script>if (a < b) { document.write(\"</div>\") }</script></head><body><div style=\"display: none\">x<div>y</div></div>\
            <nav><a href=\"/\">Home</a> <a href='#top'>Top</a></nav><h1>Title <em>one</em></h1><p>Some\n words&nbsp;&mdash; caf&eacute; \
            &#x2603; &unknown; <a href=\"https://x.org/a?b=1&amp;c=2\"> a link </a>.<p>Next<br>line<ul><li>one<ul><li>two</ul><li>three</ul>\
            <ol start=3><li>c</li><li>d</li></ol><table><tr><th>k</th><th>v</th></tr><tr><td><p>a</p></td><td>b<br>c</td></tr></table>\
            <pre>  x\n   y &lt;z&gt;\n</pre><img src=a.png alt='A picture'><svg><title>no</title></svg><!-- none --><hr>End";
        let page = read(html);
        assert_eq!(page.title, "A & B");
        assert_eq!(
            page.text,
            "[Home](/) Top\n\n# Title one\n\nSome words\u{a0}— café ☃ &unknown; [a link](https://x.org/a?b=1&c=2) .\n\n\
             Next\nline\n\n- one\n  - two\n- three\n\n3. c\n4. d\n\nk | v\na | b c\n\n```\n  x\n   y <z>\n```\n\n![A picture]\n\n---\n\nEnd"
        );
    }

    #[test]
    fn what_comes_before_a_page_stays_as_it_is() {
        let page = read("Raw  content:\nContents of https://x.test/:\n<!doctype html><h1>A</h1><p>b\n c");
        assert_eq!(page.text, "Raw  content:\nContents of https://x.test/:\n\n# A\n\nb c");
        assert_eq!(page.headings[0].at, page.text.find('#').unwrap());
    }

    #[test]
    fn an_attribute_begins_with_any_character() {
        assert_eq!(read("<p>one <a /\u{74040}h href=x>two</a>").text, "one [two](x)");
    }

    #[test]
    fn headings_keep_their_places() {
        let html = "<h1>\n One</h1>\n<p hidden><h2>no</h2></p>\n<div hidden><h2>gone</h2></div>\n<a href=/x>\n<h2 id=a>Two <b>b</b></h2></a>\n\
            <h3></h3><ul><li><h3>Three</h3></ul><table><tr><td><h4>cell</h4></table><h2>Ünd</h2>";
        let page = read(html);
        let found: Vec<_> = page
            .headings
            .iter()
            .map(|heading| (heading.level, html[..heading.source].matches('\n').count() + 1, page.title_of(heading)))
            .collect();
        let wanted = [(1, 1, "One"), (2, 6, "[Two b](/x)"), (3, 7, "Three"), (2, 7, "Ünd")];
        assert_eq!(found, wanted, "{}", page.text);
    }

    #[test]
    fn what_is_not_closed_is_not_hidden() {
        assert_eq!(read("<p>a<div hidden>b<p>c").text, "a\n\nb\n\nc");
        assert_eq!(read("<p>a<a href=x>b").text, "a[b](x)");
        assert_eq!(read("<ul><li><a href=x>b</a><li><a href=y><img></a></ul>").text, "- [b](x)");
        assert_eq!(read("a < b and c > d & e <1 </").text, "a < b and c > d & e <1 </");
        assert_eq!(read("<table><tr><td>a<table><tr><td>b<td>c</table>d<td>e</table>f").text, "a\n\nb | c\nd | e\n\nf");
    }

    #[test]
    fn a_cell_that_spans_others_is_in_each_of_them() {
        let text = |rows: &str| super::read(&format!("<table>{rows}</table>")).text;
        let spans = "<tr><th rowspan=2>Region<th rowspan=2>Site<th colspan=2>kWh<tr><th>Q2<th>Q1\
            <tr><td rowspan=2>North<td>S1<td>1<td>2<tr><td>S2<td>3<td>4<tr><td>South<td>S3<td>5<td>6";
        let wanted = "Region | Site | kWh | kWh\nRegion | Site | Q2 | Q1\nNorth | S1 | 1 | 2\nNorth | S2 | 3 | 4\nSouth | S3 | 5 | 6";
        assert_eq!(text(spans), wanted);
        assert_eq!(text("<tr><td>a<td rowspan=3>b<tr><td>c<tr><td>d<tr><td>e"), "a | b\nc | b\nd | b\ne");
        assert_eq!(text("<tr><td>a<td>b<tr><td><td>c"), "a | b\n | c");
        // What is repeated is at most as long as the page.
        let rows = "<tr><td>b".repeat(4_000);
        let long = text(&format!("<tr><td rowspan=1000 colspan=64>{}{rows}", "a".repeat(200)));
        assert!(long.len() < 3 * rows.len(), "{}", long.len());
    }
}
