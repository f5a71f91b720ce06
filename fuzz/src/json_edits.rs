//! Edits of JSON text at its values, so that most results are JSON again.

use arbitrary::{Result, Unstructured};
use toolshape::host::{JsonText, Kind, Source};

/// Values whose spelling or form has caused errors.
const SCALARS: &[&str] = &[
    "null",
    "true",
    "0",
    "-0",
    "1.0",
    "1E2",
    "9007199254740993",
    "1e999",
    "-1e-999",
    "0.1234567890123456789012345",
    "\"\"",
    "\"\\ud83d\"",
    "\"a\\u0000\\/\\ud83d\\ude00\"",
    "\"👩‍👩‍👧\"",
    "\"e\\u0301\"",
    "\"\\u001b[31mred\"",
    "[]",
    "{}",
    "\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA\"",
    "\"…\"",
    "\"[Array(3)]\"",
    "{\"_summarized\":true}",
    "{\"paginated\":true}",
    "{\"error\":\"INVALID_CALL\"}",
    "\"toolshape://result/\"",
    "[[]]",
    "[{},{}]",
    "1E400",
    "\"https://host.example/users/ann\"",
    "\"https://host.example/${id}/${name}\"",
    "{\"=\":\"data\"}",
    "{\"columns\":[\"a\"],\"rows\":[[1]]}",
];
const KEYS: &[&str] = &[
    "a", "id", "name", "items", "data", "nextCursor", "_page", "_value", "_summarized", "_note", "__proto__", "0", "",
    "a/b", "~", "a.b", "é", "\\u0061", "\\ud83d", "=", "${id}", "{=}", "_form", "_list", "columns", "rows",
];
/// A body is not made longer than this.
const LONGEST: usize = 64 << 10;

/// The body after one edit; `None` if it is not JSON or would become too long.
pub fn edit(body: &str, choose: &mut Unstructured<'_>) -> Result<Option<String>> {
    let Ok(whole) = JsonText::parse(body) else { return Ok(None) };
    let (value, in_list) = pick(&whole, choose)?;
    let span = value.span();
    // Spans are slices of the body.
    let start = span.as_ptr() as usize - body.as_ptr() as usize;
    let replaced = match choose.int_in_range(0..=8)? {
        0 | 1 => (*choose.choose(SCALARS)?).to_owned(),
        2 => pick(&whole, choose)?.0.span().to_owned(),
        3 => repeated(span, *choose.choose(&[2, 3, 10, 60, 300])?, if in_list { ["", ""] } else { ["[", "]"] }),
        4 => format!("{{\"{}\":{span}}}", choose.choose(KEYS)?),
        5 => members(span, *choose.choose(&[2, 10, 40, 120])?),
        6 => string_repeated(&value, choose)?,
        7 => added(&value, choose)?,
        _ => format!(" {span}\n"),
    };
    let longer = body.len() - span.len() + replaced.len();
    Ok((longer <= LONGEST).then(|| [&body[..start], &replaced, &body[start + span.len()..]].concat()))
}

/// A value somewhere in another, and whether it is an item of a list.
fn pick<'a>(whole: &JsonText<'a>, choose: &mut Unstructured<'_>) -> Result<(JsonText<'a>, bool)> {
    let (mut value, mut in_list) = (whole.clone(), false);
    for _ in 0..12 {
        if choose.ratio(1, 4)? || value.len() == 0 {
            break;
        }
        match value.kind() {
            Kind::Array => {
                let at = choose.int_in_range(0..=value.len() - 1)?;
                let Some(item) = value.items(at, 1).ok().and_then(|items| items.into_iter().next()) else { break };
                (value, in_list) = (item, true);
            }
            Kind::Object => {
                let Ok(mut entries) = value.entries() else { break };
                let at = choose.int_in_range(0..=entries.len() - 1)?;
                (value, in_list) = (entries.swap_remove(at).1, false);
            }
            _ => break,
        }
    }
    Ok((value, in_list))
}

fn repeated(span: &str, times: usize, [open, close]: [&str; 2]) -> String {
    let times = times.min(LONGEST / (span.len() + 1)).max(1);
    format!("{open}{}{close}", vec![span; times].join(","))
}

/// An object that has the value under many keys.
fn members(span: &str, times: usize) -> String {
    let times = times.min(LONGEST / (span.len() + 9)).max(1);
    let members: Vec<String> = (0..times).map(|at| format!("\"key{at}\":{span}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A string many times as long; another value as a string.
fn string_repeated(value: &JsonText<'_>, choose: &mut Unstructured<'_>) -> Result<String> {
    let span = value.span();
    if value.kind() != Kind::String {
        return Ok(serde_json::Value::String(span.to_owned()).to_string());
    }
    let times = *choose.choose(&[2, 10, 100, 1000])?;
    let inside = &span[1..span.len() - 1];
    Ok(format!("\"{}\"", inside.repeat(times.min(LONGEST / span.len()))))
}

/// A list with one item more, an object with one member more; another value in a list.
fn added(value: &JsonText<'_>, choose: &mut Unstructured<'_>) -> Result<String> {
    let (span, scalar) = (value.span(), *choose.choose(SCALARS)?);
    let comma = if value.len() == 0 { "" } else { "," };
    Ok(match value.kind() {
        Kind::Array => format!("{}{comma}{scalar}]", &span[..span.len() - 1]),
        Kind::Object => format!("{}{comma}\"{}\":{scalar}}}", &span[..span.len() - 1], choose.choose(KEYS)?),
        _ => format!("[{span},{scalar}]"),
    })
}
