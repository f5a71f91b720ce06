//! The database: a query for each tool, whose rows are objects with the same keys in the same order.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Params, Result, Row};
use serde_json::{Map, Value, json};

const COLUMNS: &str = "SELECT id, slug, title, updated, tags, summary, body FROM articles";

#[derive(Clone)]
pub struct Articles {
    file: String,
}

impl Articles {
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into() }
    }

    /// Every published article, the newest first.
    pub fn published(&self) -> Result<Vec<Value>> {
        self.select("WHERE status = 'published' ORDER BY updated DESC, id", [])
    }

    pub fn get(&self, slug: &str) -> Result<Option<Value>> {
        Ok(self.select("WHERE slug = ?", [slug])?.pop())
    }

    /// Articles whose text has the words of the query, the longest first.
    pub fn search(&self, words: &str) -> Result<Vec<Value>> {
        self.select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", [words])
    }

    /// The weather of Seattle, day by day: millimetres, degrees Celsius, metres a second.
    pub fn weather(&self) -> Result<Vec<Value>> {
        self.query("SELECT date, precipitation, temp_max, temp_min, wind, weather FROM weather ORDER BY date", [])
    }

    /// A trading rule with each pair of its two parameters.
    pub fn sweep(&self) -> Result<Vec<Value>> {
        let rows = self.query("SELECT cell FROM sweep ORDER BY rowid", [])?;
        Ok(rows.iter().map(|row| read(&row["cell"])).collect())
    }

    fn select(&self, rest: &str, values: impl Params) -> Result<Vec<Value>> {
        let mut rows = self.query(&format!("{COLUMNS} {rest}"), values)?;
        for row in &mut rows {
            row["tags"] = read(&row["tags"]);
        }
        Ok(rows)
    }

    fn query(&self, sql: &str, values: impl Params) -> Result<Vec<Value>> {
        // Opened again, to see what others have written meanwhile, even if they replaced the file.
        let database = Connection::open_with_flags(&self.file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = database.prepare(sql)?;
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        statement.query_map(values, |row| object(&names, row))?.collect()
    }
}

fn object(names: &[String], row: &Row<'_>) -> Result<Value> {
    let mut object = Map::new();
    for (at, name) in names.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Integer(number) => json!(number),
            ValueRef::Real(number) => json!(number),
            ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
            ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        };
        object.insert(name.clone(), value);
    }
    Ok(Value::Object(object))
}

/// JSON in a column.
fn read(text: &Value) -> Value {
    text.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
