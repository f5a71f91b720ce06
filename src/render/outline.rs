//! The outline of a document: the headings of what is not shown, as many as have room, higher ones first.

use toolshape_text::prose::markdown;
use toolshape_text::prose::piece::spread;

use crate::base::json_string;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::value::token_count::Measure;

/// A longer heading is cut.
const HEADING_CHARS: usize = 100;
/// After so many headings that do not fit, the others are not tried.
const MOST_MISSES: usize = 64;
const LEVELS: usize = 6;

/// The headings of a document, in their order.
#[derive(Default)]
pub(crate) struct Outline {
    headings: Vec<Heading>,
}

struct Heading {
    char: usize,
    level: usize,
    /// What is shown of it: its mark and, if a caller can ask for lines, its line.
    text: String,
}

impl Outline {
    /// The outline of a text in Markdown; `has_lines` is whether its lines are those that a caller can ask for.
    pub fn of(text: &str, has_lines: bool) -> Self {
        let heading = |heading: markdown::Heading<'_>| {
            let mark = "#".repeat(heading.level);
            let title = text_cuts::clipped(heading.title, HEADING_CHARS);
            let line = if has_lines { format!("{} ", heading.line + 1) } else { String::new() };
            Heading { char: heading.char, level: heading.level, text: format!("{line}{mark} {title}") }
        };
        Self { headings: markdown::headings(text).into_iter().map(heading).collect() }
    }

    pub fn len(&self) -> usize {
        self.headings.len()
    }

    /// The headings between two characters that have room in so many tokens, and the tokens that they take. Where not all
    /// of a level have room, those that have are spread over the document.
    pub fn between(&self, from: usize, to: usize, tokens: usize, measure: Measure) -> (Vec<usize>, usize) {
        let first = self.headings.partition_point(|heading| heading.char < from);
        let last = self.headings.partition_point(|heading| heading.char < to).max(first);
        let (mut shown, mut left, mut misses) = (Vec::new(), tokens, 0);
        for level in 1..=LEVELS {
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
