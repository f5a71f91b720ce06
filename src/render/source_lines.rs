//! Records of a log as members of `lines`: pieces that are chosen until the budget is full, and how much is shown of each.

use std::cmp::Reverse;
use std::ops::Range;
use std::slice::from_ref;

use toolshape_text::prose::log::Log;
use toolshape_text::prose::piece::Piece;
use toolshape_text::prose::severity::{LogLevel, Severity};
use toolshape_text::prose::trace;

use crate::base::json_string;
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::value::token_count::{Measure, UNLIKELY_BYTES};

/// A longer line is cut.
const LINE_CHARS: usize = 400;
/// After this many pieces that do not fit, the others are not tried.
const MOST_MISSES: usize = 256;
/// What is grave may take this share of the budget at first, in tenths, so that something shows what is usual.
const GRAVE_TENTHS: usize = 8;
/// The frames that stay at both ends of a stack trace, the most first.
const FRAMES: [usize; 4] = [12, 3, 1, 0];

/// Pieces of a text, the most important first, and the forms in which they were written so far.
pub(crate) struct Pieces<'a> {
    pieces: &'a [Piece<'a>],
    written: Vec<Vec<PieceForm>>,
    measure: Measure,
    budget: usize,
}

/// A piece as one member of `lines`, or as several if lines within it are left out.
struct PieceForm {
    text: String,
    tokens: usize,
}

/// A piece that is shown, by its place among all pieces, and its form.
#[derive(Clone, Copy)]
pub(crate) struct ShownPiece {
    pub piece: usize,
    form: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(pieces: &'a [Piece<'a>], measure: Measure, budget: usize) -> Self {
        Self { pieces, written: Vec::new(), measure, budget }
    }

    /// The most important pieces that fit, in their order: of what is grave first as many as possible, then as much of
    /// each as possible, then the rest.
    pub fn within(&mut self, spend: usize) -> Vec<ShownPiece> {
        let graves = self.pieces.iter().take_while(|piece| piece.is_grave()).count();
        let reserved = if graves < self.pieces.len() { spend - spend * GRAVE_TENTHS / 10 } else { 0 };
        let mut forms: Vec<Option<usize>> = Vec::new();
        let mut left = spend - reserved;
        self.add(0..graves, &mut left, &mut forms);
        self.enlarge(&mut left, &mut forms);
        left += reserved;
        self.add(graves..self.pieces.len(), &mut left, &mut forms);
        self.add(0..graves, &mut left, &mut forms);
        self.enlarge(&mut left, &mut forms);
        let shown = forms.into_iter().enumerate();
        shown.filter_map(|(piece, form)| Some(ShownPiece { piece, form: form? })).collect()
    }

    /// Adds pieces in their smallest form.
    fn add(&mut self, pieces: Range<usize>, left: &mut usize, forms: &mut Vec<Option<usize>>) {
        let mut misses = 0;
        for at in pieces {
            if misses == MOST_MISSES {
                return;
            }
            if at >= forms.len() {
                forms.resize(at + 1, None);
            }
            if forms[at].is_some() {
                continue;
            }
            let smallest = self.forms(at).len() - 1;
            let tokens = self.forms(at)[smallest].tokens;
            if tokens <= *left {
                *left -= tokens;
                forms[at] = Some(smallest);
            } else {
                misses += 1;
            }
        }
    }

    /// Shows as much as possible of each piece that is shown.
    fn enlarge(&mut self, left: &mut usize, forms: &mut [Option<usize>]) {
        for (at, shown) in forms.iter_mut().enumerate() {
            let Some(form) = shown else { continue };
            let forms = self.forms(at);
            let room = *left + forms[*form].tokens;
            if let Some(larger) = (0..*form).find(|&larger| forms[larger].tokens <= room) {
                *left = room - forms[larger].tokens;
                *form = larger;
            }
        }
    }

    /// The forms of a piece, the largest first.
    fn forms(&mut self, at: usize) -> &[PieceForm] {
        while self.written.len() <= at {
            let forms = self.write(&self.pieces[self.written.len()]);
            self.written.push(forms);
        }
        &self.written[at]
    }

    /// The members of `lines`.
    pub fn text(&self, shown: ShownPiece) -> &str {
        &self.written[shown.piece][shown.form].text
    }

    /// What they cost.
    pub fn tokens(&self, shown: ShownPiece) -> usize {
        self.written[shown.piece][shown.form].tokens
    }

    /// The whole piece; then, for an error or a warning of several lines, less and less of its frames, and at last the
    /// line that says most.
    fn write(&self, piece: &Piece<'_>) -> Vec<PieceForm> {
        let lines: Vec<&str> = piece.text.split('\n').collect();
        let (mut forms, whole) = (Vec::new(), 0..lines.len());
        if lines.len() == 1 || piece.text.len() <= self.budget.saturating_mul(UNLIKELY_BYTES) {
            forms.push(self.form(piece, &lines, from_ref(&whole)));
        }
        if lines.len() > 1 && piece.is_grave() {
            let roles = trace::roles(&lines);
            let mut before = vec![whole];
            for frames in FRAMES {
                let ranges = trace::condensed(&roles, frames);
                if !ranges.is_empty() && ranges != before {
                    forms.push(self.form(piece, &lines, &ranges));
                    before = ranges;
                }
            }
            let gist = trace::gist(&roles);
            let gist = gist..gist + 1;
            if before != from_ref(&gist) {
                forms.push(self.form(piece, &lines, from_ref(&gist)));
            }
        }
        // What says most of a stack trace may be longer than the trace without its frames.
        sort_by_key(&mut forms, |form| Reverse(form.tokens));
        if forms.is_empty() {
            let first = 0..1;
            forms.push(self.form(piece, &lines, from_ref(&first)));
        }
        forms
    }

    fn form(&self, piece: &Piece<'_>, lines: &[&str], ranges: &[Range<usize>]) -> PieceForm {
        let mut text = String::new();
        for (at, range) in ranges.iter().enumerate() {
            let next = ranges.get(at + 1).map_or(lines.len(), |next| next.start);
            let counts = (at == 0).then_some(piece);
            if at > 0 {
                text.push(',');
            }
            text += &member(&lines[range.clone()], piece.line + range.start, next - range.end, counts);
        }
        // Counted as it follows another one: the separator shares a token with its neighbours.
        let tokens = self.measure.count(&format!("}},{}", &text[..text.len() - 1]));
        PieceForm { text, tokens }
    }
}

/// A total under a name, and how many of it are shown.
pub(crate) fn total(name: &str, total: usize, shown: usize) -> Members {
    let mut out = Members::new();
    out.number(name, total);
    out.number("shown", shown);
    out
}

/// The different records of a log that have a severity, by level if they are of several, and how many of them are shown.
pub(crate) fn distinct(log: &Log<'_>, severity: Severity, shown: usize) -> Members {
    let of_severity = LogLevel::ALL.iter().zip(log.distinct).filter(|((level, _), _)| level.severity() == severity);
    let there: Vec<(&str, usize)> =
        of_severity.filter(|(_, count)| *count > 0).map(|((_, name), count)| (*name, count)).collect();
    let mut out = Members::new();
    match there[..] {
        [] => out.number("distinct", 0),
        [(_, count)] => out.number("distinct", count),
        _ => {
            let mut levels = Members::new();
            there.iter().for_each(|(name, count)| levels.number(name, *count));
            out.object("distinct", &levels);
        }
    }
    out.number("shown", shown);
    out
}

/// A line as it is in a member of `lines`, with a line break.
pub(crate) fn escaped(line: &str) -> String {
    let mut out = String::new();
    json_string::escape_into(text_cuts::start(line, LINE_CHARS), &mut out);
    out + "\\n"
}

/// Consecutive lines as a member of `lines`: the number of the first from 0, how many are left out after them, and the
/// counts of the piece whose first lines they are.
pub(crate) fn member(lines: &[&str], first: usize, more: usize, counts: Option<&Piece<'_>>) -> String {
    let mut out = Members::new();
    out.number("line", first + 1);
    let (mut text, mut cut) = (String::new(), 0);
    for (index, line) in lines.iter().enumerate() {
        text += if index > 0 { "\n" } else { "" };
        let start = text_cuts::start(line, LINE_CHARS);
        cut += usize::from(start.len() < line.len());
        text += start;
    }
    if let Some(piece) = counts {
        let facts = [
            ("count", piece.count, piece.count > 1),
            ("alike", piece.alike, piece.alike > piece.count),
            ("lastLine", piece.last_line + 1, piece.last_line > piece.line),
        ];
        facts.iter().filter(|(_, _, is_told)| *is_told).for_each(|(name, number, _)| out.number(name, *number));
    }
    for (name, number) in [("moreLines", more), ("cutLines", cut)] {
        if number > 0 {
            out.number(name, number);
        }
    }
    out.text("text", &text);
    out.into_object()
}
