//! The blocks of a text that begin alike and whose lines have a name and a value: calendars, cards, references, sections of settings.
//!
//! A block begins with the first form of a line that is not indented and occurs again, and ends before the next of that form. In one
//! text names and values are divided in one way.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use toolshape_text::rows::folds;

use crate::value::structured_text::{Field, blocks_json};

/// The fewest blocks, and the longest name in bytes.
const LEAST: usize = 3;
const NAME_BYTES: usize = 40;
/// The fewest names of a block.
const LEAST_NAMES: usize = 2;
/// Of the lines, at least 1 - 1/n have a name.
const OTHERS: usize = 5;
/// What lines of lists, headings and comments begin with.
const NO_OPENING: [char; 9] = ['#', '-', '*', '>', '|', '+', '/', ';', '='];

/// What divides a name from its value.
#[derive(Clone, Copy)]
enum Divider {
    Colon,
    Equals,
    Dash,
    Blank,
}

/// The blocks as rows.
pub(crate) struct FieldBlocks {
    count: usize,
    /// The names in all blocks.
    names: Vec<String>,
    json: String,
}

impl FieldBlocks {
    /// The blocks of a text of these lines; `None` if it has none or few, or other lines.
    pub fn of(lines: &[&str]) -> Option<Self> {
        let whole: Vec<Cow<'_, str>> = folds::unfolded(lines).into_iter().map(|(_, line)| line).collect();
        let lines: Vec<&str> = whole.iter().map(|line| &**line).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let forms: Vec<Option<&str>> = lines.iter().map(|line| form(line)).collect();
        for form in forms.iter().flatten() {
            *counts.entry(form).or_insert(0) += 1;
        }
        let first = forms.iter().position(|form| form.is_some_and(|form| counts[form] >= LEAST))?;
        let starts: Vec<usize> = (first..lines.len()).filter(|&at| forms[at] == forms[first]).collect();
        let divider = divider(&lines[first..]);
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let mut others = 0;
        let blocks: Vec<Vec<Field<'_>>> =
            starts.iter().zip(ends).map(|(&start, end)| block(&lines[start..end], divider, &mut others)).collect();
        let fields: usize = blocks.iter().map(Vec::len).sum();
        if others * OTHERS > fields + others {
            return None;
        }
        let json = blocks_json(&blocks, LEAST_NAMES)?;
        let mut known = HashSet::new();
        let names = blocks.iter().flatten().map(|(name, _)| *name).filter(|name| known.insert(*name));
        Some(Self { count: blocks.len(), names: names.map(str::to_owned).collect(), json })
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// A list of objects.
    pub fn json(self) -> String {
        self.json
    }
}

/// What divides most names from their values.
fn divider(lines: &[&str]) -> Divider {
    let dividers = [Divider::Blank, Divider::Dash, Divider::Equals, Divider::Colon];
    let mut counts = [0; 4];
    for (_, rest) in lines.iter().filter_map(|line| named(line)) {
        for (count, divider) in counts.iter_mut().zip(dividers) {
            *count += usize::from(value(rest, divider).is_some());
        }
    }
    let most = dividers.into_iter().zip(counts).max_by_key(|(_, count)| *count);
    most.map_or(Divider::Colon, |(divider, _)| divider)
}

/// What the lines that begin blocks have in common; `None` for a line that begins none.
fn form(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|first| !first.is_whitespace() && !NO_OPENING.contains(first))?;
    if matches!(first, '[' | '@') {
        return Some(&line[..1]);
    }
    let letters = line.find(|c: char| c.is_alphabetic())?;
    let is_end = |c: char| c.is_whitespace() || c.is_numeric() || "={}\"'(".contains(c);
    let end = line[letters..].find(is_end).map_or(line.len(), |at| letters + at);
    Some(&line[..end])
}

/// The fields of a block; a line that opens it and has none is called `block`.
fn block<'t>(lines: &[&'t str], divider: Divider, others: &mut usize) -> Vec<Field<'t>> {
    let mut out: Vec<Field<'t>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_drawn = !line.contains(char::is_alphanumeric);
        // Between the same marks a block begins and ends.
        let is_mark = |line: &str| line.starts_with(|c: char| !c.is_alphanumeric() && lines[0].starts_with(c));
        match field(line, divider) {
            // What closes a block says again what opened it, or nothing.
            Some((_, value)) if at > 0 && !line.starts_with(' ') && closes(value, &out[0], divider) => break,
            Some((name, value)) => out.push((name, vec![value])),
            None if at == 0 => out.push(("block", vec![line.trim_matches(['[', ']', '<', '>', '@', '{', ',', ' '])])),
            None if is_drawn || is_mark(line) => {}
            None if line.starts_with([' ', '\t']) && out.len() > 1 => {
                out.last_mut().expect("it has two").1.push(line.trim());
            }
            None => *others += 1,
        }
    }
    out
}

fn closes(value: &str, (_, opening): &Field<'_>, divider: Divider) -> bool {
    if value.is_empty() { matches!(divider, Divider::Dash) } else { opening == &[value] }
}

fn field(line: &str, divider: Divider) -> Option<(&str, &str)> {
    let (name, rest) = named(line)?;
    Some((name, bare(value(rest, divider)?)))
}

/// What may be the name of a line, and the rest of the line.
fn named(line: &str) -> Option<(&str, &str)> {
    let content = line.trim();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = content.find(|c: char| !is_part(c))?;
    let (name, rest) = content.split_at(end);
    let is_name = name.len() <= NAME_BYTES && name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    is_name.then_some((name, rest))
}

/// The value in what follows a name.
fn value(rest: &str, divider: Divider) -> Option<&str> {
    Some(match divider {
        // Parameters may follow the name: `DTSTART;TZID=Europe/Oslo:20240301`.
        Divider::Colon if rest.starts_with(';') => rest.split_once(':')?.1,
        Divider::Colon => rest.strip_prefix(':').filter(|value| !value.starts_with("//"))?,
        Divider::Equals => rest.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='))?,
        Divider::Dash => {
            rest.trim_start().strip_prefix('-').filter(|value| value.is_empty() || value.starts_with(' '))?
        }
        // One word or a text in quotes: several are a sentence.
        Divider::Blank => Some(rest).filter(|rest| {
            let is_one = || !rest.trim().trim_end_matches('{').trim_end().contains(' ') || rest.contains('"');
            rest.starts_with([' ', '\t']) && is_one() && !rest.contains(['=', '('])
        })?,
    })
}

/// A value without the mark behind it, and without its quotes or braces.
fn bare(value: &str) -> &str {
    let value = value.trim().trim_end_matches([';', ',', '{']).trim_end();
    let inside = |open, close| {
        let inside = value.strip_prefix(open)?.strip_suffix(close)?;
        (!inside.contains([open, close])).then_some(inside)
    };
    inside('"', '"').or_else(|| inside('{', '}')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::FieldBlocks;

    fn rows(block: impl Fn(usize) -> String, around: [&str; 2]) -> Value {
        let text = format!("{}{}{}", around[0], (1..5).map(block).collect::<String>(), around[1]);
        let lines: Vec<&str> = text.lines().collect();
        FieldBlocks::of(&lines).map_or(Value::Null, |blocks| serde_json::from_str(&blocks.json()).unwrap())
    }

    #[test]
    fn blocks_of_names_and_values_are_rows() {
        let event = |n| format!("BEGIN:VEVENT\nDTSTART;TZID=UTC:2024030{n}\nSUMMARY:Talk {n}\n on rows\nEND:VEVENT\n");
        let around = ["BEGIN:VCALENDAR\nVERSION:2.0\n", "END:VCALENDAR\n"];
        let found = rows(event, around);
        assert_eq!(found.as_array().unwrap().len(), 4);
        assert_eq!(found[1], json!({ "BEGIN": "VEVENT", "DTSTART": 20240302, "SUMMARY": "Talk 2\non rows" }));
        let kinds = ["article", "book"];
        let entry = |n| format!("@{}{{key{n},\n  title = {{On {n}}},\n  year = \"200{n}\"\n}}\n\n", kinds[n % 2]);
        assert_eq!(rows(entry, ["", ""])[0], json!({ "block": "book{key1", "title": "On 1", "year": 2001 }));
        let reference = |n| format!("TY  - JOUR\nAU  - Ann\nAU  - Bo {n}\nER  - \n\n");
        assert_eq!(rows(reference, ["", ""])[0], json!({ "TY": "JOUR", "AU": ["Ann", "Bo 1"] }));
        let host = |n| format!("Host box{n}\n    HostName 10.0.0.{n}\n    Port 220{n}\n\n");
        assert_eq!(rows(host, ["", ""])[2], json!({ "Host": "box3", "HostName": "10.0.0.3", "Port": 2203 }));
        let section = |n| format!("[host-{n}]\nport = 220{n}\nuser = ann\n\n");
        assert_eq!(rows(section, ["# hosts\n", ""])[3], json!({ "block": "host-4", "port": 2204, "user": "ann" }));
        let zone = |n| format!("zone \"z{n}.example\" {{\n    type master;\n    file \"/z{n}.db\";\n}};\n");
        assert_eq!(rows(zone, ["", ""])[0], json!({ "zone": "z1.example", "type": "master", "file": "/z1.db" }));
    }

    #[test]
    fn code_and_prose_have_none() {
        let code = |n| format!("static int f{n}(int x)\n{{\n    int y = {n};\n    return x + y;\n}}\n\n");
        assert_eq!(rows(code, ["", ""]), Value::Null);
        let prose = |n| format!("The day {n} was long.\nWe walked to the sea: it was cold.\nNobody spoke of it.\n\n");
        assert_eq!(rows(prose, ["", ""]), Value::Null);
        let list = |n| format!("- item {n}: one\n- other: two\n");
        assert_eq!(rows(list, ["", ""]), Value::Null);
    }
}
