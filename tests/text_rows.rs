//! Generated CSV, NDJSON and data in prose: what pages show, put together, are the cells and the values that were written, and the text
//! itself is reachable byte for byte.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Kind, Naming, Source, expand};
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::promises;
use crate::reader::Reader;

/// A cell, in spellings that are easily changed.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?",
        3 => "[a-z]{1,8}( [a-z]{1,8})?",
        1 => "[0-9]{2,4}-[0-9]{2}|0[0-9]{1,4}|\\+[0-9]{1,3}|-|true",
        1 => "[a-z,;|\"\\t\\n\\r é👩‍👩‍👧\u{feff}]{0,12}",
        1 => Just(String::new()),
    ]
}

/// A table as CSV, and its cells.
#[derive(Clone, Debug)]
struct Table {
    text: String,
    rows: Vec<Vec<String>>,
}

fn table() -> impl Strategy<Value = Table> {
    let delimiter = prop::sample::select(vec![',', ';', '\t', '|']);
    let line_break = prop::sample::select(vec!["\n", "\r\n"]);
    (2..6usize, delimiter, line_break, any::<bool>(), any::<bool>()).prop_flat_map(
        |(columns, delimiter, line_break, ends, has_mark)| {
            let row = prop::collection::vec(cell(), columns - 1);
            prop::collection::vec(row, 20..120).prop_map(move |cells| {
                // The first column has numbers, as a table's often has.
                let rows: Vec<Vec<String>> = cells
                    .into_iter()
                    .enumerate()
                    .map(|(at, row)| std::iter::once(at.to_string()).chain(row).collect())
                    .collect();
                let header: Vec<String> = (0..columns).map(|at| format!("name{at}")).collect();
                let written = |row: &Vec<String>| {
                    let cells: Vec<String> = row.iter().map(|cell| quoted(cell, delimiter)).collect();
                    cells.join(&delimiter.to_string())
                };
                let lines: Vec<String> = std::iter::once(&header).chain(&rows).map(written).collect();
                let mut text = if has_mark { "\u{feff}".to_owned() } else { String::new() };
                text += &lines.join(line_break);
                if ends {
                    text += line_break;
                }
                Table { text, rows }
            })
        },
    )
}

/// A cell as RFC 4180 writes it.
fn quoted(cell: &str, delimiter: char) -> String {
    match cell.contains([delimiter, '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// Every page from the first to the last.
fn pages(shaper: &Shaper, text: &str, asked: &Value) -> Vec<Shaped> {
    let (mut pages, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut call = asked.clone();
        call["tool"] = json!("t");
        call["cursor"] = cursor;
        let shaped = shaper.shape_text(text, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        promises::fits(&shaped);
        if shaped.unchanged {
            return vec![shaped];
        }
        promises::whole(&shaped);
        promises::loud(text, &shaped);
        assert!(!shaped.is_error, "{}", shaped.text);
        cursor = member(&shaped.text, "nextCursor").map_or(Value::Null, |json| serde_json::from_str(&json).unwrap());
        pages.push(shaped);
        assert!(pages.len() < 500, "the pages do not end");
        if cursor.is_null() {
            return pages;
        }
    }
}

/// A member of a result as it is written.
fn member(text: &str, name: &str) -> Option<String> {
    let entries = JsonText::parse(text).unwrap().entries().unwrap();
    entries.into_iter().find(|(key, _)| key.trim_matches('"') == name).map(|(_, value)| value.span().to_owned())
}

/// The items of a list as they are written.
fn items(json: &str) -> Vec<String> {
    JsonText::parse(json).unwrap().items(0, usize::MAX).unwrap().iter().map(|item| item.span().to_owned()).collect()
}

/// A cell as text: the characters of a string, the spelling of a number.
/// The list on a page; without white space between its values all of it may fit.
fn list_of(page: &Shaped) -> String {
    let text = expand(&page.text).unwrap();
    member(&text, "items").or_else(|| member(&text, "value")).unwrap()
}

/// The cells of the rows on a page.
fn cells(page: &Shaped) -> Vec<Vec<String>> {
    let expanded = expand(&page.text).unwrap();
    let rows = items(&member(&expanded, "items").unwrap());
    let of_row = |row: &String| {
        let entries = JsonText::parse(row).unwrap().entries().unwrap();
        entries.iter().map(|(_, cell)| text_of(cell.span())).collect()
    };
    rows.iter().map(of_row).collect()
}

fn text_of(json: &str) -> String {
    match JsonText::parse(json).unwrap().kind() {
        Kind::String => serde_json::from_str(json).unwrap(),
        // An empty cell without quotes.
        Kind::Null => String::new(),
        _ => json.to_owned(),
    }
}

/// A string as Python's `repr` writes it.
fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => out += "\\n",
            '\u{1b}' => out += "\\x1b",
            '\u{2028}' => out += "\\u2028",
            '\\' => out += "\\\\",
            _ if character == quote => out.extend(['\\', quote]),
            _ => out.push(character),
        }
    }
    out.push(quote);
    out
}

fn shaper(policy: Value) -> Shaper {
    Shaper::new(Policy::new(&policy, Naming::Camel).unwrap())
}

/// The text itself, byte for byte, by the calls that the results name.
fn is_reachable(shaper: &Shaper, text: &str) {
    let shown = pages(shaper, text, &json!({ "format": "text" }));
    let shown: String = match &shown[..] {
        [one] if one.unchanged => one.text.clone(),
        parts => parts.iter().map(|part| text_of(&member(&part.text, "preview").unwrap())).collect(),
    };
    assert_eq!(shown, text);
    assert_eq!(Reader::of_stored(shaper, text, false, None).rebuild_text(), text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_csv_are_its_cells(table in table(), max_tokens in 300..900usize, page_size in 1..40usize) {
        let shaper = shaper(json!({ "maxTokens": max_tokens, "pageSize": page_size }));
        let first = shaper.shape_text(&table.text, &Call::default()).unwrap();
        if !first.unchanged {
            let mut shown = Vec::new();
            for page in pages(&shaper, &table.text, &json!({})) {
                assert!(page.receipt.step_names().iter().any(|step| ["csv", "tsv"].contains(step)), "{}", page.text);
                prop_assert_eq!(member(&page.text, "totalItems"), Some(table.rows.len().to_string()));
                shown.extend(cells(&page));
            }
            prop_assert_eq!(&shown, &table.rows);
        }
        promises::hold_text(&table.text, &json!({ "maxTokens": max_tokens }), &json!({ "store": true }));
        is_reachable(&shaper, &table.text);
    }

    #[test]
    fn pages_of_ndjson_are_its_values(
        rows in prop::collection::vec("\\{\"a\":(0|-1.50|1E2),\"b\":\"[a-z]{0,30}\"\\}|\\[[0-9]{1,5}e3\\]", 20..100),
        max_tokens in 300..900usize,
        ends in any::<bool>(),
    ) {
        // A number may begin with zeros in the pattern, and then it is not JSON.
        let rows: Vec<String> = rows.into_iter().filter(|row| JsonText::parse(row).is_ok()).collect();
        let text = rows.join("\n") + if ends { "\n" } else { "" };
        let shaper = shaper(json!({ "maxTokens": max_tokens }));
        if !shaper.shape_text(&text, &Call::default()).unwrap().unchanged {
            let pages = pages(&shaper, &text, &json!({}));
            let shown: Vec<String> = pages.iter().flat_map(|page| items(&list_of(page))).collect();
            prop_assert_eq!(shown, rows);
        }
        is_reachable(&shaper, &text);
    }

    #[test]
    fn pages_of_data_in_prose_are_its_values(
        rows in prop::collection::vec(("(0|-1\\.50|1E2|[1-9][0-9]{20,30})", "[a-zé'\"\\\\\n\u{1b}\u{2028}\\[{(]{0,20}"), 20..100),
        around in ("[a-z :,.)\\n]{0,20}", "[a-z :,.\\[{('\\n]{0,20}"),
        is_python in any::<bool>(),
        max_tokens in 400..900usize,
    ) {
        let wanted = |(number, text): &(String, String)| format!("{{\"n\":{number},\"s\":{},\"x\":[true,null]}}", json!(text));
        let python = |(number, text): &(String, String)| format!("{{'n': {number}, 's': {}, 'x': (True, None)}}", repr(text));
        let wanted: Vec<String> = rows.iter().map(wanted).collect();
        let list = if is_python { rows.iter().map(python).collect() } else { wanted.clone() }.join(", ");
        let text = format!("{}[{list}]{}", around.0, around.1);
        let shaper = shaper(json!({ "maxTokens": max_tokens }));
        if !shaper.shape_text(&text, &Call::default()).unwrap().unchanged {
            let pages = pages(&shaper, &text, &json!({}));
            let shown: Vec<String> = pages.iter().flat_map(|page| items(&list_of(page))).collect();
            prop_assert_eq!(shown, wanted);
            for (name, around) in [("before", &around.0), ("after", &around.1)] {
                let answer = member(&pages[0].text, name).map_or(String::new(), |json| text_of(&json));
                prop_assert_eq!(answer, around.trim());
            }
        }
        promises::hold_text(&text, &json!({ "maxTokens": max_tokens }), &json!({ "store": true }));
        is_reachable(&shaper, &text);
    }

    #[test]
    fn a_table_with_one_wrong_row_loses_nothing(
        table in table(),
        place in any::<prop::sample::Index>(),
        edit in prop::sample::select(vec!["\"", ",", "\n", "\t", ";", "|", "x\n", "\"\"", "\r"]),
    ) {
        let mut places = table.text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        places.push(table.text.len());
        let mut text = table.text.clone();
        text.insert_str(places[place.index(places.len())], edit);
        promises::hold_text(&text, &json!({ "maxTokens": 300 }), &json!({}));
        is_reachable(&shaper(json!({ "maxTokens": 300 })), &text);
    }
}
