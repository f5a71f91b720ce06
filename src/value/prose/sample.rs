//! A bounded look at a text, by which it is decided what it is: its start, some places, its end.

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::source::Source;

/// Characters of the start that are looked at, and of each other place.
const START: usize = 1 << 14;
const PLACE: usize = 1 << 12;
/// Places after the start, the last of them the end.
const PLACES: usize = 4;

/// Parts of a text.
pub(crate) struct Sample {
    parts: Vec<String>,
}

impl Sample {
    /// # Errors
    /// Whatever reading the text reports.
    pub fn of<S: Source>(text: &S) -> Result<Self, Error> {
        let total = text.chars();
        let part = |from: usize, max: usize| Ok::<_, Error>(json_string::unescape(&text.slice(from, max)?));
        if total <= START + PLACES * PLACE {
            return Ok(Self { parts: vec![part(0, total)?] });
        }
        let mut parts = vec![part(0, START)?];
        whole_lines(&mut parts[0], false, true);
        let step = (total - START - PLACE) / (PLACES - 1);
        for place in 0..PLACES {
            let is_end = place + 1 == PLACES;
            let from = if is_end { total - PLACE } else { START + place * step };
            let mut seen = part(from, PLACE)?;
            whole_lines(&mut seen, true, !is_end);
            parts.push(seen);
        }
        Ok(Self { parts })
    }

    /// The start of the text.
    pub fn start(&self) -> &str {
        &self.parts[0]
    }

    pub fn lines(&self) -> Vec<&str> {
        self.parts.iter().flat_map(|part| part.lines()).collect()
    }
}

/// Removes what is not a whole line; a part of one line stays.
fn whole_lines(part: &mut String, start: bool, end: bool) {
    if end && let Some(at) = part.rfind('\n') {
        part.truncate(at);
    }
    if start && let Some(at) = part.find('\n') {
        part.drain(..=at);
    }
}
