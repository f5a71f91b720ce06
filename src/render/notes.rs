//! Every sentence that a model reads in a result: notes, hints, and what is wrong with a call.
//!
//! Callers pass facts and get sentences, so the wording of results changes here and nowhere else. Only the messages of
//! errors that lower rooms raise (`request`, `value`) are next to their checks.

use crate::request::context::{Context, PartTable};
use crate::request::handle::Handle;

pub(crate) mod error;
pub(crate) mod images;
pub(crate) mod links;
pub(crate) mod object;
pub(crate) mod overview;
pub(crate) mod page;
pub(crate) mod read_back;
pub(crate) mod shortened;
pub(crate) mod sql;
pub(crate) mod stored;
pub(crate) mod text;
pub(crate) mod unusual;
pub(crate) mod ways;

/// The tables of the parts that a result consists of take at most 1/n of the budget.
const OF_PARTS: usize = 16;

/// The tables of the parts that a result consists of, with their columns if there is room.
fn parts(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let (Some(handle), [first, .., last] | [first @ last]) = (handle, &*ctx.parts) else { return String::new() };
    let named = |has_columns: bool| {
        let name = |table: &PartTable| match &table.rows {
            Some((count, columns)) if has_columns && !columns.is_empty() => {
                format!("{handle}{} ({count} rows: {columns})", table.name)
            }
            Some((count, _)) => format!("{handle}{} ({count} rows)", table.name),
            None => format!("{handle}{}", table.name),
        };
        format!("Its parts are tables in sql: {}.", ctx.parts.iter().map(name).collect::<Vec<_>>().join(", "))
    };
    let is_short = |text: &String| ctx.measure.count(text) <= ctx.budget / OF_PARTS;
    let range = || format!("Its parts are tables in sql: {handle}{} to {handle}{}.", first.name, last.name);
    [true, false].into_iter().map(named).find(is_short).unwrap_or_else(range)
}

/// What `files` of a text has, and of a list of its lines.
const HAS_FILES: &str = "files: what it is about, with hits, or lines added and removed.";
