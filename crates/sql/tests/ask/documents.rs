//! Every JSON and Markdown file of the repository, compared with what `serde_json` and the standard library read.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolshape_sql::{Limits, SqlValue, Table, ask};

use super::known::Known;

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn of_repository(ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    ["vectors", "docs"].iter().for_each(|folder| files(&root.join(folder), ending, &mut found));
    found.sort();
    found
}

/// Whether a cell is what a JSON value is in SQL.
fn is_same(cell: &SqlValue, value: &Value) -> bool {
    match (cell, value) {
        (SqlValue::Null, Value::Null) => true,
        (SqlValue::Integer(cell), Value::Bool(value)) => *cell == i64::from(*value),
        (SqlValue::Integer(cell), Value::Number(value)) => value.as_i64() == Some(*cell),
        (SqlValue::Real(cell), Value::Number(value)) => value.as_f64() == Some(*cell),
        (SqlValue::Text(cell), Value::String(value)) => cell == value,
        (SqlValue::Text(cell), Value::Number(value)) => {
            value.as_i64().is_none() && cell.parse::<f64>().ok() == value.as_f64()
        }
        (SqlValue::Text(cell), Value::Array(_) | Value::Object(_)) => {
            serde_json::from_str::<Value>(cell).is_ok_and(|cell| cell == *value)
        }
        _ => false,
    }
}

/// The length of the longest list in a value, and the pointer to it.
fn largest_list(value: &Value, pointer: &str) -> Option<(usize, String)> {
    let below =
        |key: &str, value| largest_list(value, &format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")));
    match value {
        Value::Array(items) => {
            let inside = items.iter().enumerate().filter_map(|(at, item)| below(&at.to_string(), item));
            inside.chain([(items.len(), pointer.to_owned())]).max()
        }
        Value::Object(members) => members.iter().filter_map(|(key, value)| below(key, value)).max(),
        _ => None,
    }
}

#[test]
fn every_cell_of_json_is_what_serde_json_reads() {
    let (mut cells, mut tables) = (0, 0);
    for path in of_repository("json") {
        let json = fs::read_to_string(&path).unwrap();
        // `serde_json` rejects half of a surrogate pair.
        let Ok(whole) = serde_json::from_str::<Value>(&json) else { continue };
        let place = largest_list(&whole, "").map_or(String::new(), |(_, place)| place);
        let Ok(table) = Table::json_rows(json.as_str(), &place) else { continue };
        let columns: Vec<String> = table.columns().iter().map(|column| column.name.clone()).collect();
        if !columns.iter().any(|name| name == "doc") || columns.len() > 400 {
            continue;
        }
        let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
        let known = Known::default().with("t", table);
        let limits = Limits { rows: usize::MAX, bytes: usize::MAX, work: 1 << 40, ..Limits::default() };
        let answer = ask(&format!("SELECT {} FROM t", names.join(",")), &known, &limits).remove(0).unwrap();
        tables += 1;
        let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
        for row in &answer.rows {
            let SqlValue::Text(pointer) = &row[column("pointer")] else { panic!("{row:?}") };
            let value = whole.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {path:?} below {place}"));
            assert!(is_same(&row[column("doc")], value) || !value.is_object(), "{path:?} {pointer}");
            let Value::Object(members) = value else { continue };
            for (at, name) in columns.iter().enumerate() {
                if ["doc", "pointer", "key", "value"].contains(&name.as_str()) || name.contains('_') {
                    continue;
                }
                let wanted = members.get(name).unwrap_or(&Value::Null);
                assert!(is_same(&row[at], wanted), "{path:?} {pointer} {name}: {:?} {wanted}", row[at]);
                cells += 1;
            }
        }
    }
    assert!(tables > 20 && cells > 2000, "{tables} {cells}");
}

#[test]
fn every_line_of_a_document_is_there_with_its_section() {
    let mut sections = 0;
    for path in of_repository("md") {
        let text = fs::read_to_string(&path).unwrap();
        let known = Known::default().with("t", Table::lines(text.as_str()).unwrap());
        let limits = Limits { rows: usize::MAX, bytes: usize::MAX, ..Limits::default() };
        let answer = ask("SELECT line, text FROM t", &known, &limits).remove(0).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(answer.total, lines.len(), "{path:?}");
        for (row, line) in answer.rows.iter().zip(&lines) {
            assert_eq!(row[1], SqlValue::Text((*line).to_owned()), "{path:?}");
        }
        let Ok(answer) = ask("SELECT text, section, level FROM t WHERE section IS NOT NULL", &known, &limits).remove(0)
        else {
            continue;
        };
        // Outside of code each heading is the section of its own line.
        let is_fenced = text.contains("```") || text.contains("~~~");
        for row in answer.rows.iter().filter(|_| !is_fenced) {
            let (SqlValue::Text(line), SqlValue::Text(section)) = (&row[0], &row[1]) else { panic!("{row:?}") };
            let title = line.trim_start_matches('#').trim();
            if line.starts_with("# ") || line.starts_with("## ") || line.starts_with("### ") {
                assert_eq!(title.replace('`', ""), section.replace('`', ""), "{path:?}");
                assert_eq!(
                    row[2],
                    SqlValue::Integer((line.len() - line.trim_start_matches('#').len()) as i64),
                    "{path:?} {line}"
                );
                sections += 1;
            }
        }
    }
    assert!(sections > 50, "{sections}");
}
