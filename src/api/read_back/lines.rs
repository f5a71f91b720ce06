//! Lines of a text, by their numbers or those of a section.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::ladder::draft::Draft;
use crate::ladder::shape;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::render::notes::{self, read_back::Unfit};
use crate::render::truncate::{self, About};
use crate::request::context::Fit;
use crate::request::policy::Preview;
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;
use crate::value::token_estimate;

use super::ignored::Ignored;
use super::part::{StoredPart, unfit};
use super::stretch::{By, LineRange};

/// The lines of the call, whole if they fit, otherwise their start, or the end of the last lines, with a cursor to the
/// rest.
///
/// Each line has its line break, so that consecutive parts make up the text.
pub(super) fn read(
    draft: &Draft<'_, '_, '_>,
    part: &StoredPart<'_>,
    lines: LineRange,
    ignored: &Ignored,
) -> Result<Shaped, Error> {
    let ctx = &draft.ctx;
    let text = part.text().ok_or_else(|| unfit("lines", Unfit::IsNoText))?;
    let LineRange { from, to, total, by } = lines;
    let (start, end) = lines.place(&text);
    let stretch = PlainText::new(&text[start..end]);
    let mut lead = Members::new();
    lead.text("lines", &lines.written());
    lead.number("totalLines", total);
    ignored.write(&mut lead);
    if !ctx.goes_on() && !ctx.measure.is_over(&stretch, ctx.budget) {
        let mut out = lead.clone();
        out.text("note", &notes::text::lines(from, to, total));
        out.text("text", &text[start..end]);
        let text = out.into_object();
        if let Some(tokens) = ctx.measure.fits(&text, ctx.budget) {
            return Ok(draft.shaped(Fit { text, tokens }, Vec::new(), Outcome::Envelope));
        }
    }
    let stretch = AnySource::new(stretch);
    let weight = token_estimate::tokens(&stretch, ctx.measure)?;
    let preview = (by == By::End).then_some(Preview::Tail);
    match truncate::text(&stretch, &About { preview, ..About::plain(&lead, weight) }, ctx)? {
        Some(fit) => Ok(draft.shaped(fit, vec![Step::Truncate], Outcome::Envelope)),
        None => shape::nothing_fits(draft),
    }
}
