//! The tables that the parts of a result are in SQL: its blocks, or the members of an object.

use std::rc::Rc;

use toolshape_text::lines;

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::render::layout::ListLayout;
use crate::request::context::{Context, HowToAsk, PartTable};
use crate::value::any_source::AnySource;
use crate::value::rows_inside;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::{self, Formats};
use crate::value::token_estimate;

use super::job::Job;

/// More parts are rows.
const MOST_PARTS: usize = 20;
/// A longer text is not read for what is in it.
const MOST_CHARS: usize = 1 << 22;
/// The fewest rows of a member that are worth a question.
const FEWEST_ROWS: usize = 8;
/// How many texts, lists of one and objects may be around rows.
const LEVELS: usize = 4;

/// The tables of the parts of a stored result, each with its columns. Blocks all have one, and members only where they have rows that
/// are not those of the whole.
///
/// # Errors
/// Whatever reading the parts reports.
pub(super) fn of(job: &Job<'_>, ctx: &Context<'_>) -> Result<Rc<[PartTable]>, Error> {
    match job.structured()?.filter(|_| ctx.text.is_some()) {
        Some(text) => of_members(&ListLayout::new(text.source()), false, ctx),
        None => of_members(&job.layout, job.output.parts > 1, ctx),
    }
}

fn of_members(layout: &ListLayout<'_>, are_blocks: bool, ctx: &Context<'_>) -> Result<Rc<[PartTable]>, Error> {
    let value = &layout.value;
    let is_whole = ctx.base.is_empty() && ctx.how_to_ask != HowToAsk::ReadResult;
    let may_have = are_blocks || value.kind() == Kind::Object;
    if !is_whole || !may_have || ctx.handle(true).is_none() || !(1..=MOST_PARTS).contains(&value.len()) {
        return Ok(Rc::default());
    }
    let list = if are_blocks { None } else { layout.envelope()?.map(|envelope| envelope.pointer.clone()) };
    // The value is a list itself.
    if list.as_deref() == Some("") {
        return Ok(Rc::default());
    }
    let members = match value.kind() {
        Kind::Object => value.entries()?,
        _ => value.items(0, MOST_PARTS)?.into_iter().map(|item| ("\"\"".to_owned(), item)).collect(),
    };
    let mut tables = Vec::new();
    let sizes = members.iter().map(|(_, part)| token_estimate::chars(part)).collect::<Result<Vec<_>, _>>()?;
    for (at, (key, part)) in members.iter().enumerate() {
        let key = Quoted::new(key).text();
        let is_list = list.as_ref().is_some_and(|list| list.split('/').nth(1) == Some(&json_pointer::escape(&key)));
        let found = if is_list { None } else { rows_of(part, LEVELS)? };
        match found {
            Some(Rows { count, columns, is_inside }) if are_blocks || count >= FEWEST_ROWS => {
                // The table of the whole has the rows of the text that makes up most of it.
                let is_main = !are_blocks && list.is_none() && 2 * sizes[at] > sizes.iter().sum();
                let nth = if is_main { String::new() } else { format!("_{at}") };
                let name = nth + if is_inside { "_rows" } else { "" };
                tables.push(PartTable { name, rows: Some((count, columns)) });
            }
            _ if are_blocks => tables.push(PartTable { name: format!("_{at}"), rows: None }),
            _ => {}
        }
    }
    Ok(tables.into())
}

/// The rows of a value.
struct Rows {
    count: usize,
    columns: String,
    /// Whether they are in a text that is otherwise read by its lines.
    is_inside: bool,
}

fn rows_of(value: &AnySource<'_>, levels: usize) -> Result<Option<Rows>, Error> {
    if levels == 0 {
        return Ok(None);
    }
    match value.kind() {
        Kind::Array if value.len() > 1 => {
            Ok(Some(Rows { count: value.len(), columns: columns(value)?, is_inside: false }))
        }
        Kind::Array => value.items(0, 1)?.first().map_or(Ok(None), |only| rows_of(only, levels - 1)),
        Kind::Object => {
            let layout = ListLayout::new(value.clone());
            if let Some(envelope) = layout.envelope()? {
                return rows_of(&envelope.list, levels - 1);
            }
            let members = value.entries()?;
            let text = members.iter().map(|(_, member)| member).max_by_key(|member| member.chars());
            text.filter(|text| text.kind() == Kind::String).map_or(Ok(None), |text| rows_of(text, levels - 1))
        }
        Kind::String if value.chars() <= MOST_CHARS => in_text(&value.text()?, levels),
        _ => Ok(None),
    }
}

fn in_text(text: &str, levels: usize) -> Result<Option<Rows>, Error> {
    let text = &lines::with_feeds(text);
    if let Some(found) = structured_text::recognize(text, Formats::All) {
        return rows_of(&found.source(text), levels - 1);
    }
    let found = rows_inside::about(text);
    Ok(found.map(|(count, columns)| Rows { count, columns, is_inside: true }))
}

/// Some names of the fields of the first row.
fn columns(list: &AnySource<'_>) -> Result<String, Error> {
    let first = list.items(0, 1)?;
    let mut names: Vec<String> = Vec::new();
    if let Some(first) = first.first() {
        first.entries_where(&mut |_, key| {
            names.push(Quoted::new(key).text().into_owned());
            false
        })?;
    }
    Ok(rows_inside::some(names.iter().map(String::as_str)))
}
