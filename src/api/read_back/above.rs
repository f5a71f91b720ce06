//! The headings of a text, and which of them are above a line.

use crate::base::text_cuts;
use crate::base::work::Work;
use crate::value::prose::sample::Sample;
use toolshape_text::prose::outline::{self, Headings};

/// The most that a hit says about the headings above it, so that it stays about the line that was found.
const PATH_CHARS: usize = 80;
/// The separator of a heading and the one below it.
pub(super) const BETWEEN: &str = " > ";

/// The headings above the lines of a text.
#[derive(Default)]
pub(super) struct Above {
    pub sections: Vec<TextSection>,
}

pub(super) struct TextSection {
    /// The line of the heading, from 0, and the line after the section.
    pub line: usize,
    pub end: usize,
    /// The section in which it is.
    pub above: Option<usize>,
    /// Empty for the title of the whole text, which says nothing about a line.
    pub title: String,
}

impl Above {
    /// The headings of a text that describe their sections; none where too much is asked for.
    pub fn of(text: &str, work: &Work) -> Self {
        let mut above = Self::read(text, |headings| headings.names_content(), PATH_CHARS, work);
        let is_title = above.sections.get(1..).is_some_and(|rest| rest.iter().all(|other| other.above.is_some()));
        if let Some(first) = above.sections.first_mut().filter(|_| is_title) {
            first.title.clear();
        }
        above
    }

    /// All headings of a text, with titles of at most this many characters.
    pub fn all(text: &str, chars: usize, work: &Work) -> Self {
        Self::read(text, |_| true, chars, work)
    }

    fn read(text: &str, is_wanted: fn(Headings) -> bool, chars: usize, work: &Work) -> Self {
        if work.lines(text).is_break() {
            return Self::default();
        }
        let sample = Sample::of_text(text);
        let outline = outline::of(text, sample.start(), &sample.lines()).filter(|outline| is_wanted(outline.headings));
        let (mut sections, mut open): (Vec<TextSection>, Vec<usize>) = (Vec::new(), Vec::new());
        for section in outline.map_or(Vec::new(), |outline| outline.sections) {
            while open.pop_if(|&mut last| sections[last].end <= section.line).is_some() {}
            if work.keep(1).is_break() {
                break;
            }
            let title = text_cuts::clipped(&section.title, chars).into_owned();
            if work.hold(title.len()).is_break() {
                break;
            }
            sections.push(TextSection { line: section.line, end: section.end, above: open.last().copied(), title });
            open.push(sections.len() - 1);
        }
        Self { sections }
    }

    /// The headings above a line, the nearest last and as many as are short together.
    pub fn heading(&self, line: usize) -> Option<String> {
        let last = self.sections.partition_point(|section| section.line < line).checked_sub(1);
        Some(self.path(last, |section| section.end > line)).filter(|path| !path.is_empty())
    }

    /// A heading after those above it, as many as are short together.
    pub fn path_to(&self, section: usize) -> String {
        self.path(Some(section), |_| true)
    }

    fn path(&self, mut at: Option<usize>, is_above: impl Fn(&TextSection) -> bool) -> String {
        let mut path = String::new();
        while let Some(section) = at.map(|at| &self.sections[at]) {
            at = section.above;
            let title = &section.title;
            if !is_above(section) || title.is_empty() {
                continue;
            }
            if path.is_empty() {
                path = text_cuts::clipped(title, PATH_CHARS).into_owned();
            } else if path.chars().count() + title.chars().count() + BETWEEN.len() <= PATH_CHARS {
                path = format!("{title}{BETWEEN}{path}");
            } else {
                break;
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_headings_above_it() {
        let text = "# Title\n\nSome words are here.\n\n## 2.0\n\nSome words are here.\n\n### Fixed\n\n- one\n\n## 1.0\n\n- two\n";
        let above = Above::of(text, &Work::over(0));
        let of = |line: usize| above.heading(line - 1);
        assert_eq!((of(1), of(3), of(5)), (None, None, None));
        assert_eq!((of(7).as_deref(), of(9).as_deref()), (Some("2.0"), Some("2.0")));
        assert_eq!((of(11).as_deref(), of(15).as_deref()), (Some("2.0 > Fixed"), Some("1.0")));
        let long = format!("# A\n\n## {}\n\nwords\nwords\nwords\n\n# C\n", "b".repeat(90));
        let above = Above::of(&long, &Work::over(0)).heading(4).unwrap();
        assert!(above.starts_with("bbb") && above.chars().count() <= PATH_CHARS + 1, "{above}");
    }
}
