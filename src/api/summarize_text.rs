//! Summaries of long text from its own lines: logs become templates with counts, documents headings and leading
//! sentences.
//!
//! A summary is deterministic, and every line in it is a line of the source or the start of one, as a terminal shows it, with
//! its number. Errors are preferred to warnings, and warnings to the rest. Every summary says how to read the original;
//! without a way to it no summary is made.

mod options;

use memchr::memchr_iter;

use toolshape_text::lines;
use toolshape_text::prose::document::{self, MarkdownDocument};
use toolshape_text::prose::log;
use toolshape_text::prose::piece::Piece;
use toolshape_text::prose::severity::Severity;
use toolshape_text::prose::terminal;

use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::ladder::draft::Draft;
use crate::ladder::job::Job;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::tool_output::{Holder, ToolOutput};
use crate::render::notes::text::{self as notes, Original};
use crate::render::source_lines::{Pieces, ShownPiece, distinct, total};
use crate::request::call::{Call, Controls};
use crate::request::context::{Context, Fit};
use crate::request::handle;
use crate::request::stored::Stored;

pub use self::options::TextSummary;
pub(crate) use self::options::{NATURES, Nature};

/// A text of more lines is shown by both its ends: most of them are a few characters long, and none says more than another.
const MOST_LINES: usize = 2_000_000;

/// The value of `by` in summaries that are made here.
const OURS: &str = "toolshape";

#[doc(hidden)]
impl Shaper {
    /// Summarizes a text that is over the budget; one that fits passes unchanged.
    ///
    /// With a store the original is stored and the summary has its address. If the store failed, the original can only
    /// be read page by page, so the text is shaped as [`shape_text`](Self::shape_text) does; the same if the frame of a
    /// summary is over the budget.
    ///
    /// # Errors
    /// `INVALID_CALL` without a store and a `uri`, because the rest of the text would be lost, and for a `uri` that is
    /// too long for the budget.
    pub fn summarize_text(&self, text: &str, options: &TextSummary, call: &Call) -> Result<Shaped, Error> {
        let settings = self.settings(call)?;
        if options.uri.is_none() && !call.has_store() && call.store_failure().is_none() {
            let message = "a summary needs the way to the original: a store, or the option uri";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/uri"));
        }
        if let Err(error) = call.check_redacted() {
            return Ok(self.refused(&error, call));
        }
        let measure = settings.measure();
        if let Some(tokens) = measure.fits(text, settings.room()) {
            return Ok(Shaped::unchanged(settings, call, Fit { text: text.to_owned(), tokens }));
        }
        if memchr_iter(b'\n', text.as_bytes()).nth(MOST_LINES).is_some() {
            return self.shape_text(text, call);
        }
        let job = Job::new(ToolOutput { holder: Holder::Nobody, ..ToolOutput::text(text, call) }, settings);
        let mut draft = Draft::new(&job, settings.room(), Controls::default());
        let weight = draft.weigh()?;
        let uri = match &options.uri {
            Some(uri) => uri.clone(),
            None => match draft.stored()? {
                Some(Stored::At { handle, .. }) => handle.uri(),
                _ => return self.shape_text(text, call),
            },
        };
        let ctx = &draft.ctx;
        let original = match handle::of_address(&uri) {
            Some(name) => Original::Stored {
                tool: &settings.read_tool,
                handle: name.handle(),
                pointer: options.pointer.as_deref().unwrap_or(""),
            },
            None => Original::Elsewhere,
        };
        let frame = SummaryFrame { text, uri: &uri, original, weight, ctx };
        let fit = frame.of_lines(options.nature)?;
        let Some(fit) = fit else {
            if handle::of_address(&uri).is_some() {
                return self.shape_text(text, &call.without_store());
            }
            return Err(Error::new(ErrorCode::InvalidCall, "uri is too long for the budget", "/uri"));
        };
        let mut shaped = job.keeping(draft.shaped(fit, vec![Step::SummarizeText], Outcome::Envelope));
        job.deliver(&mut shaped.keep);
        Ok(shaped)
    }
}

/// What all summaries have in common.
struct SummaryFrame<'a> {
    text: &'a str,
    uri: &'a str,
    original: Original<'a>,
    weight: usize,
    ctx: &'a Context<'a>,
}

impl SummaryFrame<'_> {
    /// The members up to `note`; `totals` are those of the text's kind.
    fn head(&self, totals: &Members, note: &str) -> Members {
        let mut out = Members::new();
        out.flag("summarized", true);
        out.text("by", OURS);
        out.number("totalLines", self.text.lines().count());
        out.number("totalChars", self.text.chars().count());
        out.number("estimatedTokens", self.weight);
        out.extend(totals);
        out.text("uri", self.uri);
        out.text("note", note);
        out
    }

    /// A summary from the text's own lines.
    fn of_lines(&self, nature: Option<Nature>) -> Result<Option<Fit>, Error> {
        let shown = terminal::shown_text(self.text);
        let lines = lines::of(&shown);
        let is_log = || !document::has_marks(&lines) && log::is_log(&lines);
        let nature = nature.unwrap_or_else(|| if is_log() { Nature::Log } else { Nature::Document });
        match nature {
            Nature::Log => {
                let log = log::fold(&shown, &lines);
                let totals = |shown: &ShownPieces<'_>| {
                    let mut out = Members::new();
                    out.text("kind", "log");
                    out.number("templates", log.templates);
                    for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning)] {
                        out.object(name, &distinct(&log, severity, shown.of(severity.name())));
                    }
                    out
                };
                let note = notes::log_summary(self.original);
                self.render(&log.pieces, totals, &note)
            }
            Nature::Document => {
                let MarkdownDocument { pieces, headings, fences } = document::outline(&shown, &lines);
                let totals = |shown: &ShownPieces<'_>| {
                    let mut out = Members::new();
                    out.text("kind", "document");
                    out.object("headings", &total("total", headings, shown.of("heading")));
                    out.object("codeFences", &total("total", fences, shown.of("fence")));
                    out
                };
                let note = notes::document_summary(self.original);
                self.render(&pieces, totals, &note)
            }
        }
    }

    /// The most important pieces that fit, in the order of the source.
    fn render(
        &self,
        pieces: &[Piece<'_>],
        totals: impl Fn(&ShownPieces<'_>) -> Members,
        note: &str,
    ) -> Result<Option<Fit>, Error> {
        let mut written = Pieces::new(pieces, self.ctx.measure, self.ctx.budget);
        self.ctx.shrink_in_frame(|spend| {
            let mut taken = written.within(spend);
            sort_by_key(&mut taken, |shown| (pieces[shown.piece].line, shown.piece));
            let shown = ShownPieces { pieces, taken: &taken };
            let entries: Vec<&str> = taken.iter().map(|&shown| written.text(shown)).collect();
            let mut out = self.head(&totals(&shown), note);
            out.list("lines", &entries);
            Ok(out.into_object())
        })
    }
}

/// The pieces that a summary shows.
struct ShownPieces<'a> {
    pieces: &'a [Piece<'a>],
    taken: &'a [ShownPiece],
}

impl ShownPieces<'_> {
    fn of(&self, class: &str) -> usize {
        self.taken.iter().filter(|shown| self.pieces[shown.piece].class == class).count()
    }
}
