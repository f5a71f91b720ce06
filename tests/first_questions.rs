//! The question about all rows that the first page of a stored list names is answered, whatever the rows are.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{FoundTable, Naming, Purpose};
use toolshape::{Call, Policy, Shaped, Shaper};

/// The SQL that a result names, as a call or in a note.
fn questions(shown: &Value) -> Vec<String> {
    match shown {
        Value::Object(members) => {
            let asked = members.get("ask").or_else(|| members.get("_ask")).and_then(|ask| ask["sql"].as_str());
            let note = members.get("note").or_else(|| members.get("_note")).and_then(Value::as_str);
            let example = note.and_then(|note| note.split_once("as in SELECT ")?.1.split_once("'%error%'"));
            let example = example.map(|(sql, _)| format!("SELECT {sql}'%error%'"));
            let page = members.get("_page").map_or_else(Vec::new, questions);
            asked.map(str::to_owned).into_iter().chain(example).chain(page).collect()
        }
        _ => Vec::new(),
    }
}

/// Asks the questions that a result names, of what is stored of it: each is answered. Returns them with their answers.
pub fn answers(shaper: &Shaper, source: &str, shaped: &Shaped) -> Vec<(String, Value)> {
    let (Ok(shown), Some(keep)) = (serde_json::from_str(&shaped.text), &shaped.keep) else { return Vec::new() };
    let content = keep.content.as_deref().unwrap_or(source);
    let call = |arguments: &Value| {
        Call::new(&json!({ "tool": "read_result", "arguments": arguments }), Naming::Camel).unwrap()
    };
    let answer = |sql: String| {
        let asked = call(&json!({ "sql": sql }));
        let tables = shaper.lookup(Purpose::Read, false, &asked).unwrap().tables.unwrap();
        let [handle] = &tables[..] else { panic!("{sql} has a table") };
        let of_handle = call(&json!({ "handle": handle }));
        let table = FoundTable { handle, stored: Some((&keep.key, content.into())), call: &of_handle };
        let answer = shaper.read_sql(vec![table], &asked).unwrap();
        assert!(!answer.is_error, "{sql}: {}", answer.text);
        (sql, serde_json::from_str(&answer.text).unwrap())
    };
    questions(&shown).into_iter().map(answer).collect()
}

/// The question that the result of `source` names, if it names one, and its answer.
fn asked(source: &str, is_text: bool) -> Option<(String, Value)> {
    let shaper = Shaper::new(Policy::new(&json!({}), Naming::Camel).unwrap());
    let call = Call::new(&json!({ "tool": "list", "store": true }), Naming::Camel).unwrap();
    let shaped = match is_text {
        true => shaper.shape_text(source, &call).unwrap(),
        false => shaper.shape_json(source, &call).unwrap(),
    };
    answers(&shaper, source, &shaped).pop()
}

/// Objects of these members: more than a page shows.
fn rows(members: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..400).map(members).collect()
}

#[test]
fn the_question_of_each_form_is_answered() {
    let film = |at: usize| json!({ "id": at, "genre": if at.is_multiple_of(2) { "War" } else { "Drama" }, "in": { "mag": at as f64 / 4.0 } });
    let films = rows(film);
    let map: serde_json::Map<String, Value> =
        films.iter().enumerate().map(|(at, row)| (format!("f{at}"), row.clone())).collect();
    let cells = |row: &Value| format!("{},{},{}\n", row["id"], row["genre"].as_str().unwrap(), row["in"]["mag"]);
    let csv = "id,genre,mag\n".to_owned() + &films.iter().map(cells).collect::<String>();
    let lines: String = films.iter().map(|row| format!("{row}\n")).collect();
    for (source, is_text) in [
        (json!(films).to_string(), false),
        (json!({ "total": 400, "data": { "films": films } }).to_string(), false),
        (json!(map).to_string(), false),
        (csv, true),
        (lines, true),
    ] {
        let (ask, answer) = asked(&source, is_text).unwrap_or_else(|| panic!("asks nothing: {}", &source[..80]));
        assert!(ask.starts_with("SELECT genre, count(*)"), "{ask}");
        let groups: Vec<Value> = answer["rows"].as_array().unwrap().iter().map(|row| json!([row[0], row[1]])).collect();
        assert_eq!(groups.len(), 2, "{answer}");
        assert!(groups.contains(&json!(["War", 200])) && groups.contains(&json!(["Drama", 200])), "{answer}");
    }
}

#[test]
fn the_question_names_small_fields_of_the_rows_however_large_these_are() {
    for chars in [300, 30_000] {
        let row = |at: usize| {
            json!({
                "lines": [{ "kind": (["a", "b"][at % 2]) }],
                "text": "word ".repeat(chars / 5),
                "by": { "role": if at.is_multiple_of(2) { "owner" } else { "guest" } },
                "a sentence that must not speak": "same",
            })
        };
        let (ask, answer) = asked(&json!((0..24).map(row).collect::<Vec<_>>()).to_string(), false).unwrap();
        assert!(ask.starts_with("SELECT by->>'role', count(*) FROM "), "{chars}: {ask}");
        assert_eq!(answer["rows"].as_array().unwrap().len(), 2, "{answer}");
    }
}

#[test]
fn the_question_about_a_text_or_an_object_is_answered() {
    let of = |line: &dyn Fn(usize) -> String| (0..900).map(line).collect::<String>();
    let log = of(&|at| {
        let level = if at.is_multiple_of(9) { "ERROR" } else { "INFO" };
        format!("2026-11-20 10:00:{:02} {level} request {at} took {} ms\n", at % 60, at * 7)
    });
    let document = "# Title\n\n".to_owned() + &of(&|at| format!("## Part {at}\n\nThe error {at} is here.\n\n"));
    let words = of(&|at| format!("a line with the words of {at} and with error {} in it\n", at % 3));
    let object = json!({ "a": 1, "text": "the error ".repeat(3000), "b": "an error" });
    for (source, is_text, start, rows) in [
        (log, true, "SELECT line, text", 100),
        (document, true, "SELECT line, text", 900),
        (words, true, "SELECT line, text", 900),
        (object.to_string(), false, "SELECT fullkey, atom", 2),
    ] {
        let (ask, answer) = asked(&source, is_text).unwrap_or_else(|| panic!("asks nothing: {start}"));
        assert!(ask.starts_with(start), "{ask}");
        assert_eq!(answer["totalItems"], json!(rows), "{ask}: {answer}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_question_of_any_rows_is_answered(
        names in proptest::collection::vec("count|sum|[a-z$%# _@()-]{1,12}|\\PC{1,6}", 1..6),
        kinds in proptest::collection::vec(0..5_usize, 6),
        gaps in 1..9_usize,
    ) {
        let value = |kind: usize, at: usize| match kind {
            0 => json!(at * 7 % 31),
            1 => json!(["x", "y, z", "a.b"][at % 3]),
            2 => json!({ "n": at as f64 / 8.0, "of": at.is_multiple_of(2) }),
            3 => json!(at.is_multiple_of(3)),
            _ => json!(format!("a text of row {at} that is long enough to fill a page with few of them")),
        };
        // Rows whose values are of other kinds than those of the first rows are not what is tested.
        let mut names = names;
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let row = |at: usize| {
            let fields = names.iter().zip(&kinds).enumerate().filter(|(place, _)| (at + place) % (gaps + 1) != gaps);
            Value::Object(fields.map(|(_, (name, kind))| (name.clone(), value(*kind, at))).collect())
        };
        asked(&json!(rows(row)).to_string(), false);
    }
}
