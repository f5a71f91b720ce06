//! The rows or the data of a text, if they fit whole: `{"text":"json","note":"…","value":…}`, or with `columns` and
//! `rows`.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::columnar::Columns;
use crate::render::notes;
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
    out.text("note", notes::text::structured(ctx, ctx.handle(false), "textCursor").trim_start());
    let rows = if data.kind() == Kind::Array { data.items(0, usize::MAX)? } else { Vec::new() };
    match Columns::of(&rows)?.filter(|_| ctx.format() == Format::Columns) {
        Some(columns) => {
            out.json("columns", &columns.header());
            let rows: Result<Vec<String>, Error> = rows.iter().map(|row| columns.row(row)).collect();
            out.list("rows", &rows?);
        }
        None => out.json("value", &json),
    }
    let text = out.into_object();
    Ok(ctx.measure.fits(&text, ctx.budget).map(|tokens| Fit { text, tokens }))
}
