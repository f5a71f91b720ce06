//! A long text of several lines within an object or a row: its start, the lines that say how it went, and its end, as one string with the
//! numbers of the lines that are left out.

use toolshape_text::lines;
use toolshape_text::prose::encoded::{self, Shortened};
use toolshape_text::prose::piece::Piece;
use toolshape_text::prose::{survey, terminal};

use crate::base::error::Error;
use crate::render::source_lines;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

use super::TextBytes;

/// A text of fewer characters or lines is shown by its start, unless base64 is shortened in it.
const LEAST_CHARS: usize = 400;
const LEAST_LINES: usize = 4;
/// A text of which base64 leaves fewer bytes, the description of the base64 included, says nothing else.
const LEAST_LEFT: usize = 128;
/// With fewer tokens the start is shown.
const LEAST_TOKENS: usize = 48;
/// What the number of lines takes, and a gap.
const SIGN: usize = 10;
const GAP: usize = 10;
/// The tenths for the end, and for what was found; the start has the rest.
const OF_RUN: [usize; 2] = [4, 5];
const OF_ERRORS: [usize; 2] = [3, 4];
const OF_NOTHING: [usize; 2] = [5, 0];
/// A piece of more lines leaves room for others.
const FEW_LINES: usize = 4;
/// After this many pieces that do not fit, the others are not tried.
const MOST_MISSES: usize = 64;

/// A text, and the lines in it that say something, the most important first.
#[derive(Debug)]
pub(super) struct TextEnds {
    /// The text, with its base64 shortened, and how many lines the original has.
    shown: Shortened,
    total: usize,
    pieces: Vec<(usize, usize)>,
    /// Whether the pieces show what all of it is: a run, or a tree.
    is_whole: bool,
}

impl TextEnds {
    /// The lines of a string, if it has several and that much may still be read.
    pub fn of<S: Source>(string: &S, left: &TextBytes) -> Result<Option<Self>, Error> {
        if string.kind() != Kind::String || string.chars() < LEAST_CHARS {
            return Ok(None);
        }
        let Some(own) = left.text_of(string)? else { return Ok(None) };
        let text = terminal::shown_text(&own);
        let total = lines::of(&text).len();
        let shown = match encoded::shortened(&text, false) {
            None if total < LEAST_LINES => return Ok(None),
            None => Shortened::nowhere(text.into_owned()),
            Some(shown) if shown.text.len() < LEAST_LEFT => return Ok(None),
            Some(shown) => shown,
        };
        let lines = lines::of(&shown.text);
        let found = survey::of(&shown.text, &lines);
        let place = |piece: &Piece<'_>| (piece.line, piece.text.matches('\n').count() + 1);
        let pieces = found.pieces.iter().map(place).collect();
        Ok(Some(Self { is_whole: found.is_run || found.is_tree, pieces, shown, total }))
    }

    /// As much as fits into some tokens, as a literal without quotes; `None` if the start shows more.
    pub fn within(&self, tokens: usize, measure: Measure) -> Option<String> {
        let mut left = tokens.checked_sub(SIGN + 2 * GAP).filter(|_| tokens >= LEAST_TOKENS)?;
        let lines = lines::of(&self.shown.text);
        let mut shown = Shown { lines: &lines, is_shown: vec![false; lines.len()], measure };
        let [end, found] = match (self.is_whole, self.pieces.is_empty()) {
            (true, _) => OF_RUN,
            (false, false) => OF_ERRORS,
            (false, true) => OF_NOTHING,
        };
        let (for_end, for_found) = (left * end / 10, left * found / 10);
        let start = left - for_end - for_found;
        left -= start + for_end;
        left += shown.add(0..lines.len(), start) + shown.add((0..lines.len()).rev(), for_end);
        let mut misses = 0;
        for &(line, count) in &self.pieces {
            if misses == MOST_MISSES {
                break;
            }
            misses += usize::from(!shown.add_piece(line, count, &mut left));
        }
        // What is left goes to both ends.
        let rest = shown.add((0..lines.len()).rev(), left.div_ceil(2));
        shown.add(0..lines.len(), left / 2 + rest);
        shown.is_shown.contains(&true).then(|| shown.literal(self))
    }
}

/// Which lines are shown.
struct Shown<'a> {
    lines: &'a [&'a str],
    is_shown: Vec<bool>,
    measure: Measure,
}

impl Shown<'_> {
    fn cost(&self, line: usize) -> usize {
        if self.is_shown[line] { 0 } else { self.measure.count(&source_lines::escaped(self.lines[line])) }
    }

    /// Shows lines in an order until one has no room; returns the tokens that are left.
    fn add(&mut self, order: impl Iterator<Item = usize>, tokens: usize) -> usize {
        let mut left = tokens;
        for line in order {
            let Some(rest) = left.checked_sub(self.cost(line)) else { break };
            left = rest;
            self.is_shown[line] = true;
        }
        left
    }

    /// Shows a piece: whole, or the lines of it that say most, or its first line.
    fn add_piece(&mut self, line: usize, count: usize, left: &mut usize) -> bool {
        let block = &self.lines[line..line + count];
        let salient = survey::salient(block).into_iter().flatten().map(|at| line + at).collect();
        for form in [(line..line + count).collect::<Vec<_>>(), salient, vec![line]] {
            let cost: usize = form.iter().map(|&line| self.cost(line)).sum();
            let cost = if cost == 0 { 0 } else { cost + GAP };
            // One failure leaves room for others, unless it is short.
            if cost == 0 || cost <= if form.len() > FEW_LINES { *left / 3 } else { *left } {
                *left -= cost;
                form.into_iter().for_each(|line| self.is_shown[line] = true);
                return true;
            }
        }
        false
    }

    fn literal(&self, text: &TextEnds) -> String {
        let mut out = match text.total {
            1 => String::new(),
            total => format!("… of {total} lines:\\n"),
        };
        let mut line = 0;
        while line < self.lines.len() {
            if self.is_shown[line] {
                out += &source_lines::escaped(self.lines[line]);
                line += 1;
                continue;
            }
            let next = self.is_shown[line..].iter().position(|is_shown| *is_shown).map(|gap| line + gap);
            // Counted from 1, in the original.
            let first = text.shown.line(line) + 1;
            let last = next.map_or(text.total, |next| text.shown.line(next));
            out += &match last > first {
                false => format!("… line {first} …\\n"),
                true => format!("… lines {first}-{last} …\\n"),
            };
            line = next.unwrap_or(self.lines.len());
        }
        out.truncate(out.len() - "\\n".len());
        out
    }
}
