//! A question about the rows of a list that someone would ask of them, by fields that they have.
//!
//! The first rows are looked at ([`row_fields`]). Of their fields a state or another category makes groups, and an amount has a
//! mean or sorts: never a constant, an id, a time or a code. Names that could be read as a sentence are left out, since data must
//! not speak for toolshape.

use crate::base::error::Error;
use crate::ladder::field_roles::{self, Role};
use crate::ladder::row_fields::{Measured, RowField, RowFields, ValueKind};
use crate::render::example_question::ExampleQuestion;
use crate::request::context::Context;
use crate::value::source::Source;

/// A list of fewer rows is read faster than asked.
const FEWEST_ROWS: usize = 8;
/// With less room the question takes too much of it.
const LEAST_BUDGET: usize = 500;
/// The longest text of a field that is asked about.
const TEXT_BYTES: usize = 40;
/// Whole numbers that are all among these are years.
const YEARS: std::ops::Range<i64> = 1500..2100;
/// How many keys lead to a field that someone would ask about, such as `properties.Status.status.name`.
const DEEPEST: usize = 4;

/// A question about the rows of a list, for a result that says where the whole is stored; without fields where none suit,
/// `None` where there is little room.
///
/// # Errors
/// Whatever reading the rows reports.
pub(crate) fn of_rows(fields: &RowFields<'_, '_>, ctx: &Context<'_>) -> Result<Option<ExampleQuestion>, Error> {
    // The rows of a part are not those of the table.
    let is_table = ctx.base.is_empty() && ctx.handle(true).is_some();
    if ctx.budget < LEAST_BUDGET || !is_table || fields.rows.list().len() < FEWEST_ROWS {
        return Ok(None);
    }
    let &Measured { ref fields, rows, .. } = fields.measured()?;
    let mut group: Option<((usize, usize, usize), Vec<String>)> = None;
    let mut number: Option<((usize, usize), Vec<String>)> = None;
    let mut name: Option<((bool, usize, usize), Vec<String>)> = None;
    for field in fields.iter().filter(|field| is_asked_about(field, rows)) {
        let keys = field.keys.clone();
        let says = field.says();
        let is_column = keys.first().is_some_and(|key| is_column(key));
        if !keys.iter().all(|key| field_roles::is_plain_name(key)) || !is_column || !is_always_inside(&keys, fields) {
            continue;
        }
        let doubt = match says.role {
            Some(Role::State) => 0,
            Some(Role::Owner) => 1,
            None | Some(Role::Name) => 2,
            _ => 3,
        } + 3 * usize::from(says.is_of_another);
        let kind = field.value_kind();
        // Without a name, rows are called by their identity.
        let is_called = match says.role {
            Some(Role::Name) => kind == Some(ValueKind::Words),
            _ => says.is_identity() && field.is_unique(rows),
        };
        if is_called {
            let rank = (says.role != Some(Role::Name), says.doubt, field.depth);
            if name.as_ref().is_none_or(|(best, _)| rank < *best) {
                name = Some((rank, keys.clone()));
            }
        }
        if field.values.iter().any(|value| value.len() > TEXT_BYTES + 2) {
            continue;
        }
        let repeats = matches!(kind, Some(ValueKind::Category | ValueKind::Flag)) && field.repeats();
        // Deep inside, what is true or false without a role is a setting.
        let is_flag = kind == Some(ValueKind::Flag) || field.values.iter().all(|value| is_flag_in_text(value));
        let is_setting = is_flag && says.role.is_none() && field.depth > 1;
        let is_code = says.role == Some(Role::Time) || keys.iter().any(|key| field_roles::is_reference(key));
        if repeats && field.distinct > 1 && !is_setting && !is_code {
            let rank = (doubt + usize::from(is_flag), field.depth, field.distinct);
            if group.as_ref().is_none_or(|(best, _)| rank < *best) {
                group = Some((rank, keys.clone()));
            }
        }
        let is_amount = says.role == Some(Role::Amount) || (!field.repeats() && says.role.is_none());
        // Inside of JSON, numbers in texts are texts.
        let is_read = field.depth == 1 || !field.values[0].starts_with('"');
        let is_number = kind == Some(ValueKind::Number) && is_read && !says.is_of_another;
        if is_number && is_amount && field.distinct > 1 && !field_roles::is_code(&keys) && !counts_up(field) {
            let rank = (usize::from(says.role.is_none()), field.depth);
            if number.as_ref().is_none_or(|(best, _)| rank < *best) {
                number = Some((rank, keys));
            }
        }
    }
    let [group, name] = [group.map(|(_, keys)| keys), name.map(|(_, keys)| keys)];
    Ok(Some(ExampleQuestion { group, number: number.map(|(_, keys)| keys), name }))
}

/// Whether a key is the name of its column: of a map `key` is that of the entries.
fn is_column(key: &str) -> bool {
    !key.eq_ignore_ascii_case("key")
}

/// Whether no row has a value other than JSON where the object or list around the field is.
fn is_always_inside(keys: &[String], fields: &[RowField]) -> bool {
    let is_around = |around: &[String]| around.len() < keys.len() && keys.starts_with(around);
    !fields.iter().any(|field| !field.values.is_empty() && is_around(&field.keys))
}

/// Whether a field is in most rows, by itself and of one kind.
fn is_asked_about(field: &RowField, rows: usize) -> bool {
    let is_one = !field.is_listed && field.values.iter().all(|value| !value.starts_with('['));
    is_one && !field.is_mixed() && field.depth <= DEEPEST && field.values.len() * 2 > rows
}

fn is_flag_in_text(json: &str) -> bool {
    ["\"true\"", "\"false\""].iter().any(|flag| json.eq_ignore_ascii_case(flag))
}

/// Whether its numbers only name the rows, or years: they have no mean.
fn counts_up(field: &RowField) -> bool {
    let numbers: Vec<i64> = field.values.iter().filter_map(|value| value.parse().ok()).collect();
    let is_next = |pair: &[i64]| pair[1].checked_sub(pair[0]).is_some_and(|step| step == 0 || step == 1);
    let are_years = numbers.iter().all(|number| YEARS.contains(number));
    numbers.len() == field.values.len() && (are_years || numbers.windows(2).all(is_next))
}
