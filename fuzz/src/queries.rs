//! Edits of JSONPath queries: a step is added, or some characters are replaced.

use arbitrary::{Result, Unstructured};

const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "1.5",
    "1e2",
    "'a'",
    "\"a\"",
    "''",
    "null",
    "true",
    "false",
    "@",
    "@.a",
    "@[0]",
    "$",
    "$[0]",
    "$.a",
    "length(@)",
    "length(@.a)",
    "count(@.*)",
    "count($..*)",
    "value(@.a)",
    "value(@..a)",
    "'\\u00e9'",
];
const PATTERNS: &[&str] = &[
    "a",
    "a.*",
    ".*",
    "[a-z]+",
    "[^a]",
    "a|b",
    "(a|b)*",
    "a{2}",
    "a{1,3}",
    "\\\\p{Lu}",
    "\\\\P{L}",
    "[\\\\p{N}_]",
    "\\\\.",
    "a?b+",
    "",
    ".",
    "(ab)?c",
    "é",
    "\\\\n",
];
const PIECES: &[&str] = &[
    "$", "@", ".", "..", "*", "[", "]", "?", "(", ")", "&&", "||", "!", "'", "\"", ",", ":", " ", "-", "0", "1", "a",
    "é", "\\", "\t", "match", "search", "==", "[*]", "[?@]", "👩",
];
/// A query is not made longer than this.
const LONGEST: usize = 300;

/// The query after one edit; `names` are those of the document.
pub fn edit(query: &str, names: &[&str], choose: &mut Unstructured<'_>) -> Result<String> {
    if query.len() > LONGEST || choose.ratio(1, 8)? {
        return Ok(format!("${}", step(names, choose)?));
    }
    let ends: Vec<usize> = query.char_indices().map(|(at, _)| at).chain([query.len()]).collect();
    let start = *choose.choose(&ends)?;
    let end = ends.iter().copied().find(|&end| end > start).unwrap_or(start);
    Ok(match choose.int_in_range(0..=5)? {
        0..=2 => format!("{query}{}", step(names, choose)?),
        3 => [&query[..start], choose.choose(PIECES)?, &query[start..]].concat(),
        4 => [&query[..start], &query[end..]].concat(),
        _ => [&query[..start], choose.choose(VALUES)?, &query[end..]].concat(),
    })
}

/// One segment of a query.
fn step(names: &[&str], choose: &mut Unstructured<'_>) -> Result<String> {
    let names = [names, &["a", "b", "0", "a b", "é"]].concat();
    let name = choose.choose(&names)?.replace(['\'', '\\'], "");
    let number = choose.int_in_range(-5..=9)?;
    let dots = if choose.ratio(1, 4)? { ".." } else { "" };
    Ok(match choose.int_in_range(0..=9)? {
        0 => format!(".{name}"),
        1 => format!("..{name}"),
        2 => format!("{dots}['{name}']"),
        3 => format!("{dots}[{number}]"),
        4 => format!("{dots}[*]"),
        5 => format!("{dots}[{number}:{}:{}]", choose.int_in_range(-5..=9)?, choose.int_in_range(-3..=3)?),
        6 => format!("{dots}['{name}',{number},*]"),
        _ => format!("{dots}[?{}]", test(&name, choose)?),
    })
}

/// A condition of a filter.
fn test(name: &str, choose: &mut Unstructured<'_>) -> Result<String> {
    let value = *choose.choose(VALUES)?;
    Ok(match choose.int_in_range(0..=6)? {
        0 => format!("@['{name}']"),
        1 => format!("!@['{name}']"),
        2 | 3 => format!("@['{name}'] {} {value}", choose.choose(COMPARISONS)?),
        4 => format!("@ {} {value} && @.*", choose.choose(COMPARISONS)?),
        5 => format!("match(@['{name}'], '{}')", choose.choose(PATTERNS)?),
        _ => format!("search(@, '{}') || {value} {} @", choose.choose(PATTERNS)?, choose.choose(COMPARISONS)?),
    })
}
