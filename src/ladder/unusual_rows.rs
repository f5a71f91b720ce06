//! Rows beyond those at the start of a list, as a table: those that differ from the others in a field, and those that bring the most
//! new words.
//!
//! How surprising their values are decides ([`surprise`](toolshape_text::surprise)), then what they add to the rows that are shown
//! ([`cover`](toolshape_text::prose::cover)), and not what their fields are called.

use std::cmp::Reverse;

use toolshape_text::surprise::{self, Odd, Why};

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::{Quoted, quoted};
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::ladder::row_tally::{FEWEST_ROWS, Field, Tally};
use crate::render::notes::unusual::{Rule, Seen};
use crate::request::context::Context;
use crate::value::at_pointer::at_pointer;
use crate::value::source::{Kind, Source, original_index, row_key};

/// With less room these rows take too much of it.
const LEAST_BUDGET: usize = 500;
/// About the tokens of a page without rows.
const FRAME: usize = 240;
/// Of the rest, all these rows take at most 2/n, those that differ 1/n, and those that have the largest number of a column 1/n.
const PARTS: usize = 3;
const LARGEST_PARTS: usize = 8;
/// A page that shows all of its rows takes at most this many tenths of the budget.
const ENOUGH_TENTHS: usize = 7;
/// About the tokens of the names of the columns, and of what the note says.
const HEADER: usize = 60;
/// The columns are those of which a row of mean length takes 1/n of the rest.
const ROW_PARTS: usize = 8;
/// About the bytes of a token.
const TOKEN_BYTES: usize = 4;
/// The longest value that is shown whole.
const VALUE_BYTES: usize = 120;
/// After this many rows that do not fit, the others are not tried.
const MOST_MISSES: usize = 16;

/// Some of a list's rows, with their pointers and the rules that chose them.
pub(crate) struct UnusualRows {
    columns: String,
    /// Each row with its tokens.
    rows: Vec<(String, usize)>,
    room: usize,
}

impl UnusualRows {
    /// The member `unusual` of a page: of one that shows all of its own rows in some tokens, what it has room for without filling the
    /// budget, or else more.
    pub fn members(&self, complete: Option<usize>) -> Option<Members> {
        let most = match complete {
            Some(tokens) => ((self.room + FRAME) * ENOUGH_TENTHS / 10).saturating_sub(tokens + HEADER),
            None => self.room * 2 / PARTS,
        };
        let fitting = self.rows.iter().scan(0, |used, (row, tokens)| {
            *used += tokens;
            (*used <= most).then_some(row)
        });
        let mut rows: Vec<&String> = fitting.collect();
        if rows.is_empty() {
            // What differs most replaces rows of a page that is full enough.
            let (first, tokens) = self.rows.first()?;
            if *tokens > self.room / PARTS {
                return None;
            }
            rows.push(first);
        }
        let mut unusual = Members::new();
        unusual.json("fields", &self.columns);
        unusual.list("rows", &rows);
        let mut out = Members::new();
        out.object("unusual", &unusual);
        Some(out)
    }
}

/// The rows that a first page shows beyond those at its start, in up to two thirds of its room.
///
/// `list` is the pointer to the rows; those of a part have another one. Without a store rows are read only where that costs
/// little: those of a text. A row that cannot be read ends the looking and not the call.
pub(crate) fn of_rows<S: Source>(rows: &S, list: &str, ctx: &Context<'_>) -> Option<UnusualRows> {
    let is_read = ctx.handle(true).is_some() || ctx.text.is_some();
    if rows.len() < FEWEST_ROWS || ctx.budget < LEAST_BUDGET || !ctx.base.is_empty() || !is_read {
        return None;
    }
    let mut tally = Tally::new(rows.len());
    // What was read before a row that cannot be read is looked at.
    let _ = tally.read(rows);
    if tally.rows < FEWEST_ROWS {
        return None;
    }
    let differing = differing(&mut tally);
    let seen = Seen { rows: tally.rows, is_all: tally.rows == rows.len() };
    let room = ctx.budget.saturating_sub(FRAME);
    let columns = columns(&tally, &differing, room / ROW_PARTS);
    let table = Table { rows, list, fields: &tally.fields, columns, seen };
    let mut taken = Taken { left: room / PARTS, written: Vec::new(), used: 0 };
    let mut cover = std::mem::take(&mut tally.cover);
    for (row, field, why) in &differing {
        if *why == Why::Extreme {
            taken.left = taken.left.min(room / LARGEST_PARTS);
        }
        let Ok(written) = table.row(*row, Some((*field, *why))) else { break };
        if !taken.take(written, ctx) {
            break;
        }
        cover.show(*row);
    }
    taken.left = (room * 2 / PARTS).saturating_sub(taken.used);
    // The page begins with the first rows.
    let on_page = room / PARTS * TOKEN_BYTES * tally.rows / tally.bytes.max(1);
    (0..on_page.min(tally.rows)).for_each(|row| cover.show(row));
    let shown = taken.written.len();
    let mut misses = 0;
    while let Some(row) = cover.next()
        && misses < MOST_MISSES
    {
        if row < on_page || differing[..shown].iter().any(|(known, ..)| *known == row) {
            continue;
        }
        let Ok(written) = table.row(row, None) else { break };
        match taken.take(written, ctx) {
            true => cover.show(row),
            false => misses += 1,
        }
    }
    let columns: Vec<String> = table.names().into_iter().map(quoted).collect();
    Some(UnusualRows { columns: format!("[{}]", columns.join(",")), rows: taken.written, room })
}

/// The rows that differ from the others, the most surprising first, each with the field that says so.
fn differing(tally: &mut Tally) -> Vec<(usize, usize, Why)> {
    let mut found: Vec<(Odd, usize)> = Vec::new();
    for (at, field) in tally.fields.iter_mut().enumerate() {
        found.extend(field.odd(tally.rows).into_iter().map(|odd| (odd, at)));
    }
    // A second row of a field says half as much as the first.
    found.retain(|(odd, _)| odd.bits >= surprise::LEAST);
    // In every column of numbers one is the largest.
    sort_by_key(&mut found, |(odd, field)| (odd.why == Why::Extreme, Reverse(odd.bits), tally.fields[*field].depth));
    let mut rows: Vec<(usize, usize, Why)> = Vec::new();
    for (Odd { row, why, .. }, field) in found {
        if !rows.iter().any(|(known, known_field, _)| *known == row || *known_field == field) {
            rows.push((row, field, why));
        }
    }
    rows
}

/// The fields that are shown: what names a row, what makes rows differ, what says what rows are, the short before the long; in the order
/// of the rows.
fn columns(tally: &Tally, differing: &[(usize, usize, Why)], tokens: usize) -> Vec<usize> {
    let name = tally.name();
    let is_odd = |at: usize| differing.iter().any(|(_, field, _)| *field == at);
    let mut order: Vec<usize> =
        (0..tally.fields.len()).filter(|&at| tally.fields[at].distinguishes(tally.rows)).collect();
    sort_by_key(&mut order, |&at| {
        let field = &tally.fields[at];
        (Some(at) != name, !is_odd(at), field.says.role.is_none(), field.mean_bytes())
    });
    let mut left = tokens * TOKEN_BYTES;
    order.retain(|&at| {
        let rest = left.checked_sub(tally.fields[at].mean_bytes().min(VALUE_BYTES));
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    order.sort_unstable();
    order
}

/// The rows as they are written.
struct Taken {
    left: usize,
    used: usize,
    written: Vec<(String, usize)>,
}

impl Taken {
    /// Adds a row if it has room.
    fn take(&mut self, row: String, ctx: &Context<'_>) -> bool {
        let tokens = ctx.measure.count(&row) + 1;
        let has_room = tokens <= self.left;
        if has_room {
            self.left -= tokens;
            self.used += tokens;
            self.written.push((row, tokens));
        }
        has_room
    }
}

/// The table of rows.
struct Table<'t, S> {
    rows: &'t S,
    list: &'t str,
    fields: &'t [Field],
    columns: Vec<usize>,
    seen: Seen,
}

impl<S: Source> Table<'_, S> {
    fn names(&self) -> Vec<&str> {
        let fields = self.columns.iter().map(|&at| &*self.fields[at].written);
        ["pointer", "rule"].into_iter().chain(fields).collect()
    }

    /// A row, and why it is there.
    fn row(&self, row: usize, why: Option<(usize, Why)>) -> Result<String, Error> {
        let items = self.rows.items(row, 1)?;
        let Some(own) = items.first() else { return Ok("null".to_owned()) };
        let place = match row_key(own) {
            Some(key) => json_pointer::escape(&Quoted::new(key).text()).into_owned(),
            None => original_index(self.rows, row).to_string(),
        };
        let rule = match why {
            Some((field, why)) => quoted(&self.rule(own, field, why)?),
            None => NOTHING.to_owned(),
        };
        let mut cells = vec![quoted(&format!("{}/{place}", self.list)), rule];
        for &at in &self.columns {
            cells.push(cell(own, &self.fields[at])?);
        }
        Ok(format!("[{}]", cells.join(",")))
    }

    /// Why a row is unusual.
    fn rule(&self, row: &S, field: usize, why: Why) -> Result<String, Error> {
        let (field, seen) = (&self.fields[field], self.seen);
        let of = |row: usize| {
            let items = self.rows.items(row, 1)?;
            items.first().map_or(Ok(String::new()), |row| cell(row, field))
        };
        let rule = match why {
            Why::Beyond(low, high) => Rule::Others(of(low)?, of(high)?),
            Why::Form(count) => Rule::Form(count),
            Why::Extreme => Rule::Largest,
            _ if field.filled + 1 == seen.rows && cell(row, field)? == NOTHING => Rule::Empty,
            _ if field.filled == 1 => Rule::Filled,
            Why::Shared(count) if !surprise::is_rare(field.filled, seen.rows) => Rule::InRows(count),
            _ => Rule::FilledIn(field.filled),
        };
        Ok(format!("{}: {}", field.written, rule.text(seen)))
    }
}

const NOTHING: &str = "null";

/// The value of a field in a row, of which a long text is shown by its start.
fn cell<S: Source>(row: &S, field: &Field) -> Result<String, Error> {
    let Some(value) = at_pointer(row, &field.steps())? else { return Ok(NOTHING.to_owned()) };
    match value.json_up_to(VALUE_BYTES)? {
        Some(json) => Ok(json.into_owned()),
        None if value.kind() == Kind::String => {
            Ok(quoted(&format!("{}…", text_cuts::start(&value.slice(0, VALUE_BYTES)?, VALUE_BYTES / 2))))
        }
        None => Ok(quoted("…")),
    }
}
