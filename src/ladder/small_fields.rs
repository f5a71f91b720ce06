//! The small fields of wide rows: with them alone a page shows many more rows.
//!
//! The first rows are looked at. Of their small members, and of those of the objects and lists in them, those are chosen
//! that distinguish rows, outer ones before inner ones, until a row takes its share of a page. What is suggested was tried.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string::Quoted;
use crate::base::sorting::sort_by_key;
use crate::ladder::row_members::{Look, SmallMember};
use crate::render::counted_rows::{CountedRow, CountedRows};
use crate::render::page::SmallFields;
use crate::request::context::Context;
use crate::request::policy::PAGE_SIZE;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::project::{Projected, Selection};
use crate::value::source::{Kind, RECORD_KEYS, Source, row_key};
use crate::value::token_count::Measure;

/// Rows that are looked at.
const SAMPLED: usize = 6;
/// A larger value is not a small field.
const SMALL_TOKENS: usize = 32;
const SMALL_BYTES: usize = 200;
/// The tokens of what surrounds the rows of a page.
const FRAME: usize = 160;
/// At most this many fields are suggested.
const MOST_FIELDS: usize = 12;
/// In fewer tokens a row says hardly anything.
const ROW_TOKENS: usize = 40;
/// Fewer rows are not a page.
const FEWEST_ROWS: usize = 5;
/// Less is paid for a name, a state or a small number; a value that costs more is an id, a date or a text.
const CHEAP: usize = 10;
/// Bytes of a token in rows that are not short of room.
const TOKEN_BYTES: usize = 3;

/// A member of the sampled rows.
struct TalliedMember {
    /// The key of what it is in, unless that is the row. Keys have their quotes.
    outer: Option<String>,
    key: String,
    key_tokens: usize,
    /// Its tokens in all sampled rows, with its key.
    tokens: usize,
    /// In how many rows it is.
    count: usize,
    /// Its value in the first of them, and the tokens of that.
    first: String,
    first_tokens: usize,
    varies: bool,
    has_words: bool,
}

impl TalliedMember {
    /// Tokens in a row.
    fn cost(&self) -> usize {
        self.tokens.div_ceil(self.count)
    }

    /// How much a reader has of it: what tells rows apart and is cheap or in words is the best, and has the lowest rank.
    fn rank(&self) -> (usize, usize) {
        let is_dear = self.cost() > CHEAP && !self.has_words;
        let is_constant = match (self.varies, self.first.as_str()) {
            (true, _) => 0,
            (false, "null" | "true" | "false" | "\"\"") => 2,
            (false, _) => 1,
        };
        // The numbers of what is inside a row are ids, and there is mostly a name beside.
        let is_inner_number = self.outer.is_some() && !self.first.starts_with('"');
        let depth = 1 + usize::from(self.outer.is_some());
        (usize::from(is_dear) + is_constant + usize::from(is_inner_number), depth)
    }

    fn path(&self) -> FieldPath {
        let keys: Vec<String> =
            self.outer.iter().chain([&self.key]).map(|key| Quoted::new(key).text().into_owned()).collect();
        FieldPath::of_keys(&keys)
    }
}

/// The small fields of a list's rows, if a page holds many more rows with them alone.
///
/// # Errors
/// Whatever reading the rows reports.
pub(crate) fn of_rows(rows: &CountedRows<'_, AnySource<'_>>, ctx: &Context<'_>) -> Result<Option<SmallFields>, Error> {
    let room = ctx.budget.saturating_sub(FRAME);
    // With less room the suggestion itself would take too much of it.
    if room < 2 * FRAME {
        return Ok(None);
    }
    let len = rows.list().len();
    let page_size = ctx.controls.page_size.or(ctx.settings.page_size).unwrap_or(PAGE_SIZE);
    let wanted = if len <= ctx.settings.paginate_after { len } else { page_size.min(len) };
    let sample = rows.at(0, SAMPLED)?;
    if sample.len() < 2 || sample.iter().any(|row| row.source.kind() != Kind::Object) {
        return Ok(None);
    }
    let mut bytes = 0;
    for row in &sample {
        let most = room * TOKEN_BYTES;
        bytes += row.source.json_up_to(most)?.map_or(most + 1, |json| json.len());
    }
    if bytes / sample.len() * wanted <= room * TOKEN_BYTES {
        return Ok(None);
    }
    let fitting = wanted.min(room / ROW_TOKENS);
    // Rows that do not all fit are paged.
    let wanted = if fitting < len { fitting.min(page_size) } else { fitting };
    // Fields are worth a suggestion if twice as many rows fit.
    if wanted < FEWEST_ROWS.min(len) || has_whole_rows(wanted.div_ceil(2), rows, room, ctx)? {
        return Ok(None);
    }
    let mut members = MemberTally { noted: Vec::new(), next: 0, measure: ctx.measure };
    for row in &sample {
        members.next = 0;
        Look { members: RECORD_KEYS, bytes: SMALL_BYTES, with: &mut |member| members.note(member) }.at_row(row)?;
    }
    let mut members = members.noted;
    sort_by_key(&mut members, TalliedMember::rank);
    let (share, mut taken, mut fields) = (room / wanted, 2, Vec::new());
    for member in &members {
        if fields.len() < MOST_FIELDS && taken + member.cost() <= share {
            taken += member.cost();
            fields.push(member.path());
        }
    }
    // The share is an estimate: a few fields less may be needed.
    for _ in 0..4 {
        if fields.len() < 2 {
            break;
        }
        if has_rows_of(&fields, wanted, rows, room, ctx)? {
            let fields = fields.iter().map(|field| field.written().to_owned()).collect();
            return Ok(Some(SmallFields { fields, rows: wanted }));
        }
        fields.pop();
    }
    Ok(None)
}

/// Whether this many of a list's first rows fit as they are.
fn has_whole_rows(
    count: usize,
    rows: &CountedRows<'_, AnySource<'_>>,
    mut room: usize,
    ctx: &Context<'_>,
) -> Result<bool, Error> {
    for from in (0..count).step_by(SAMPLED) {
        for row in rows.at(from, SAMPLED.min(count - from))? {
            let own = row.within(room)?.map(|whole| whole.tokens);
            let Some(rest) = own.and_then(|own| room.checked_sub(own + around(&row, ctx))) else { return Ok(false) };
            room = rest;
        }
    }
    Ok(true)
}

/// Whether this many of a list's first rows fit with these fields alone.
fn has_rows_of(
    fields: &[FieldPath],
    count: usize,
    rows: &CountedRows<'_, AnySource<'_>>,
    mut room: usize,
    ctx: &Context<'_>,
) -> Result<bool, Error> {
    let selection = Selection::new(fields, &[]);
    let list = Projected::new(rows.list().clone(), &selection);
    // Numbers are not fields of rows, but pick rows.
    if list.len() < rows.list().len() {
        return Ok(false);
    }
    for from in (0..count).step_by(SAMPLED) {
        for (at, row) in (from..).zip(rows.at(from, SAMPLED.min(count - from))?) {
            let own = row.with_json(|json| match json.filter(|_| row.source.kind() == Kind::Object) {
                Some(json) => {
                    let projected = Projected::new(JsonText::checked(json), &selection);
                    Ok(ctx.measure.fits(&projected.json()?, room))
                }
                None => {
                    let projected = list.items(at, 1)?.pop();
                    let within = projected.map_or(Ok(None), |row| ctx.measure.json_within(&row, room))?;
                    Ok::<_, Error>(within.map(|(_, tokens)| tokens))
                }
            })??;
            let Some(rest) = own.and_then(|own| room.checked_sub(own + around(&row, ctx))) else { return Ok(false) };
            room = rest;
        }
    }
    Ok(true)
}

/// The tokens of what is around a row: a comma, and its key if it is an entry of a map.
fn around(row: &CountedRow<AnySource<'_>>, ctx: &Context<'_>) -> usize {
    1 + row_key(&row.source).map_or(0, |key| ctx.measure.count(key) + 1)
}

/// The small members of rows.
struct MemberTally {
    noted: Vec<TalliedMember>,
    /// Where the next one is looked for first: most rows have the same members in the same order.
    next: usize,
    measure: Measure,
}

impl MemberTally {
    fn note(&mut self, &SmallMember { outer, key, json, .. }: &SmallMember<'_>) {
        let is_it = |member: &TalliedMember| member.key == key && member.outer.as_deref() == outer;
        let (before, after) = self.noted.split_at(self.next.min(self.noted.len()));
        let found = after.iter().position(is_it).map(|at| at + before.len());
        let found = found.or_else(|| before.iter().position(is_it));
        if let Some(at) = found
            && self.noted[at].first == json
        {
            let member = &mut self.noted[at];
            member.tokens += member.first_tokens + member.key_tokens;
            member.count += 1;
            self.next = at + 1;
            return;
        }
        let tokens = self.measure.count(json);
        // Addresses are long, and follow from the ids.
        if tokens > SMALL_TOKENS || json.starts_with("\"http://") || json.starts_with("\"https://") {
            return;
        }
        match found {
            Some(at) => {
                let member = &mut self.noted[at];
                member.tokens += tokens + member.key_tokens;
                member.count += 1;
                member.varies = true;
                self.next = at + 1;
            }
            None => {
                let key_tokens = self.measure.count(key) + 2;
                self.noted.push(TalliedMember {
                    outer: outer.map(str::to_owned),
                    key: key.to_owned(),
                    key_tokens,
                    tokens: tokens + key_tokens,
                    count: 1,
                    first: json.to_owned(),
                    first_tokens: tokens,
                    varies: false,
                    has_words: json.contains(' '),
                });
                self.next = self.noted.len();
            }
        }
    }
}
