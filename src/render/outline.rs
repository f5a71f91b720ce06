//! The outline of a document: the headings of what is not shown, as many as have room, higher ones first.

use toolshape_text::prose::html::{self as page, HtmlPage};
use toolshape_text::prose::markdown;
use toolshape_text::prose::piece::spread;

use crate::base::json_string;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::value::token_count::Measure;

/// A longer heading is cut, so that it leaves room for others.
pub(crate) const HEADING_CHARS: usize = 100;
/// After this many headings that do not fit, the others are not tried.
const MOST_MISSES: usize = 64;

/// The headings of a document, in their order.
#[derive(Default)]
pub(crate) struct HeadingOutline {
    headings: Vec<OutlineHeading>,
}

struct OutlineHeading {
    char: usize,
    level: usize,
    /// What is shown of it: its mark and, if a caller can ask for lines, its line.
    text: String,
}

impl OutlineHeading {
    fn new(char: usize, level: usize, line: Option<usize>, title: &str) -> Self {
        let mark = "#".repeat(level);
        let title = text_cuts::clipped(title, HEADING_CHARS);
        let line = line.map_or(String::new(), |line| format!("{} ", line + 1));
        Self { char, level, text: format!("{line}{mark} {title}") }
    }
}

impl HeadingOutline {
    /// The outline of a text in Markdown; `line` is the number of a line, both counted from 0.
    pub fn of(text: &str, line: impl Fn(usize) -> usize) -> Self {
        let heading = |heading: markdown::MarkdownHeading<'_>| {
            OutlineHeading::new(heading.char, heading.level, Some(line(heading.line)), heading.title)
        };
        Self { headings: markdown::headings(text).into_iter().map(heading).collect() }
    }

    /// The outline of a page; with the lines of its HTML, if that is given, unless most headings share theirs with another.
    pub fn of_page(page: &HtmlPage, html: Option<&str>) -> Self {
        let lines = html.map_or_else(Vec::new, |html| page.lines(html));
        let shared = lines.windows(2).filter(|two| two[0] == two[1]).count();
        let has_lines = shared * 2 <= lines.len();
        let (mut chars, mut counted) = (0, 0);
        let heading = |(index, heading): (usize, &page::HtmlHeading)| {
            chars += page.text[counted..heading.at].chars().count();
            counted = heading.at;
            let line = lines.get(index).copied().filter(|_| has_lines);
            OutlineHeading::new(chars, heading.level, line, page.title_of(heading))
        };
        Self { headings: page.headings.iter().enumerate().map(heading).collect() }
    }

    /// Whether its headings have line numbers.
    pub fn has_lines(&self) -> bool {
        self.headings.first().is_some_and(|heading| heading.text.starts_with(|c: char| c.is_ascii_digit()))
    }

    pub fn len(&self) -> usize {
        self.headings.len()
    }

    /// The headings between two characters that have room in this many tokens, and the tokens that they take. Where not all
    /// of a level have room, those that have are spread over the document.
    pub fn between(&self, from: usize, to: usize, tokens: usize, measure: Measure) -> (Vec<usize>, usize) {
        let first = self.headings.partition_point(|heading| heading.char < from);
        let last = self.headings.partition_point(|heading| heading.char < to).max(first);
        let (mut shown, mut left, mut misses) = (Vec::new(), tokens, 0);
        for level in 1..=6 {
            let of_level: Vec<usize> = (first..last).filter(|&at| self.headings[at].level == level).collect();
            for at in spread(of_level.len()).map(|at| of_level[at]) {
                if misses == MOST_MISSES {
                    break;
                }
                let cost = measure.count(&format!("{},", json_string::quoted(&self.headings[at].text)));
                if cost <= left {
                    left -= cost;
                    shown.push(at);
                } else {
                    misses += 1;
                }
            }
        }
        sort_by_key(&mut shown, |&at| at);
        (shown, tokens - left)
    }

    /// The texts of headings that begin at a character or after it.
    pub fn texts(&self, shown: &[usize], from: usize) -> Vec<&str> {
        let headings = shown.iter().map(|&at| &self.headings[at]);
        headings.filter(|heading| heading.char >= from).map(|heading| heading.text.as_str()).collect()
    }
}
