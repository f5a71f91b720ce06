//! The outline of a stored text as rows, and the heading above a line.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::sorting::sort_by;
use crate::base::text_cuts;
use crate::base::work::Work;
use crate::render::notes::read_back::{self, Unfit};
use crate::value::prose::sample::Sample;
use toolshape_text::prose::outline;

use super::arguments::{LineRange, Wanted};
use super::match_list::{MatchList, MatchValue};
use super::sought::Sought;
use super::stopped::stop_at;
use super::stored_part::{StoredPart, unfit};

/// The work of finding the headings of a text, for each of its bytes.
const WORK: usize = 4;
/// So many headings are enough, and deeper levels are left out.
const ENOUGH: usize = 20;
/// A longer heading is cut.
const HEADING_CHARS: usize = 100;
/// The most that a hit says about the headings above it.
const PATH_CHARS: usize = 80;
const BETWEEN: &str = " > ";

/// The headings of a text, or those of them that were looked for.
pub(super) struct Outline {
    name: Option<&'static str>,
    rows: Vec<Heading>,
    /// The headings that are left out because they are deeper than those that are shown.
    deeper: usize,
    /// Whether headings are not shown because something else is wanted.
    is_part: bool,
}

struct Heading {
    /// From 1, the last included.
    lines: (usize, usize),
    level: usize,
    title: String,
}

impl Outline {
    /// Reads the outline of a part.
    ///
    /// # Errors
    /// `INVALID_CALL` for JSON, for a regular expression that cannot be used, and for what takes too much work.
    pub fn read(
        part: &StoredPart<'_>,
        wanted: Option<&Wanted>,
        range: Option<LineRange>,
        work: &Work,
    ) -> Result<Self, Error> {
        let text = part.text().ok_or_else(|| unfit("outline", Unfit::HasNoOutline))?;
        let mut sought = wanted.map(|wanted| Sought::new(wanted, work)).transpose()?;
        stop_at("outline", work.spend(text.len().saturating_mul(WORK)))?;
        let sample = Sample::of_text(&text);
        let outline = outline::of(&text, sample.start(), &sample.lines());
        let name = outline.as_ref().map(|outline| outline.headings.name());
        let (from, to) = match range {
            Some(range) => range.within(text.lines().count()),
            None => (1, usize::MAX),
        };
        let mut rows = Vec::new();
        for section in outline.map_or(Vec::new(), |outline| outline.sections) {
            if !(from..=to).contains(&(section.line + 1)) {
                continue;
            }
            let is_wanted = match &mut sought {
                Some(sought) => stop_at("outline", sought.first(&section.title, work))?.is_some(),
                None => true,
            };
            if is_wanted {
                stop_at("outline", work.keep(1))?;
                let title = text_cuts::clipped(&section.title, HEADING_CHARS).into_owned();
                rows.push(Heading { lines: (section.line + 1, section.end), level: section.level, title });
            }
        }
        let found = rows.len();
        if wanted.is_none() {
            let deepest = deepest(&rows);
            rows.retain(|row| row.level <= deepest);
        }
        let is_part = wanted.is_some() || range.is_some();
        Ok(Self { name, deeper: found - rows.len(), rows, is_part })
    }

    /// The headings as rows.
    pub fn list(&self) -> MatchList<'_> {
        let mut lead = Members::new();
        if let Some(name) = self.name {
            lead.text("outline", name);
        }
        if self.deeper > 0 {
            lead.number("deeper", self.deeper);
        }
        let row = |at: usize| {
            let Heading { lines: (from, to), level, title } = &self.rows[at];
            vec![
                ("lines", MatchValue::text(&format!("{from}-{to}"))),
                ("level", MatchValue::number(*level)),
                ("heading", MatchValue::text(title)),
            ]
        };
        let list = MatchList::of_rows(self.rows.len(), false, row).with_lead(lead);
        match (self.is_part && self.name.is_some(), self.deeper) {
            (true, 0) => list,
            (_, 0) => list.or_say(read_back::NO_HEADINGS),
            _ => list.and_say(read_back::DEEPER),
        }
    }
}

/// The deepest level that is shown: levels are added until there are enough headings. A text has many more of the deeper ones.
fn deepest(rows: &[Heading]) -> usize {
    let mut levels: Vec<usize> = rows.iter().map(|row| row.level).collect();
    sort_by(&mut levels, Ord::cmp);
    levels.get(ENOUGH).or(levels.last()).copied().unwrap_or(0)
}

/// The headings above the lines of a text.
#[derive(Default)]
pub(super) struct Above {
    sections: Vec<Section>,
}

struct Section {
    /// The line of the heading, from 0, and the line after the section.
    line: usize,
    end: usize,
    above: Option<usize>,
    /// Empty for the title of the whole text, which says nothing about a line.
    title: String,
}

impl Above {
    /// The headings of a text that say what stands under them; none where too much is asked for.
    pub fn of(text: &str, work: &Work) -> Self {
        if work.spend(text.len().saturating_mul(WORK)).is_break() {
            return Self::default();
        }
        let sample = Sample::of_text(text);
        let outline = outline::of(text, sample.start(), &sample.lines()).filter(|outline| outline.headings.tells());
        let found = outline.map_or(Vec::new(), |outline| outline.sections);
        let is_title = found.first().is_some_and(|first| found[1..].iter().all(|other| other.level > first.level));
        let (mut sections, mut open): (Vec<Section>, Vec<usize>) = (Vec::new(), Vec::new());
        for section in found {
            while open.pop_if(|&mut last| sections[last].end <= section.line).is_some() {}
            if work.keep(1).is_break() {
                break;
            }
            let title = match is_title && sections.is_empty() {
                true => String::new(),
                false => text_cuts::clipped(&section.title, PATH_CHARS).into_owned(),
            };
            sections.push(Section { line: section.line, end: section.end, above: open.last().copied(), title });
            open.push(sections.len() - 1);
        }
        Self { sections }
    }

    /// The headings above a line, the nearest last and as many as are short together.
    pub fn heading(&self, line: usize) -> Option<String> {
        let mut at = self.sections.partition_point(|section| section.line < line).checked_sub(1);
        let mut path = String::new();
        while let Some(Section { end, above, title, .. }) = at.map(|at| &self.sections[at]) {
            at = *above;
            if *end <= line || title.is_empty() {
                continue;
            }
            if path.is_empty() {
                path.clone_from(title);
            } else if path.chars().count() + title.chars().count() + BETWEEN.len() <= PATH_CHARS {
                path = format!("{title}{BETWEEN}{path}");
            } else {
                break;
            }
        }
        (!path.is_empty()).then_some(path)
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
