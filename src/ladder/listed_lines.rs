//! A list whose items are the lines of a text: beside its first rows the lines that say how it went, and the last ones.

use toolshape_text::lines;
use toolshape_text::prose::{survey, terminal};

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::counted_rows::CountedRows;
use crate::render::line_overview;
use crate::render::source_lines::Pieces;
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::sampling::evenly;
use crate::value::source::{Kind, Source, items_at, row_key};
use crate::value::token_estimate;

/// Items that are looked at to know whether they are lines.
const SAMPLED: usize = 32;
/// A list of fewer items, or of longer ones, has paragraphs and not lines.
const LEAST_LINES: usize = 20;
const LINE_CHARS: usize = 400;
/// Words that half of the items have at least: names, paths and ids have fewer.
const WORDS: usize = 3;
/// A list without an error or an outcome is one of lines if it has as many steps that went well.
const SOME_STEPS: usize = 3;
/// The lines and the characters of a longer list are not read.
const MOST_LINES: usize = 1 << 16;
const MOST_CHARS: usize = 1 << 22;
/// The tenths of the budget for the lines that say something, and for the last ones.
const FOUND: usize = 4;
const END: usize = 2;

/// The members `lines` and `tail` of the first page of a list over the budget; `None` if its items are no lines of a text.
///
/// # Errors
/// Whatever reading the items reports.
pub(crate) fn of_list(rows: &CountedRows<'_, AnySource<'_>>, ctx: &Context<'_>) -> Result<Option<Members>, Error> {
    let list = rows.list();
    if list.kind() != Kind::Array || !(LEAST_LINES..=MOST_LINES).contains(&list.len()) || !ctx.reads_texts() {
        return Ok(None);
    }
    // A list of rows is known by its first one, which a page reads anyway.
    if rows.at(0, 1)?.first().is_none_or(|row| row.source.kind() != Kind::String) {
        return Ok(None);
    }
    let words = |item: &AnySource<'_>| -> Result<Option<usize>, Error> {
        // The values of a map are no lines.
        if item.kind() != Kind::String || row_key(item).is_some() || item.chars() > MOST_CHARS / SAMPLED {
            return Ok(None);
        }
        let text = item.text()?;
        Ok(Some(text.split_whitespace().count()).filter(|_| !text.trim_end().contains('\n')))
    };
    let sample = items_at(list, &evenly(list.len(), SAMPLED.min(list.len())))?;
    let (mut worded, mut filled) = (0, 0);
    for item in &sample {
        let Some(words) = words(item)? else { return Ok(None) };
        worded += usize::from(words >= WORDS);
        filled += usize::from(words > 0);
    }
    let chars = token_estimate::chars(list)?;
    if worded * 2 < filled || chars > MOST_CHARS.min(list.len() * LINE_CHARS) {
        return Ok(None);
    }
    let mut own = String::new();
    for item in list.items(0, usize::MAX)? {
        if item.kind() != Kind::String {
            return Ok(None);
        }
        own += item.text()?.trim_end_matches(['\r', '\n']).replace(['\n', '\r'], " ").as_str();
        own.push('\n');
    }
    let text = terminal::shown(&own);
    let lines = lines::of(&text);
    let found = survey::of(&text, &lines);
    if found.pieces.is_empty() && found.good < SOME_STEPS {
        return Ok(None);
    }
    let mut pieces = Pieces::new(&found.pieces, ctx.measure, ctx.budget);
    let chosen = pieces.within(ctx.budget * FOUND / 10);
    let mut out = Members::new();
    if !chosen.is_empty() {
        out.list("lines", &chosen.iter().map(|&piece| pieces.text(piece)).collect::<Vec<_>>());
    }
    if let Some(tail) = line_overview::tail(&lines, ctx.budget * END / 10, ctx) {
        out.json("tail", &tail);
    }
    Ok(Some(out))
}
