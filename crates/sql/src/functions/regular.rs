//! `regexp`, `capture` and `regexp_replace`, in linear time, by the same engine in every face.

mod automaton;
mod captures;
mod engine;
mod program;
mod syntax;

use rusqlite::types::ValueRef;
use rusqlite::{Error, Result};

use self::captures::Places;
pub use self::engine::Engine;
use crate::account::Account;

use super::{Adder, Arguments, Output, failed, integer, null, text, value_text};

/// Bytes of the longest text that `regexp_replace` makes.
const LONGEST: usize = 1_000_000;
/// Bytes that take as long to read as compiling a character of a pattern, and one with repetitions.
const TO_COMPILE: usize = 1000;
const MOST_TO_COMPILE: usize = 1 << 19;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("regexp", 2, |arguments| {
        let Some(pattern) = compiled(arguments, 0)? else { return Ok(null()) };
        let Some(all) = arguments.text(1)? else { return Ok(null()) };
        Ok(integer(i64::from(pattern.finds(&all, arguments.account).ok_or_else(stopped)?)))
    })?;
    adder.texts("capture", 2, |arguments| capture(arguments, None))?;
    adder.texts("capture", 3, |arguments| {
        let group = arguments.context.get::<i64>(2).map_err(|_| failed("capture: the group is a number"))?;
        capture(arguments, Some(usize::try_from(group).map_err(|_| failed("capture: the group is from 0 on"))?))
    })?;
    adder.texts("regexp_replace", 3, replace)
}

/// Compiles a pattern.
///
/// # Errors
/// What is wrong with it.
pub fn compile(pattern: &str, account: &Account) -> std::result::Result<Engine, String> {
    let most = if pattern.contains('{') { MOST_TO_COMPILE } else { TO_COMPILE * (1 + pattern.len()) };
    if account.read(most) { Engine::new(pattern) } else { Err("stopped".to_owned()) }
}

fn stopped() -> Error {
    failed("stopped")
}

/// The pattern of an argument, which is not read again for each row.
fn compiled(arguments: &Arguments<'_, '_>, at: i32) -> Result<Option<std::sync::Arc<Engine>>> {
    if arguments.context.get_raw(at as usize) == ValueRef::Null {
        return Ok(None);
    }
    let read =
        |value: ValueRef<'_>| compile(&value_text::of(value).unwrap_or_default(), arguments.account).map_err(failed);
    arguments.context.get_or_create_aux(at, read).map(Some)
}

/// What a group of the first match is; group 1 if none is named and there is one, otherwise the whole match.
fn capture(arguments: &Arguments<'_, '_>, group: Option<usize>) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let Some(pattern) = compiled(arguments, 1)? else { return Ok(null()) };
    let groups = pattern.regex.captures_len();
    let group = group.unwrap_or(usize::from(groups > 1));
    if group >= groups {
        return Err(failed(format!("capture: the pattern has no group {group}")));
    }
    let mut places = Places::new();
    let is_found = pattern.captures(&all, 0, arguments.account, &mut places).ok_or_else(stopped)?;
    Ok(if is_found { of_group(&all, &places, group).map_or(null(), text) } else { null() })
}

/// The text of a group.
fn of_group<'t>(all: &'t str, places: &[Option<usize>], group: usize) -> Option<&'t str> {
    Some(&all[(*places.get(2 * group)?)?..(*places.get(2 * group + 1)?)?])
}

/// Replaces every match; `$1` and `\1` are groups.
fn replace(arguments: &Arguments<'_, '_>) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let Some(pattern) = compiled(arguments, 1)? else { return Ok(null()) };
    let Some(by) = arguments.text(2)? else { return Ok(null()) };
    let (by, most) = (pieces(&by), LONGEST.max(all.len()));
    let (mut out, mut from, mut at, mut last) = (String::with_capacity(all.len()), 0, 0, None);
    let mut places = Places::new();
    while pattern.captures(&all, at, arguments.account, &mut places).ok_or_else(stopped)? {
        let (Some(Some(start)), Some(Some(end))) = (places.first(), places.get(1)) else { break };
        if start == end && last == Some(*end) {
            // Where a match ends, there is no empty one.
            let Some(next) = all[at..].chars().next() else { break };
            at += next.len_utf8();
            continue;
        }
        out.push_str(&all[from..*start]);
        for piece in &by {
            match piece {
                ReplacementPart::Text(text) => out.push_str(text),
                ReplacementPart::Group(name) => {
                    let group = name
                        .parse()
                        .ok()
                        .or_else(|| pattern.regex.capture_names().position(|known| known == Some(name)));
                    out.push_str(group.and_then(|group| of_group(&all, &places, group)).unwrap_or_default());
                }
            }
        }
        (from, at, last) = (*end, *end, Some(*end));
        if out.len() > most {
            return Err(failed("regexp_replace: the text is too long"));
        }
    }
    arguments.charge(out.len())?;
    out.push_str(&all[from..]);
    Ok(text(out))
}

/// A part of what replaces a match.
#[derive(Debug, PartialEq)]
enum ReplacementPart {
    Text(String),
    /// The number or the name of a group.
    Group(String),
}

/// `$name`, `${name}` and what is between them; `\1` and `$1` are groups before whatever follows, and `$$` is a dollar.
fn pieces(by: &str) -> Vec<ReplacementPart> {
    let (mut pieces, mut text, mut rest) = (Vec::new(), String::new(), by);
    while let Some(at) = rest.find(['$', '\\']) {
        let (sign, after) = rest[at..].split_at(1);
        text += &rest[..at];
        let digits = usize::from(after.starts_with(|c: char| c.is_ascii_digit()));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, next) = match after.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            _ if digits > 0 => after.split_at(digits),
            _ if sign == "\\" => ("", after),
            Some(braced) => braced,
            None => after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len())),
        };
        rest = if name.is_empty() { after.strip_prefix(sign).unwrap_or(after) } else { next };
        if name.is_empty() {
            text += sign;
        } else {
            pieces.extend([ReplacementPart::Text(std::mem::take(&mut text)), ReplacementPart::Group(name.to_owned())]);
        }
    }
    pieces.push(ReplacementPart::Text(text + rest));
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn what_replaces_is_read() {
        let read = |by: &str| format!("{:?}", pieces(by));
        assert_eq!(read("a${1}b$$c$name-$"), r#"[Text("a"), Group("1"), Text("b$c"), Group("name"), Text("-$")]"#);
        assert_eq!(read(r"\1x$2y\\\z${"), r#"[Text(""), Group("1"), Text("x"), Group("2"), Text("y\\\\z${")]"#);
    }
}
