//! Rows of which each is a block of lines `name: value`, `name | value` or `name = value`, as package managers, `\G` of MySQL, `\x`
//! of psql and `Format-List` of PowerShell print them.
//!
//! Blocks are divided by blank lines or by a drawn line with a number, and all begin with the same name. Paragraphs of messages may do
//! that too; those of rows have three names.

use std::collections::HashMap;
use std::ops::Range;

use toolshape_text::rows::folds;
use toolshape_text::rows::head::{Head, without_break};

use crate::base::json_string;
use crate::value::json_in_text::SharedJson;

use super::cell;
use super::header;
use super::printed_table::MOST_BYTES;
use super::structure::{Body, Skipped, Structure, TextFormat};

/// The longest name in characters, and its most words.
const NAME_CHARS: usize = 48;
const NAME_WORDS: usize = 4;
/// The fewest and the most different names: blocks with more are not of one kind.
const LEAST_NAMES: usize = 3;
const MOST_NAMES: usize = 256;
/// Of the cells that blocks could have, at least 1/n are there.
const FILLED: usize = 3;
/// Lines of a message behind the last block.
const MOST_AFTER: usize = 3;

/// What a line is.
enum Line<'a> {
    Blank,
    /// Drawn, with a number: `*** 1. row ***`, `-[ RECORD 1 ]---`.
    Divider,
    Field(&'a str, &'a str),
    /// Goes on with the value of the line before it.
    Further(&'a str),
    Other,
}

fn line(line: &str) -> Line<'_> {
    let content = line.trim();
    if content.is_empty() {
        return Line::Blank;
    }
    let drawn = ['*', '-', '=', '+'];
    if content.starts_with(drawn) && content.ends_with(drawn) && content.contains(|c: char| c.is_ascii_digit()) {
        return Line::Divider;
    }
    let end = content.char_indices().find(|&(at, c)| match c {
        ':' => content[at + 1..].is_empty() || content[at + 1..].starts_with(' '),
        '|' | '=' => {
            content[..at].ends_with(' ') && (content[at + 1..].is_empty() || content[at + 1..].starts_with(' '))
        }
        _ => false,
    });
    let field = end.map(|(at, _)| (content[..at].trim_end(), content[at + 1..].trim_start()));
    match field.filter(|(name, _)| is_name(name)) {
        Some((name, value)) => Line::Field(name, value),
        None if line.starts_with([' ', '\t']) => Line::Further(content),
        None => Line::Other,
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().count() <= NAME_CHARS
        && name.split(' ').count() <= NAME_WORDS
}

/// A value, and the lines that go on with it.
pub(crate) type Field<'a> = (&'a str, Vec<&'a str>);

/// Whether a text may begin with two blocks.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    let mut first = None;
    let mut is_divided = false;
    for (_, text) in head.lines() {
        match (line(text), first) {
            (Line::Blank | Line::Divider, _) => is_divided = first.is_some(),
            (Line::Field(name, _), None) => first = Some(name),
            (Line::Field(name, _), Some(first)) if is_divided => return name == first,
            (Line::Field(..), _) => {}
            (Line::Further(_), Some(_)) if !is_divided => {}
            _ => return false,
        }
    }
    false
}

/// The rows of a text that has blocks and little else.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if text.len() > MOST_BYTES || !may_begin(head) {
        return None;
    }
    let (mut blocks, mut place): (Vec<Vec<Field<'_>>>, Range<usize>) = (Vec::new(), 0..0);
    let (mut is_divided, mut is_drawn) = (true, false);
    let lines: Vec<&str> = text.split_inclusive('\n').map(without_break).collect();
    let start_of = |at: usize| lines[at].as_ptr().addr() - text.as_ptr().addr();
    let whole = folds::unfolded(&lines);
    for (at, content) in &whole {
        let line = line(content);
        match line {
            Line::Blank | Line::Divider => {
                is_divided = true;
                is_drawn |= matches!(line, Line::Divider);
                continue;
            }
            Line::Field(name, value) if is_divided => {
                if blocks.is_empty() {
                    place.start = start_of(at.start);
                } else if blocks[0][0].0 != name {
                    return None;
                }
                blocks.push(vec![(name, vec![value])]);
                is_divided = false;
            }
            Line::Field(name, value) => blocks.last_mut()?.push((name, vec![value])),
            Line::Further(more) if !is_divided => blocks.last_mut()?.last_mut()?.1.push(more),
            Line::Further(_) | Line::Other => break,
        }
        place.end = start_of(at.end - 1) + lines[at.end - 1].len();
    }
    // What is printed behind the last block, such as how many there are.
    let after = place.end..text.len();
    let has_rest = text[after.clone()].lines().filter(|line| !line.trim().is_empty()).count() > MOST_AFTER;
    if has_rest || blocks.len() < header::ROWS {
        return None;
    }
    let json = json(&blocks, if is_drawn { 2 } else { LEAST_NAMES })?;
    let body = Body::Literal(SharedJson::of(json)?);
    let before = 0..place.start;
    Some(Structure { before, after, ..Structure::of_all(TextFormat::Table, Skipped::Nothing, body) })
}

/// The blocks as a list of objects, if they have `least` names. A name that occurs twice in a block has lists of values.
pub(crate) fn json(blocks: &[Vec<Field<'_>>], least: usize) -> Option<String> {
    // The names, and whether each occurs twice in a block.
    let mut names: HashMap<&str, bool> = HashMap::new();
    let mut grouped: Vec<Vec<(&str, Vec<String>)>> = Vec::new();
    for block in blocks {
        let mut place_of: HashMap<&str, usize> = HashMap::new();
        let mut fields: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, lines) in block {
            let at = *place_of.entry(name).or_insert(fields.len());
            if at == fields.len() {
                fields.push((name, Vec::new()));
            }
            fields[at].1.push(value(lines));
        }
        for (name, values) in &fields {
            *names.entry(name).or_insert(false) |= values.len() > 1;
        }
        grouped.push(fields);
    }
    let filled: usize = grouped.iter().map(Vec::len).sum();
    if names.len() < least || names.len() > MOST_NAMES || filled * FILLED < names.len() * blocks.len() {
        return None;
    }
    let member = |(name, values): &(&str, Vec<String>)| {
        let values = values.join(",");
        format!("{}:{}", json_string::quoted(name), if names[name] { format!("[{values}]") } else { values })
    };
    let row = |fields: &Vec<_>| format!("{{{}}}", fields.iter().map(member).collect::<Vec<_>>().join(","));
    Some(format!("[{}]", grouped.iter().map(row).collect::<Vec<_>>().join(",")))
}

/// The lines of a value as JSON text.
fn value(lines: &[&str]) -> String {
    match lines {
        [""] => "null".to_owned(),
        [only] => cell::value(only).into_owned(),
        lines => json_string::quoted(&lines.join("\n")),
    }
}
