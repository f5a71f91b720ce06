//! Tables by name, and answers as JSON.

use std::rc::Rc;
use std::sync::Arc;

use toolshape_sql::{Answer, AskError, Limits, Table, TableError, Tables, ask};
use toolshape_text::rows::grammar::{Grammar, Quotes};
use toolshape_text::rows::row_index::RowIndex;

#[derive(Default)]
pub struct Known(Vec<(String, Arc<Table>)>);

impl Known {
    pub fn with(mut self, name: &str, table: Table) -> Self {
        self.0.push((name.to_owned(), Arc::new(table)));
        self
    }

    pub fn json(self, name: &str, json: &str) -> Self {
        self.with(name, Table::json(json).unwrap())
    }

    pub fn csv(self, name: &str, csv: &str) -> Self {
        self.with(name, Table::rows(csv, &csv_index(csv)).unwrap())
    }

    pub fn lines(self, name: &str, text: &str) -> Self {
        self.with(name, Table::lines(text).unwrap())
    }

    pub fn all(&self, sql: &str) -> Vec<Result<Answer, AskError>> {
        ask(sql, self, &Limits::default())
    }

    pub fn answer(&self, sql: &str) -> Answer {
        let mut answers = self.all(sql);
        assert_eq!(answers.len(), 1, "{sql}");
        answers.remove(0).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    pub fn error(&self, sql: &str) -> AskError {
        self.all(sql).remove(0).expect_err(sql)
    }

    /// The rows as JSON.
    pub fn rows(&self, sql: &str) -> String {
        json(&self.answer(sql))
    }
}

pub fn json(answer: &Answer) -> String {
    let row = |row: &Vec<toolshape_sql::SqlValue>| {
        let mut out = String::new();
        for value in row {
            out.push(if out.is_empty() { '[' } else { ',' });
            value.write_json(&mut out);
        }
        out + "]"
    };
    format!("[{}]", answer.rows.iter().map(row).collect::<Vec<_>>().join(","))
}

/// The index of comma-separated rows whose first is their header.
pub fn csv_index(csv: &str) -> RowIndex {
    let grammar = Grammar::Delimited(b',', Quotes::Doubled);
    let (header_end, mut at) = grammar.row(csv, 0, csv.len());
    let names = toolshape_text::rows::cells::texts(&csv[..header_end], grammar);
    let names = names.iter().map(|name| Rc::from(format!("\"{name}\""))).collect();
    let mut index = RowIndex::new(grammar, names, 0);
    while at < csv.len() {
        let (_, next) = grammar.row(csv, at, csv.len());
        index.note(at, next);
        at = next;
    }
    index
}

impl Tables for Known {
    fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError> {
        match name {
            "secret" => Err(TableError("you are not allowed to read this result".to_owned())),
            _ => Ok(self.0.iter().find(|(known, _)| known == name).map(|(_, table)| Arc::clone(table))),
        }
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }
}
