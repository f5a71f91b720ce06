//! The outline of a text: its headings, each with its level and the lines of its section.
//!
//! A kind of headings counts only with evidence, and the kind with the strongest evidence counts alone: a wrong outline would lead
//! a reader astray.

mod chapters;
mod diff;
mod manual;
mod mark;
mod marked;
mod settings;
mod stages;
mod times;
mod title;
mod underlined;
mod versions;
mod yaml;

use std::borrow::Cow;

use super::html;
use super::log_lines;
use super::markdown;
use mark::Mark;
pub use marked::plain_lines;

/// Headings that a text has at least to have an outline.
const MIN_HEADINGS: usize = 2;

/// What an outline is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headings {
    Html,
    Markdown,
    /// reStructuredText and other texts with underlined headings.
    Underlined,
    /// AsciiDoc, MediaWiki: `== …`.
    Equals,
    Latex,
    Org,
    /// Chapters with numbers, or the word for one.
    Chapters,
    /// A manual page, or any text with headings in capitals.
    Manual,
    /// Sections in brackets, as in TOML.
    Settings,
    /// The documents of a YAML stream.
    Yaml,
    /// Files and hunks of a difference, commits.
    Diff,
    /// Groups, tasks and phases of a log.
    Stages,
    /// Days of a log, and gaps between its lines.
    Times,
}

impl Headings {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Underlined => "underlined",
            Self::Equals => "equals",
            Self::Latex => "latex",
            Self::Org => "org",
            Self::Chapters => "chapters",
            Self::Manual => "manual",
            Self::Settings => "settings",
            Self::Yaml => "yaml",
            Self::Diff => "diff",
            Self::Stages => "stages",
            Self::Times => "times",
        }
    }

    /// Whether a heading names its content, and not only a time.
    pub fn names_content(self) -> bool {
        self != Self::Times
    }
}

/// The outline of a text.
pub struct Outline<'a> {
    pub headings: Headings,
    /// The sections in their order; a section contains those of deeper levels after it.
    pub sections: Vec<Section<'a>>,
}

/// A heading, and the lines under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The line of the heading, from 0, and the line after the section.
    pub line: usize,
    pub end: usize,
    /// From 1.
    pub level: usize,
    pub title: Cow<'a, str>,
}

/// The outline of a text, if it has headings of a known kind. What kind that may be is decided by its start, and by lines of
/// its parts that are looked at.
pub fn of<'a>(text: &'a str, start: &str, looked_at: &[&str]) -> Option<Outline<'a>> {
    let lines: Vec<&str> = text.lines().collect();
    let (headings, mut marks) = marks(text, &lines, start, looked_at)?;
    versions::even(&mut marks);
    Some(Outline { headings, sections: sections(marks, lines.len()) })
}

type FoundMarks<'a> = Option<(Headings, Vec<Mark<'a>>)>;

fn marks<'a>(text: &'a str, lines: &[&'a str], start: &str, looked_at: &[&str]) -> FoundMarks<'a> {
    if html::is_page(start) {
        return some(Headings::Html, of_page(text), 1);
    }
    if markdown::is_markdown(looked_at) {
        return some(Headings::Markdown, marked::markdown(text, lines), 1);
    }
    let is_log = log_lines::is_log(looked_at);
    some(Headings::Diff, diff::marks(lines, looked_at), 1)
        .or_else(|| some(Headings::Stages, stages::marks(lines), MIN_HEADINGS))
        .or_else(|| match is_log {
            true => some(Headings::Times, times::marks(lines), MIN_HEADINGS),
            false => of_document(text, lines, looked_at),
        })
}

fn of_document<'a>(text: &'a str, lines: &[&'a str], looked_at: &[&str]) -> FoundMarks<'a> {
    some(Headings::Manual, manual::pages(lines), 1)
        .or_else(|| some(Headings::Yaml, yaml::marks(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Settings, settings::marks(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Latex, marked::latex(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Org, marked::org(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Underlined, underlined::marks(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Equals, marked::equals(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Chapters, chapters::marks(lines), MIN_HEADINGS))
        .or_else(|| some(Headings::Markdown, marked::likely_markdown(text, lines, looked_at), 1))
        .or_else(|| some(Headings::Manual, manual::capitals(lines), MIN_HEADINGS))
}

fn some(headings: Headings, marks: Vec<Mark<'_>>, least: usize) -> FoundMarks<'_> {
    (marks.len() >= least).then_some((headings, marks))
}

/// The headings of a page, with the lines of its HTML.
fn of_page<'a>(html: &str) -> Vec<Mark<'a>> {
    let page = html::read(html);
    let lines = page.lines(html);
    let mark = |(heading, line): (&html::HtmlHeading, usize)| {
        Mark::new(line, heading.level, title::plain(page.title_of(heading)).into_owned())
    };
    page.headings.iter().zip(lines).map(mark).filter(|mark| !mark.title.is_empty()).collect()
}

/// Sections that end where the next heading of their level or a higher one begins.
fn sections(marks: Vec<Mark<'_>>, lines: usize) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::with_capacity(marks.len());
    let mut open: Vec<usize> = Vec::new();
    for Mark { line, level, title } in marks {
        while let Some(last) = open.pop_if(|&mut last| sections[last].level >= level) {
            // Headings of a page may share a line.
            sections[last].end = sections[last].end.min(line.max(sections[last].line + 1));
        }
        open.push(sections.len());
        sections.push(Section { line, end: lines.max(line + 1), level, title });
    }
    sections
}

#[cfg(test)]
mod tests;
