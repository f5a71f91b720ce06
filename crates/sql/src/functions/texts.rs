//! `instr`, `replace` and `trim` in linear time.

use memchr::memmem;
use rusqlite::Result;

use super::{Adder, Arguments, Output, failed, integer, null, text};

/// Bytes of the longest text that `replace` makes.
const LONGEST: usize = 1_000_000;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("instr", 2, instr)?;
    adder.scalar("replace", 3, replace)?;
    for (name, is_left, is_right) in [("trim", true, true), ("ltrim", true, false), ("rtrim", false, true)] {
        adder.scalar(name, 1, move |arguments| trim(arguments, is_left, is_right))?;
        adder.scalar(name, 2, move |arguments| trim(arguments, is_left, is_right))?;
    }
    Ok(())
}

/// The character at which a text begins in another, from 1; 0 if it is not there.
fn instr(arguments: &Arguments<'_, '_>) -> Output {
    let (Some(all), Some(part)) = (arguments.text(0)?, arguments.text(1)?) else { return Ok(null()) };
    arguments.charge(all.len() + part.len())?;
    let found = memmem::find(all.as_bytes(), part.as_bytes());
    Ok(integer(found.map_or(0, |at| all[..at].chars().count() as i64 + 1)))
}

fn replace(arguments: &Arguments<'_, '_>) -> Output {
    let (Some(all), Some(part), Some(by)) = (arguments.text(0)?, arguments.text(1)?, arguments.text(2)?) else {
        return Ok(null());
    };
    arguments.charge(all.len() + part.len())?;
    if part.is_empty() {
        return Ok(text(all));
    }
    let (mut out, mut from) = (String::new(), 0);
    let most = LONGEST.max(all.len());
    for at in memmem::find_iter(all.as_bytes(), part.as_bytes()) {
        out.push_str(&all[from..at]);
        out.push_str(&by);
        from = at + part.len();
        if out.len() > most {
            return Err(failed("replace: the text is too long"));
        }
    }
    // Each replacement takes longer than the bytes that it copies.
    arguments.charge(4 * out.len())?;
    out.push_str(&all[from..]);
    Ok(text(out))
}

fn trim(arguments: &Arguments<'_, '_>, is_left: bool, is_right: bool) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let mut characters = vec![' '];
    if arguments.context.len() == 2 {
        let Some(given) = arguments.text(1)? else { return Ok(null()) };
        arguments.charge(given.len())?;
        characters = given.chars().collect();
        characters.sort_unstable();
        characters.dedup();
    }
    arguments.charge(all.len())?;
    let is_cut = |c: char| characters.binary_search(&c).is_ok();
    let mut rest = &*all;
    if is_left {
        rest = rest.trim_start_matches(is_cut);
    }
    if is_right {
        rest = rest.trim_end_matches(is_cut);
    }
    Ok(text(rest))
}
