//! A long text with lines left out: its start, the lines that say something and its end, each with its number after others that are
//! left out. One form for a text, for a text within a value and for a list of lines.

use std::ops::Range;

use toolshape_text::lines;
use toolshape_text::prose::cover::Cover;
use toolshape_text::prose::encoded::Shortened;
use toolshape_text::prose::messages::Messages;
use toolshape_text::prose::severity::Severity;

use crate::base::json_string;
use crate::base::text_cuts;
use crate::value::token_count::Measure;

/// Of a longer line the start is shown. Where lines are as long on average, there is nothing else to choose from, and they are
/// read part by part.
const LINE_CHARS: usize = 400;
const PART_CHARS: usize = 160;
/// What the number of a line takes.
const GAP: usize = 4;
/// The tenths for the end and for what is between; the start has the rest.
const END: usize = 3;
const BETWEEN: usize = 4;
/// How many times as much a line is worth that is about an error, or a warning.
const ERROR_TIMES: u64 = 32;
const WARNING_TIMES: u64 = 8;
/// After this many pieces that do not fit, the others are not tried.
const MOST_MISSES: usize = 64;

/// A text of which some lines are shown, and what is found in them.
#[derive(Debug)]
pub(crate) struct Abridged {
    shown: Shortened,
    parts: Vec<Part>,
    /// The first part of each line.
    first: Vec<usize>,
    has_long_lines: bool,
    messages: Messages,
    numbered: Numbered,
}

/// A line, or a part of one that is long.
#[derive(Debug)]
struct Part {
    line: usize,
    bytes: Range<usize>,
}

/// What the numbers of lines count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbered {
    /// The lines of a text, from 1.
    Lines,
    /// The items of a list, from 0 as in pointers. Its start is shown elsewhere.
    Items,
}

impl Abridged {
    /// Reads a text, of which lines may be shortened already.
    pub fn of(shown: Shortened, numbered: Numbered) -> Self {
        let text = &*shown.text;
        let lines = lines::of(text);
        let messages = Messages::of(&lines);
        let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let has_long_lines = text.len() > lines.len().saturating_mul(LINE_CHARS);
        let (mut parts, mut first) = (Vec::new(), Vec::new());
        for (line, content) in lines.iter().enumerate() {
            first.push(parts.len());
            let content = content.trim_end();
            let (mut from, end) = (offset(content), offset(content) + content.len());
            let mut chars = if has_long_lines { PART_CHARS } else { LINE_CHARS };
            while from < end || first[line] == parts.len() {
                let mut to = from + text_cuts::start(&text[from..end], chars).len();
                if to == from {
                    to = end;
                }
                parts.push(Part { line, bytes: from..to });
                (from, chars) = (to, PART_CHARS);
            }
        }
        first.push(parts.len());
        Self { parts, first, has_long_lines, messages, numbered, shown }
    }

    pub fn text(&self) -> &str {
        &self.shown.text
    }

    /// How many lines are messages about errors, and about warnings.
    pub fn counts(&self) -> &[(&'static str, usize)] {
        &self.messages.counts
    }

    /// How many lines at the start fit into some tokens.
    pub fn lines_within(&self, tokens: usize, measure: Measure) -> usize {
        let mut shown = Shown { abridged: self, is_shown: vec![false; self.parts.len()], measure };
        shown.add(0..self.parts.len(), tokens);
        self.place(shown.start()).0
    }

    /// The parts that fit into some tokens, from a line on.
    pub fn within(&self, from: usize, tokens: usize, measure: Measure) -> Shown<'_> {
        let from = self.part_of(from);
        let mut shown = Shown { abridged: self, is_shown: vec![false; self.parts.len()], measure };
        let (for_end, for_found) = (tokens * END / 10, tokens * BETWEEN / 10);
        let has_start = self.numbered == Numbered::Lines;
        let mut left = tokens - for_end;
        if has_start {
            left = for_found + shown.add(from..self.parts.len(), left - for_found);
        }
        left += shown.add((from..self.parts.len()).rev(), for_end);
        shown.add_others(from, &mut left);
        // What is left goes to both ends, most of it to the last lines, which say how it went.
        let for_start = if has_start { left / 4 } else { 0 };
        let rest = shown.add((from..self.parts.len()).rev(), left - for_start);
        if has_start {
            shown.add(from..self.parts.len(), for_start + rest);
        }
        shown
    }

    /// How many times as much a line is worth as another with the same words.
    fn times(&self, line: &str) -> u64 {
        match self.messages.severity(line) {
            Severity::Error => ERROR_TIMES,
            Severity::Warning => WARNING_TIMES,
            Severity::Other => 1,
        }
    }

    /// The first part of a line; after the last line, how many parts there are.
    pub fn part_of(&self, line: usize) -> usize {
        self.first[line.min(self.first.len() - 1)]
    }

    /// The part that has a byte; after the last one, how many there are.
    pub fn part_at(&self, byte: usize) -> usize {
        match byte < self.text().len() {
            true => self.parts.partition_point(|part| part.bytes.start <= byte).saturating_sub(1),
            false => self.parts.len(),
        }
    }

    /// The line of a part, and its first byte.
    pub fn place(&self, part: usize) -> (usize, usize) {
        self.parts.get(part).map_or((self.first.len() - 1, self.text().len()), |part| (part.line, part.bytes.start))
    }
}

/// Which parts are shown.
pub(crate) struct Shown<'a> {
    abridged: &'a Abridged,
    is_shown: Vec<bool>,
    measure: Measure,
}

impl Shown<'_> {
    pub fn is_empty(&self) -> bool {
        !self.is_shown.contains(&true)
    }

    fn escaped(&self, part: usize) -> String {
        let Part { line, bytes } = &self.abridged.parts[part];
        let mut out = String::new();
        json_string::escape_into(&self.abridged.text()[bytes.clone()], &mut out);
        if self.abridged.first[line + 1] == part + 1 {
            out += "\\n";
        }
        out
    }

    fn cost(&self, part: usize) -> usize {
        if self.is_shown[part] { 0 } else { self.measure.count(&self.escaped(part)) }
    }

    /// Shows parts in an order until one has no room; returns the tokens that are left.
    fn add(&mut self, order: impl Iterator<Item = usize>, tokens: usize) -> usize {
        let mut left = tokens;
        for part in order {
            let line = self.abridged.parts[part].line;
            if !self.abridged.has_long_lines && self.abridged.first[line] != part {
                continue;
            }
            let Some(rest) = left.checked_sub(self.cost(part)) else { break };
            left = rest;
            self.is_shown[part] = true;
        }
        left
    }

    /// Shows the lines from a part on that say most beyond those that are shown.
    fn add_others(&mut self, from: usize, left: &mut usize) {
        let Abridged { parts, first, has_long_lines, .. } = self.abridged;
        let text = self.abridged.text();
        let may_show = |part: usize| *has_long_lines || first[parts[part].line] == part;
        let shown = |part: &Part| &text[part.bytes.clone()];
        let mut cover = Cover::default();
        let mut times = 1;
        for part in parts {
            // What follows a message is about it, the less the farther.
            let is_blank = shown(part).trim_start().is_empty();
            times = self.abridged.times(shown(part)).max(if is_blank { times } else { times / 2 });
            cover.add(shown(part), times);
        }
        (0..parts.len()).filter(|&part| part < from || self.is_shown[part]).for_each(|part| cover.show(part));
        let mut misses = 0;
        while let Some(part) = cover.next()
            && misses < MOST_MISSES
        {
            if part < from || self.is_shown[part] || !may_show(part) {
                continue;
            }
            match left.checked_sub(self.cost(part) + GAP) {
                Some(rest) => {
                    *left = rest;
                    self.is_shown[part] = true;
                    cover.show(part);
                }
                None => misses += 1,
            }
        }
    }

    /// How many parts are shown from the start on.
    pub fn start(&self) -> usize {
        self.is_shown.iter().position(|is_shown| !is_shown).unwrap_or(self.is_shown.len())
    }

    /// The text from a line on, without quotes: what is shown of it, and the numbers of the lines that are left out.
    pub fn after_line(&self, line: usize) -> String {
        self.literal(self.abridged.part_of(line), false)
    }

    /// Whether anything from a part on is shown.
    pub fn goes_on(&self, from: usize) -> bool {
        self.is_shown[from..].contains(&true)
    }

    /// The text from a part on; `is_within` if what precedes it ends within its line.
    pub fn literal(&self, from: usize, mut is_within: bool) -> String {
        let Abridged { first, parts, shown, numbered, .. } = self.abridged;
        let (from_line, _) = self.abridged.place(from);
        // The number of the first line after others that are left out, as `grep -n` prints it.
        let numbered = |line: usize| match numbered {
            Numbered::Lines => format!("…{}: ", shown.line(line) + 1),
            Numbered::Items => format!("…{}: ", shown.line(line)),
        };
        let lines = first.len() - 1;
        let mut out = String::new();
        // The line after those that are written, and whether its start is.
        let mut line = from_line;
        is_within |= line < lines && first[line] < from;
        for part in (from..parts.len()).filter(|&part| self.is_shown[part]) {
            let own = parts[part].line;
            let is_start = first[own] == part;
            if own > line {
                if is_within {
                    out += "…\\n";
                    line += 1;
                }
                if own > line {
                    out += &numbered(own);
                }
                is_within = false;
            }
            if !(is_start || is_within && self.is_shown[part - 1]) {
                out.push('…');
            }
            out += &self.escaped(part);
            let is_end = first[own + 1] == part + 1;
            (line, is_within) = (own + usize::from(is_end), !is_end);
        }
        if is_within {
            out += "…\\n";
            line += 1;
        }
        if line < lines {
            out.push('…');
        } else {
            out.truncate(out.len().saturating_sub("\\n".len()));
        }
        out
    }
}
