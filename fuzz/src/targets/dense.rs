//! The dense form: a value, an envelope of it, and its rows as an answer in SQL come back byte for byte, in no more tokens.

use arbitrary::{Result, Unstructured};
use serde_json::json;
use toolshape::host::{JsonText, Kind, Naming, Source, expand, quoted};
use toolshape::{Call, Policy, Shaper};

use crate::input::Input;
use crate::{json_edits, promises};

/// More rows and columns than a form needs to be worth it.
const ROWS: usize = 60;
const COLUMNS: usize = 12;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    if let Some(body) = json_edits::edit(&input.body, choose)? {
        input.body = body;
    }
    Ok(())
}

pub fn run(input: &Input) -> Option<()> {
    let value = JsonText::parse(&input.body).ok()?;
    let json = value.json().ok()?.into_owned();
    promises::comes_back(&json);
    promises::comes_back(&format!(r#"{{"total":9,"data":{json}}}"#));
    // Nothing that is read as the form makes it fail.
    let _ = expand(&input.body);
    answer(&value)
}

/// An answer of SQL in either form.
fn answer(value: &JsonText<'_>) -> Option<()> {
    let items = value.items(0, ROWS).ok()?;
    let rows: Vec<Vec<(String, JsonText<'_>)>> = items.iter().map(cells).collect();
    let widest = rows.iter().max_by_key(|row| row.len()).filter(|row| !row.is_empty())?;
    let names: Vec<&str> = widest.iter().map(|(name, _)| name.as_str()).collect();
    let row = |row: &Vec<(String, JsonText<'_>)>| {
        let cells = row.iter().map(|(_, value)| cell(value)).chain(std::iter::repeat("null".to_owned()));
        format!("[{}]", cells.take(names.len()).collect::<Vec<_>>().join(","))
    };
    let (columns, total) = (names.join(","), rows.len());
    let rows: Vec<String> = rows.iter().map(row).collect();
    let answers =
        format!(r#"{{"answers":[{{"columns":[{columns}],"rows":[{}],"total":{total}}}],"work":0}}"#, rows.join(","));
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 1_000_000 }), Naming::Camel).unwrap());
    let shown = |format: Option<&str>| {
        let call = json!({ "tool": "read_result", "arguments": { "sql": "SELECT 1", "format": format } });
        shaper.show_answers(&answers, &Call::new(&call, Naming::Camel).unwrap()).unwrap()
    };
    let (plain, dense) = (shown(Some("json")), shown(None));
    promises::fits(&dense);
    assert!(dense.receipt.tokens_after <= plain.receipt.tokens_after, "{}", dense.text);
    assert_eq!(expand(&dense.text).unwrap(), plain.text, "{}", dense.text);
    Some(())
}

/// The members of an object, the items of a list, or the value alone, each with the literal of a column's name.
fn cells<'a>(item: &JsonText<'a>) -> Vec<(String, JsonText<'a>)> {
    let named = |at: usize| format!("\"c{at}\"");
    let mut cells = match item.kind() {
        Kind::Object => item.entries().unwrap_or_default(),
        Kind::Array => {
            let items = item.items(0, COLUMNS).unwrap_or_default();
            items.into_iter().enumerate().map(|(at, value)| (named(at), value)).collect()
        }
        _ => vec![(named(0), item.clone())],
    };
    cells.truncate(COLUMNS);
    cells
}

/// A value as SQL has it: what is nested is a text.
fn cell(value: &JsonText<'_>) -> String {
    match value.kind() {
        Kind::Object | Kind::Array => quoted(value.span()),
        _ => value.span().to_owned(),
    }
}
