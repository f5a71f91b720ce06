//! Headings with a mark before them: Markdown, AsciiDoc, MediaWiki, LaTeX, Org.

use std::borrow::Cow;

use super::super::html;
use super::super::markdown;
use super::mark::Mark;
use super::title;

/// Lines and bytes that an HTML heading within Markdown takes at most.
const HTML_LINES: usize = 8;
const HTML_BYTES: usize = 4_000;
/// Lines in which an Org document says that it is one.
const ORG_LINES: usize = 50;
const LATEX: [(&str, usize); 7] = [
    ("\\part", 1),
    ("\\chapter", 1),
    ("\\section", 2),
    ("\\subsection", 3),
    ("\\subsubsection", 4),
    ("\\paragraph", 5),
    ("\\appendix", 1),
];

/// The headings of Markdown, and those written as HTML.
pub(super) fn markdown<'a>(text: &'a str, lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mut marks: Vec<Mark<'a>> = Vec::new();
    let mut found = markdown::headings(text).into_iter().peekable();
    let mut fenced = Fences::default();
    for (line, text) in lines.iter().enumerate() {
        if let Some(heading) = found.next_if(|heading| heading.line == line) {
            marks.push(Mark::new(line, heading.level, title::plain(heading.title)));
        } else if !fenced.is_in(text)
            && let Some(level) = html_level(text)
        {
            let Some((_, page)) = html_heading(&lines[line..]) else { continue };
            let content = page.lines().next().unwrap_or_default();
            if !content.is_empty() {
                marks.push(Mark::new(line, level, title::plain(content).into_owned()));
            }
        }
    }
    marks
}

/// The same of a text that may be Markdown: headings after blank lines, and hardly a line of code.
pub(super) fn likely_markdown<'a>(text: &'a str, lines: &[&'a str], looked_at: &[&str]) -> Vec<Mark<'a>> {
    if lines.first().is_some_and(|line| line.starts_with("#!")) {
        return Vec::new();
    }
    let marks = markdown(text, lines);
    let is_free = |mark: &&Mark<'_>| mark.line == 0 || lines[mark.line - 1].trim().is_empty();
    let free = marks.iter().filter(is_free).count();
    let mut fences = Fences::default();
    let filled: Vec<&&str> = looked_at.iter().filter(|line| !fences.is_in(line) && !line.trim().is_empty()).collect();
    let code = filled.iter().filter(|line| markdown::is_code(line.trim())).count();
    let headings = filled.iter().filter(|line| line.starts_with('#')).count();
    let is_document = free * 5 >= marks.len() * 4 && code * 4 <= filled.len() && headings * 4 <= filled.len() * 3;
    if is_document { marks } else { Vec::new() }
}

/// A text in which each line is as the outline shows it if it is a heading: without markup, and an HTML heading as its text.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    let has_markup = |text: &str| text.contains('<') || text.contains("](");
    if !has_markup(text) {
        return Cow::Borrowed(text);
    }
    let show = |line: &str, shown: &mut String, is_first: &mut bool| {
        if !std::mem::take(is_first) {
            shown.push('\n');
        }
        match title::split(line) {
            (start, rest) if has_markup(start) => {
                shown.push_str(&title::plain(start));
                shown.push_str(rest);
            }
            _ => shown.push_str(line),
        }
    };
    // Most lines are shown as they are: only from the first that is not they are written.
    let (mut shown, mut is_first, mut same) = (None, true, 0);
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        let heading = html_level(line).and_then(|_| {
            let near: Vec<&str> = std::iter::once(line).chain(lines.clone()).take(HTML_LINES).collect();
            html_heading(&near)
        });
        if shown.is_none() && heading.is_none() && !has_markup(title::split(line).0) {
            (is_first, same) = (false, same + line.len() + 1);
            continue;
        }
        let shown = shown.get_or_insert_with(|| {
            let mut shown = String::with_capacity(text.len());
            shown.push_str(&text[..same.saturating_sub(1)]);
            shown
        });
        match heading {
            Some((count, page)) => {
                page.lines().for_each(|line| show(line, shown, &mut is_first));
                lines.by_ref().take(count - 1).for_each(drop);
            }
            None => show(line, shown, &mut is_first),
        }
    }
    match shown {
        Some(shown) if shown != text => Cow::Owned(shown),
        _ => Cow::Borrowed(text),
    }
}

/// How many lines the HTML heading has that begins with the first of these, and its text; `None` if it is too long.
fn html_heading(lines: &[&str]) -> Option<(usize, String)> {
    let close = lines.iter().take(HTML_LINES).position(|text| text.contains("</h")).unwrap_or(0);
    let lines = &lines[..=close];
    let bytes: usize = lines.iter().map(|text| text.len()).sum();
    let page = || html::read(&lines.join("\n")).text.trim_start_matches(['#', ' ']).to_owned();
    (bytes <= HTML_BYTES).then(|| (lines.len(), page()))
}

fn html_level(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix("<h").or_else(|| line.trim_start().strip_prefix("<H"))?;
    let level = rest.bytes().next().filter(u8::is_ascii_digit)? - b'0';
    ((1..=6).contains(&level) && rest[1..].starts_with([' ', '>'])).then_some(usize::from(level))
}

/// `== Title` (AsciiDoc) and `== Title ==` (MediaWiki).
pub(super) fn equals<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mut in_block = false;
    let mut marks = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let text = text.trim_end();
        // Listings and literals of AsciiDoc.
        if text.len() >= 4 && (text.bytes().all(|byte| byte == b'-') || text.bytes().all(|byte| byte == b'.')) {
            in_block = !in_block;
            continue;
        }
        let level = text.bytes().take_while(|byte| *byte == b'=').count();
        let content = text[level..].trim_end_matches('=').trim();
        let is_free = line == 0 || lines[line - 1].trim().is_empty() || lines[line - 1].starts_with('[');
        let is_marked = (1..=6).contains(&level) && (text[level..].starts_with(' ') || text.ends_with("=="));
        if !in_block && is_marked && is_free && content.chars().any(char::is_alphanumeric) {
            marks.push(Mark::new(line, level, title::plain(content)));
        }
    }
    marks
}

/// `\section{…}`.
pub(super) fn latex<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mark = |(line, text): (usize, &&'a str)| {
        let text = text.trim_start();
        let (command, level) = LATEX
            .iter()
            .find(|(command, _)| text.strip_prefix(command).is_some_and(|rest| rest.starts_with(['{', '*', '['])))?;
        let inside = text[command.len()..].split_once('{')?.1;
        let content = inside.rsplit_once('}').map_or(inside, |(content, _)| content);
        Some(Mark::new(line, *level, title::plain(content)))
    };
    lines.iter().enumerate().filter_map(mark).collect()
}

/// `** Title`, in a document with settings such as `#+TITLE`.
pub(super) fn org<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    if !lines.iter().take(ORG_LINES).any(|line| line.starts_with("#+")) {
        return Vec::new();
    }
    let mark = |(line, text): (usize, &&'a str)| {
        let level = text.bytes().take_while(|byte| *byte == b'*').count();
        (level > 0 && text[level..].starts_with(' ')).then(|| Mark::new(line, level, title::plain(&text[level..])))
    };
    lines.iter().enumerate().filter_map(mark).collect()
}

/// Which lines are in a code fence.
#[derive(Default)]
pub(super) struct Fences {
    open: Option<&'static str>,
}

impl Fences {
    /// Whether the next line is in a fence, or opens or closes one.
    pub fn is_in(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence));
        match (self.open, fence) {
            (None, None) => false,
            (None, fence) => {
                self.open = fence;
                true
            }
            (open, fence) => {
                if open == fence {
                    self.open = None;
                }
                true
            }
        }
    }
}
