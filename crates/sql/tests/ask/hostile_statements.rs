//! Statements that take more than they may, and forbidden ones, with the rows that they are about and how each ends: for the tests and
//! the benchmark. The same are asked in WebAssembly.

use serde_json::Value;
use toolshape_sql::{Answer, AskError};

/// Where the statements are.
pub const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/shared/hostile_sql.json");

/// The table `m`.
pub fn rows() -> String {
    let row = |at: usize| format!("{{\"k\":\"k{}\",\"n\":{at},\"d\":{{\"a\":[1,2,{{\"b\":{at}}}]}}}}", at % 100);
    format!("[{}]", (0..2000).map(row).collect::<Vec<_>>().join(","))
}

/// The table `deep_doc`: lists in lists, and a long one.
pub fn document() -> String {
    let long: Vec<String> = (0..50_000).map(|number: usize| number.to_string()).collect();
    format!("{{\"deep\":{}{},\"long\":[{}]}}", "[".repeat(900), "]".repeat(900), long.join(","))
}

/// All of the file.
pub fn all() -> Value {
    serde_json::from_str(&std::fs::read_to_string(FILE).expect("the statements are there")).expect("the file is JSON")
}

/// The statements of a list of the file, each with how it ends with the work of a call.
pub fn statements(all: &Value, list: &str) -> Vec<(String, String)> {
    let text = |one: &Value, name: &str| one[name].as_str().expect("each has both").to_owned();
    let statements = all[list].as_array().expect("the file has the list");
    statements.iter().map(|one| (text(one, "sql"), text(one, "end"))).collect()
}

/// How a statement has ended.
pub fn end(found: &Result<Answer, AskError>) -> String {
    match found {
        Err(error) => AskError { near: Vec::new(), ..error.clone() }.to_string(),
        Ok(Answer { first_rows: Some(first), .. }) => {
            format!("an answer for the first {} of {} rows of {}", first.read, first.of, first.table)
        }
        Ok(_) => "an answer".to_owned(),
    }
}
