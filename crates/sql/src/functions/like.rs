//! `LIKE` and `GLOB` in a time bounded by the product of the lengths, which is charged.

use rusqlite::types::ValueRef;
use rusqlite::{Error, Result};

use super::pattern::Pattern;
use super::row_filter::{COST, LONGEST};
use super::{Adder, Arguments, Output, failed, integer, null, value_text};

/// How many times as long as reading a text reading a pattern takes.
const COST_TO_READ: usize = 16;
pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("like", 2, |arguments| matches(arguments, |pattern| Pattern::like(pattern, None)))?;
    adder.scalar("like", 3, |arguments| {
        let Some(escape) = arguments.text(2)? else { return Ok(null()) };
        let mut characters = escape.chars();
        let (Some(escape), None) = (characters.next(), characters.next()) else {
            return Err(failed("ESCAPE expression must be a single character"));
        };
        matches(arguments, move |pattern| Pattern::like(pattern, Some(escape)))
    })?;
    adder.scalar("glob", 2, |arguments| matches(arguments, Pattern::glob))
}

fn matches(arguments: &Arguments<'_, '_>, read: impl FnOnce(&str) -> Pattern) -> Output {
    // The pattern is not read again for each row.
    if arguments.context.get_raw(0) == ValueRef::Null {
        return Ok(null());
    }
    let Some(text) = arguments.text(1)? else { return Ok(null()) };
    let pattern = arguments.context.get_or_create_aux(0, |value| {
        let pattern = value_text::of(value).unwrap_or_default();
        if pattern.len() > LONGEST {
            return Err(failed("LIKE or GLOB pattern too complex"));
        }
        arguments.charge(COST_TO_READ * pattern.len())?;
        Ok::<_, Error>(read(&pattern))
    })?;
    let is_match =
        pattern.matches(&text, |compared| arguments.account.read(COST * compared)).ok_or_else(|| failed("stopped"))?;
    Ok(integer(i64::from(is_match)))
}
