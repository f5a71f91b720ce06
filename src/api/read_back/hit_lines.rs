//! The lines of a text in which a match begins, and the headings above them.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};
use toolshape_text::lines;

use crate::base::members::Members;
use crate::base::work::{MAX_MATCHES, Work};

use super::above::Above;
use super::search::{Detail, clip};
use super::sought::Sought;
use super::stretch::LineRange;

/// The text, and its lines that match.
pub(super) struct HitLines<'a> {
    text: Cow<'a, str>,
    hits: Vec<HitLine>,
    above: Above,
}

/// A line that matches.
struct HitLine {
    /// Its index.
    line: usize,
    /// Where it begins, and where the wanted text begins first in it.
    start: usize,
    at: usize,
}

impl<'a> HitLines<'a> {
    /// Searches a text, or some of its lines; also whether the search stopped early.
    pub fn find(
        text: std::borrow::Cow<'a, str>,
        within: Option<LineRange>,
        sought: &mut Sought,
        work: &Work,
    ) -> (Self, bool) {
        let text = lines::with_feeds(text);
        let (first, last) = within.map_or((0, text.len()), |lines| lines.place(&text));
        let mut line = within.map_or(0, |lines| lines.from - 1);
        let (mut hits, mut start, mut seen) = (Vec::<HitLine>::new(), first, first);
        let mut stopped = false;
        let end = sought.each(&text[first..last], work, &mut |at| {
            let at = first + at;
            let between = &text.as_bytes()[seen..at];
            line += memchr_iter(b'\n', between).count();
            start = memrchr(b'\n', between).map_or(start, |end| seen + end + 1);
            seen = at;
            if hits.last().is_none_or(|hit| hit.line != line) {
                stopped = hits.len() == MAX_MATCHES || work.keep(1).is_break();
                if !stopped {
                    hits.push(HitLine { line, start, at });
                }
            }
            !stopped
        });
        stopped |= end.is_break();
        let above = if hits.is_empty() { Above::default() } else { Above::of(&text, work) };
        (Self { text, hits, above }, stopped)
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// A matching line, and the lines around it that no other hit shows.
    pub fn row(&self, hit: usize, Detail { context, chars }: Detail) -> Members {
        let HitLine { line, start, at } = self.hits[hit];
        let free = hit.checked_sub(1).map_or(0, |before| self.hits[before].line + context + 1);
        let before = self.before(start, context.min(line.saturating_sub(free)));
        let most = self.hits.get(hit + 1).map_or(context, |next| context.min(next.line - line - 1));
        let after = self.after(start, most);
        let lines = |lines: &[&str]| {
            let shown: Vec<String> = lines.iter().map(|line| clip(line, chars, 0)).collect();
            shown.join("\n")
        };
        let mut row = Members::new();
        row.number("line", line + 1);
        if let Some(heading) = self.above.heading(line).filter(|_| chars > 0) {
            row.text("heading", &heading);
        }
        if !before.is_empty() {
            row.text("before", &lines(&before));
        }
        if chars > 0 {
            // A line break that is sought is behind its line.
            let line = self.line(start).0;
            row.text("text", &clip(line, chars, line.len().min(at - start)));
        }
        if !after.is_empty() {
            row.text("after", &lines(&after));
        }
        row
    }

    /// The line that begins at `start`, and where the next one begins.
    fn line(&self, start: usize) -> (&str, usize) {
        let rest = &self.text[start..];
        let end = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        (rest[..end].trim_end_matches(['\n', '\r']), start + end)
    }

    /// This many lines before the one that begins at `start`.
    fn before(&self, mut start: usize, count: usize) -> Vec<&str> {
        let mut lines = Vec::new();
        while lines.len() < count && start > 0 {
            start = memrchr(b'\n', &self.text.as_bytes()[..start - 1]).map_or(0, |end| end + 1);
            lines.push(self.line(start).0);
        }
        lines.reverse();
        lines
    }

    /// At most this many lines after the one that begins at `start`.
    fn after(&self, start: usize, count: usize) -> Vec<&str> {
        let (mut lines, mut next) = (Vec::new(), self.line(start).1);
        while lines.len() < count && next < self.text.len() {
            let (line, end) = self.line(next);
            lines.push(line);
            next = end;
        }
        lines
    }
}
