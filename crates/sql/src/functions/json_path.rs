//! `->`, `->>` and the functions that look into JSON by a path, in place and in linear time. What is not JSON, or has no value at the
//! path, is `NULL`.

use rusqlite::Result;
use rusqlite::functions::SubType;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use toolshape_json::{minify, with_texts_for_numbers};

use super::{Adder, Arguments, failed, integer, null, text, value_text};
use crate::number::{self, Number};
use crate::table::Cell;
use crate::table::json_place::{self, Members, PathStep};
use crate::table::json_rows;

/// How SQLite marks a text that other functions take as JSON.
const JSON: SubType = Some(b'J' as u32);
/// How many times as long as reading a text it takes: it is checked, and walked.
const READ: usize = 2;

/// The function whose JSON has texts in place of the numbers that SQLite does not hold, so that what walks through it keeps their digits.
pub const EXACT: &str = "exact_numbers";

type JsonOutput = Result<(ToSqlOutput<'static>, SubType)>;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("->", 2, |arguments| member(arguments, as_json))?;
    adder.texts("->>", 2, |arguments| member(arguments, as_value).map(|(value, _)| value))?;
    adder.scalar("json_extract", -1, extract)?;
    adder.scalar("json_valid", 1, |arguments| {
        let Some(json) = arguments.text(0)? else { return Ok(null()) };
        arguments.charge(json.len())?;
        Ok(integer(i64::from(json_rows::whole(&json).is_ok())))
    })?;
    adder.scalar(EXACT, 1, |arguments| {
        let Some(json) = arguments.text(0)? else { return Ok(null()) };
        arguments.charge(READ * json.len())?;
        let is_kept = |number: &str| !number::is_number(number) || number::read(number) != Number::Beyond;
        Ok(text(with_texts_for_numbers(&json, is_kept)))
    })?;
    for arguments in [1, 2] {
        adder.scalar("json_type", arguments, |arguments| {
            of_place(arguments, |json, (start, end)| text(kind(&json[start..end])))
        })?;
        adder.scalar("json_array_length", arguments, |arguments| {
            of_place(arguments, |json, (start, _)| {
                let is_list = json.as_bytes()[start] == b'[';
                integer(if is_list { Members::of(json, start).count() as i64 } else { 0 })
            })
        })?;
    }
    Ok(())
}

/// The value at the second argument: a path, a key, or the number of an item.
fn member(arguments: &Arguments<'_, '_>, output: fn(&str) -> (ToSqlOutput<'static>, SubType)) -> JsonOutput {
    let Some(json) = arguments.text(0)? else { return Ok((null(), None)) };
    let steps = match arguments.context.get_raw(1) {
        ValueRef::Null => return Ok((null(), None)),
        ValueRef::Integer(number) => Steps::Here(vec![PathStep::item(number)]),
        _ => steps(arguments, 1, |written| match written.strip_prefix('$') {
            Some(_) => json_place::path(written),
            None if written.len() > 2 && written.starts_with('[') && written.ends_with(']') => {
                json_place::path(&format!("${written}"))
            }
            None => Some(vec![PathStep::Key(written.into())]),
        })?,
    };
    let found = place(arguments, &json, steps.list())?;
    Ok(found.map_or((null(), None), |(start, end)| output(&json[start..end])))
}

/// The value at a path; the values at several as a list.
fn extract(arguments: &Arguments<'_, '_>) -> JsonOutput {
    let Some(json) = arguments.text(0)?.filter(|_| arguments.context.len() > 1) else { return Ok((null(), None)) };
    let mut list = String::from("[");
    for at in 1..arguments.context.len() {
        if arguments.context.get_raw(at) == ValueRef::Null {
            return Ok((null(), None));
        }
        let steps = steps(arguments, at as i32, json_place::path)?;
        let found = place(arguments, &json, steps.list())?.map(|(start, end)| &json[start..end]);
        if arguments.context.len() == 2 {
            let Some(found) = found else { return Ok((null(), None)) };
            let (value, _) = as_value(found);
            arguments.note_number(&value);
            return Ok((value, if found.starts_with(['{', '[']) { JSON } else { None }));
        }
        list.push_str(if at > 1 { "," } else { "" });
        list.push_str(&found.map_or("null".into(), minify));
    }
    Ok((text(list + "]"), JSON))
}

/// What is made of the value at the second argument, or of all of the first if there is no second.
fn of_place(
    arguments: &Arguments<'_, '_>,
    make: impl Fn(&str, (usize, usize)) -> ToSqlOutput<'static>,
) -> Result<ToSqlOutput<'static>> {
    let Some(json) = arguments.text(0)? else { return Ok(null()) };
    let steps = match arguments.context.len() {
        1 => Steps::Here(Vec::new()),
        _ if arguments.context.get_raw(1) == ValueRef::Null => return Ok(null()),
        _ => steps(arguments, 1, json_place::path)?,
    };
    Ok(place(arguments, &json, steps.list())?.map_or(null(), |found| make(&json, found)))
}

/// The steps of a path, kept from the last row if the path is the same in all.
enum Steps {
    Here(Vec<PathStep>),
    Kept(std::sync::Arc<Vec<PathStep>>),
}

impl Steps {
    fn list(&self) -> &[PathStep] {
        match self {
            Self::Here(steps) => steps,
            Self::Kept(steps) => steps,
        }
    }
}

fn steps(arguments: &Arguments<'_, '_>, at: i32, read: impl Fn(&str) -> Option<Vec<PathStep>>) -> Result<Steps> {
    let read = |value: ValueRef<'_>| {
        let written = value_text::of(value).unwrap_or_default();
        arguments.charge(written.len())?;
        read(&written).ok_or_else(|| failed(format!("bad JSON path: '{written}'")))
    };
    arguments.context.get_or_create_aux(at, read).map(Steps::Kept)
}

/// Where the value at a path begins and ends.
fn place(arguments: &Arguments<'_, '_>, json: &str, steps: &[PathStep]) -> Result<Option<(usize, usize)>> {
    arguments.charge(READ * json.len())?;
    let Ok(whole) = json_rows::whole(json) else { return Ok(None) };
    Ok(json_place::follow(json, whole, steps))
}

fn as_json(json: &str) -> (ToSqlOutput<'static>, SubType) {
    (text(minify(json)), JSON)
}

fn as_value(json: &str) -> (ToSqlOutput<'static>, SubType) {
    let value = match json_rows::value(json, 0, json.len()) {
        Cell::Null => null(),
        Cell::Integer(number) => integer(number),
        Cell::Real(number) => ToSqlOutput::Owned(Value::Real(number)),
        Cell::Text(value) => text(value),
    };
    (value, None)
}

fn kind(json: &str) -> &'static str {
    match json.as_bytes()[0] {
        b'{' => "object",
        b'[' => "array",
        b'"' => "text",
        b't' => "true",
        b'f' => "false",
        b'n' => "null",
        _ if json.contains(['.', 'e', 'E']) => "real",
        _ => "integer",
    }
}
