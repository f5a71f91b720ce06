//! The rows or the data of a text, if they fit whole: `{"text":"json","note":"…","value":…}`.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::dense;
use crate::render::notes::{self, ways::Note};
use crate::request::context::{Context, Fit};
use crate::request::policy::Format;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

/// The whole of it; `None` if it does not fit.
pub(crate) fn whole(data: &AnySource<'_>, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let Some((json, _)) = ctx.measure.json_within(data, ctx.budget.saturating_mul(2))? else { return Ok(None) };
    let mut out = Members::new();
    ctx.write_text(false, &mut out);
    if data.kind() == Kind::Array {
        out.number("totalItems", data.len());
    }
    ctx.write_stored(false, &mut out);
    let mut note = Note::new(ctx, ctx.handle(false));
    notes::text::structured(&mut note, "textCursor");
    out.text("note", &note.finish());
    out.json("value", &json);
    let text = out.into_object();
    let plain = ctx.measure.fits(&text, ctx.budget);
    if ctx.format_of_pages() != Format::Json
        && let Some(dense) = dense::smallest(&text, ctx.measure)
        && dense.tokens <= ctx.budget
        && plain.is_none_or(|plain| dense::is_worth(ctx.format_of_pages(), dense.tokens, plain))
    {
        return Ok(Some(dense));
    }
    Ok(plain.map(|tokens| Fit { text, tokens }))
}
