//! The outline of a stored text as rows.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::sorting::sort_by;
use crate::base::text_cuts;
use crate::base::work::Work;
use crate::render::notes::read_back::{self, Unfit};
use crate::render::outline::HEADING_CHARS;
use crate::value::prose::sample::Sample;
use toolshape_text::prose::outline;

use super::match_list::MatchList;
use super::part::stop_at;
use super::part::{StoredPart, unfit};
use super::sought::Sought;
use super::stretch::LineRange;

/// This many headings are enough, and deeper levels are left out.
const ENOUGH: usize = 20;

/// The headings of a text, or those of them that were looked for.
pub(super) struct HeadingList {
    name: Option<&'static str>,
    /// The lines whose headings these are, if not all are.
    within: Option<LineRange>,
    rows: Vec<ListedHeading>,
    /// The headings that are left out because they are deeper than those that are shown.
    deeper: usize,
    /// Whether headings are not shown because something else is wanted.
    is_part: bool,
}

struct ListedHeading {
    /// From 1, the last included.
    lines: (usize, usize),
    level: usize,
    title: String,
}

impl HeadingList {
    /// Reads the outline of a part.
    ///
    /// # Errors
    /// `INVALID_CALL` for JSON, and for what takes too much work.
    pub fn read(
        part: &StoredPart<'_>,
        within: Option<LineRange>,
        wanted: Option<&str>,
        work: &Work,
    ) -> Result<Self, Error> {
        let text = part.text().ok_or_else(|| unfit("outline", Unfit::HasNoOutline))?;
        let mut sought = wanted.map(Sought::new);
        stop_at("outline", work.lines(&text))?;
        let sample = Sample::of_text(&text);
        let outline = outline::of(&text, sample.start(), &sample.lines());
        let name = outline.as_ref().map(|outline| outline.headings.name());
        let (from, to) = within.map_or((1, usize::MAX), |lines| (lines.from, lines.to));
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
                rows.push(ListedHeading { lines: (section.line + 1, section.end), level: section.level, title });
            }
        }
        let found = rows.len();
        // A range is asked for to see what is in it.
        if wanted.is_none() && within.is_none() {
            let deepest = deepest(&rows);
            rows.retain(|row| row.level <= deepest);
        }
        let is_part = wanted.is_some() || within.is_some();
        Ok(Self { name, within, deeper: found - rows.len(), rows, is_part })
    }

    /// The headings as rows.
    pub fn list(&self) -> MatchList<'_> {
        let mut lead = Members::new();
        if let Some(name) = self.name {
            lead.text("outline", name);
        }
        if let Some(lines) = &self.within {
            lines.write(&mut lead);
        }
        if self.deeper > 0 {
            lead.number("deeper", self.deeper);
        }
        let row = |at: usize| {
            let ListedHeading { lines: (from, to), level, title } = &self.rows[at];
            let mut row = Members::new();
            row.text("lines", &format!("{from}-{to}"));
            row.number("level", *level);
            row.text("heading", title);
            row
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
fn deepest(rows: &[ListedHeading]) -> usize {
    let mut levels: Vec<usize> = rows.iter().map(|row| row.level).collect();
    sort_by(&mut levels, Ord::cmp);
    levels.get(ENOUGH).or(levels.last()).copied().unwrap_or(0)
}
