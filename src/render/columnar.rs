//! Rows as columns: the keys once, then each row's values, without loss.
//!
//! `{"columns":["id","name"],"rows":[[1,"a"],[2,"b"]]}`. A row with other keys than the first row, or with another
//! order, stays an object in `rows`.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::value::source::{Entry, Kind, Source};

/// A whole list as columns; `None` if its rows cannot be written so.
pub(crate) fn whole<S: Source>(list: &S) -> Result<Option<String>, Error> {
    let rows = list.items(0, usize::MAX)?;
    let Some(columns) = Columns::of(&rows)? else { return Ok(None) };
    let rows: Result<Vec<String>, Error> = rows.iter().map(|row| columns.row(row)).collect();
    let mut out = Members::new();
    out.json("columns", &columns.header());
    out.list("rows", &rows?);
    Ok(Some(out.into_object()))
}

/// The keys that the rows of a list share.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    keys: Vec<String>,
}

impl Columns {
    /// Takes the columns from the first row; `None` if that is not an object or has no keys, or if a row is an array, which
    /// looks like a row in columns.
    pub fn of<S: Source>(rows: &[S]) -> Result<Option<Self>, Error> {
        let Some(first) = rows.first().filter(|row| row.kind() == Kind::Object) else { return Ok(None) };
        let keys: Vec<String> = first.entries()?.into_iter().map(|(key, _)| key).collect();
        let fit = !keys.is_empty() && rows.iter().all(|row| row.kind() != Kind::Array);
        Ok(fit.then_some(Self { keys }))
    }

    /// The keys as a JSON array.
    pub fn header(&self) -> String {
        format!("[{}]", self.keys.join(","))
    }

    /// A row: its values as a JSON array, or the row itself where it differs.
    pub fn row<S: Source>(&self, row: &S) -> Result<String, Error> {
        let entries = row.entries()?;
        if row.kind() != Kind::Object || !self.match_keys(&entries) {
            return Ok(row.json()?.into_owned());
        }
        let values: Result<Vec<String>, Error> =
            entries.iter().map(|(_, value)| Ok(value.json()?.into_owned())).collect();
        Ok(format!("[{}]", values?.join(",")))
    }

    fn match_keys<S>(&self, entries: &[Entry<S>]) -> bool {
        entries.len() == self.keys.len() && entries.iter().zip(&self.keys).all(|((key, _), column)| key == column)
    }
}
