//! A summary of long text that is made of its own lines: logs folded to templates, documents to headings
//! and leading sentences.
//!
//! It is deterministic, and every line that it shows is a line of the source or the beginning of one, with
//! its number. Errors come before warnings, and those before all else. The way to the original is part of
//! every summary: without one none is made.

mod document;
mod log;
mod options;
mod piece;
mod severity;
mod template;

use self::document::Document;
use self::log::Log;
use self::options::Own;
use self::piece::Piece;
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::ladder::job::Job;
use crate::ladder::run::Run;
use crate::outcome::receipt::Step;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Receipts;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::render::notes::{
    self,
    text::{NoSummary, Original},
};
use crate::request::call::{Call, Controls};
use crate::request::context::{Context, Fit};
use crate::request::stored::Stored;
use crate::request::stored_id;
use crate::value::token_count::Measure;

pub use self::options::TextSummary;
pub(crate) use self::options::{NATURES, Nature};

/// A line longer than this is shown by its beginning.
const LINE_CHARS: usize = 400;
/// Pieces that do not fit before the others are given up: they would be tried for nothing.
const MOST_MISSES: usize = 256;
/// As much is told of why a summarizer of the host's gave nothing.
const FAILURE_CHARS: usize = 100;
/// The name that a summary made here says it was made by.
const OURS: &str = "toolshape";

impl Shaper {
    /// Summarizes a text that is over the budget; one that fits passes unchanged.
    ///
    /// With a store the original is kept and the summary tells of it. Where the store failed there is no way
    /// to the original but page by page, so the text is shaped as [`shape_text`](Self::shape_text) does; so it
    /// is where a summary's frame alone is over the budget.
    ///
    /// # Errors
    /// `INVALID_CALL` where there is neither a store nor a `uri`, so that the rest of the text would be lost,
    /// and for a `uri` that is too long for the budget.
    pub fn summarize_text(&self, text: &str, options: &TextSummary, call: &Call) -> Result<Shaped, Error> {
        let settings = self.settings(call)?;
        if options.uri.is_none() && !call.has_store() && call.store_failure().is_none() {
            let message = "a summary needs the way to the original: a store, or the option uri";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/uri"));
        }
        let measure = Measure { encoding: settings.encoding };
        if let Some(tokens) = measure.fits(text, settings.room()) {
            let receipts = Receipts::new(settings, call, Weight::Exact(tokens));
            return Ok(receipts.unchanged(Fit { text: text.to_owned(), tokens }));
        }
        let job = Job::new(ToolOutput { is_lent: false, ..ToolOutput::text(text, call) });
        let mut run = Run::new(&job, settings, Controls::default());
        let weight = run.weigh()?;
        let uri = match &options.uri {
            Some(uri) => uri.clone(),
            None => match run.stored()? {
                Some(Stored::At { id, .. }) => id.uri(),
                _ => return self.shape_text(text, call),
            },
        };
        let cx = run.context("");
        let original = match stored_id::is_address(&uri) {
            true => Original::Stored { pointer: options.pointer.as_deref().unwrap_or("") },
            false => Original::Elsewhere,
        };
        let frame = SummaryFrame { text, uri: &uri, original, weight, cx: &cx };
        let fit = match &options.own {
            None => frame.of_lines(options.nature, None)?,
            Some((by, Own::Failure(failure))) => {
                let reason = text_cuts::start(failure, FAILURE_CHARS);
                frame.instead(options.nature, by, NoSummary::Failed(reason))?
            }
            Some((by, Own::Summary(summary))) => match frame.of_host(summary, by) {
                Some(fit) => Some(fit),
                None => frame.instead(options.nature, by, NoSummary::OverBudget)?,
            },
        };
        let Some(fit) = fit else {
            if stored_id::is_address(&uri) {
                return self.shape_text(text, &call.without_store());
            }
            return Err(Error::new(ErrorCode::InvalidCall, "uri is too long for the budget", "/uri"));
        };
        let mut shaped = job.keeping(run.receipts.shaped(fit, vec![Step::SummarizeText], Outcome::Envelope));
        job.deliver(&mut shaped.keep);
        Ok(shaped)
    }
}

/// What stands around every summary.
struct SummaryFrame<'a> {
    text: &'a str,
    uri: &'a str,
    original: Original<'a>,
    weight: usize,
    cx: &'a Context<'a>,
}

impl SummaryFrame<'_> {
    /// The beginning of the result, up to `note`; `totals` are members of their own kind.
    fn head(&self, by: &str, totals: &Members, note: &str) -> Members {
        let mut out = Members::new();
        out.flag("summarized", true);
        out.text("by", by);
        out.number("totalLines", self.text.lines().count());
        out.number("totalChars", self.text.chars().count());
        out.number("estimatedTokens", self.weight);
        out.extend(totals);
        out.text("uri", self.uri);
        out.text("note", note);
        out
    }

    /// A summary that the host made, if it fits.
    fn of_host(&self, summary: &str, by: &str) -> Option<Fit> {
        let note = notes::text::summary_by(by, self.original);
        let mut out = self.head(by, &Members::new(), &note);
        out.text("summary", summary);
        let text = out.into_object();
        let tokens = self.cx.measure.fits(&text, self.cx.budget)?;
        Some(Fit { text, tokens })
    }

    /// A summary of the text's own lines in place of one that the host has not, which is told where that leaves
    /// room for a line.
    fn instead(&self, nature: Option<Nature>, by: &str, why: NoSummary<'_>) -> Result<Option<Fit>, Error> {
        match self.of_lines(nature, Some((by, why)))? {
            Some(fit) if !fit.text.ends_with("[]}") => Ok(Some(fit)),
            _ => self.of_lines(nature, None),
        }
    }

    /// A summary of the text's own lines; `instead` names a summarizer of the host's that gave none.
    fn of_lines(&self, nature: Option<Nature>, instead: Option<(&str, NoSummary<'_>)>) -> Result<Option<Fit>, Error> {
        let lines: Vec<&str> = self.text.lines().collect();
        let is_log = || !document::has_marks(&lines) && log::is_log(&lines);
        let nature = nature.unwrap_or_else(|| if is_log() { Nature::Log } else { Nature::Document });
        match nature {
            Nature::Log => {
                let Log { pieces, templates, errors, warnings } = log::fold(self.text, &lines);
                let totals = |shown: &ShownPieces<'_>| {
                    let mut out = Members::new();
                    out.text("kind", "log");
                    out.number("templates", templates);
                    out.object("errors", &total("distinct", errors, shown.of("error")));
                    out.object("warnings", &total("distinct", warnings, shown.of("warning")));
                    out
                };
                let note = notes::text::log_summary(instead, self.original);
                self.render(&pieces, totals, &note)
            }
            Nature::Document => {
                let Document { pieces, headings, fences } = document::outline(self.text, &lines);
                let totals = |shown: &ShownPieces<'_>| {
                    let mut out = Members::new();
                    out.text("kind", "document");
                    out.object("headings", &total("total", headings, shown.of("heading")));
                    out.object("codeFences", &total("total", fences, shown.of("fence")));
                    out
                };
                let note = notes::text::document_summary(instead, self.original);
                self.render(&pieces, totals, &note)
            }
        }
    }

    /// The most telling pieces that fit, in the order of the source.
    fn render(
        &self,
        pieces: &[Piece<'_>],
        totals: impl Fn(&ShownPieces<'_>) -> Members,
        note: &str,
    ) -> Result<Option<Fit>, Error> {
        let mut written: Vec<Vec<SummaryLine>> = Vec::new();
        self.cx.shrink_in_frame(|spend| {
            let (mut left, mut misses, mut taken) = (spend, 0, Vec::new());
            for (at, piece) in pieces.iter().enumerate() {
                if at == written.len() {
                    written.push(SummaryLine::forms(piece, self.cx.measure));
                }
                match written[at].iter().position(|entry| entry.tokens <= left) {
                    Some(form) => {
                        left -= written[at][form].tokens;
                        taken.push((at, form));
                    }
                    None => misses += 1,
                }
                if misses == MOST_MISSES {
                    break;
                }
            }
            sort_by_key(&mut taken, |&(at, _)| (pieces[at].line, at));
            let shown = ShownPieces { pieces, taken: &taken };
            let entries: Vec<&str> = taken.iter().map(|&(at, form)| written[at][form].text.as_str()).collect();
            let mut out = self.head(OURS, &totals(&shown), note);
            out.list("lines", &entries);
            Ok(out.into_object())
        })
    }
}

/// How many there are of something, under a name, and how many of them are shown.
fn total(name: &str, total: usize, shown: usize) -> Members {
    let mut out = Members::new();
    out.number(name, total);
    out.number("shown", shown);
    out
}

/// The pieces that a summary shows.
struct ShownPieces<'a> {
    pieces: &'a [Piece<'a>],
    /// Which of them, and in which form.
    taken: &'a [(usize, usize)],
}

impl ShownPieces<'_> {
    fn of(&self, class: &str) -> usize {
        self.taken.iter().filter(|&&(at, _)| self.pieces[at].class == class).count()
    }
}

/// A piece as a member of `lines`.
struct SummaryLine {
    text: String,
    tokens: usize,
}

impl SummaryLine {
    /// The piece whole; then, of several lines of which some would rather be missed than all, the first.
    fn forms(piece: &Piece<'_>, measure: Measure) -> Vec<Self> {
        let lines = piece.text.split('\n').count();
        let mut forms = vec![Self::new(piece, lines, measure)];
        if lines > 1 && piece.is_grave() {
            forms.push(Self::new(piece, 1, measure));
        }
        forms
    }

    /// Its number from 1, its counts if it stands for more than itself, and so many lines of its text.
    fn new(piece: &Piece<'_>, shown: usize, measure: Measure) -> Self {
        let mut out = Members::new();
        out.number("line", piece.line + 1);
        let more = piece.text.split('\n').count() - shown;
        let (mut text, mut cut) = (String::new(), 0);
        for (index, line) in piece.text.split('\n').take(shown).enumerate() {
            text += if index > 0 { "\n" } else { "" };
            let start = text_cuts::start(line, LINE_CHARS);
            cut += usize::from(start.len() < line.len());
            text += start;
        }
        let facts = [
            ("count", piece.count, piece.count > 1),
            ("alike", piece.alike, piece.alike > piece.count),
            ("lastLine", piece.last_line + 1, piece.last_line > piece.line),
            ("moreLines", more, more > 0),
            ("cutLines", cut, cut > 0),
        ];
        for (name, number, _) in facts.into_iter().filter(|(_, _, is_told)| *is_told) {
            out.number(name, number);
        }
        out.text("text", &text);
        let text = out.into_object();
        // Counted as it stands behind another one: what separates them is one token with what it touches.
        let tokens = measure.count(&format!("}},{}", &text[..text.len() - 1]));
        Self { text, tokens }
    }
}
