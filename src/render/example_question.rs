//! A question in SQL about all rows of a stored list, by fields that these rows have.

use crate::base::members::Members;
use crate::request::handle::Handle;

/// Words that SQLite does not take as a name without quotes.
const RESERVED: [&str; 71] = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "cast", "check", "collate", "commit",
    "constraint", "create", "cross", "current_date", "current_time", "current_timestamp", "default", "deferrable",
    "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign", "from", "full", "group", "having",
    "in", "index", "inner", "insert", "intersect", "into", "is", "isnull", "join", "left", "limit", "natural", "not",
    "nothing", "notnull", "null", "on", "or", "order", "outer", "primary", "references", "returning", "right",
    "select", "set", "table", "then", "to", "transaction", "union", "unique", "update", "using", "values", "when",
    "where", "window", "with",
];

/// A question, by the keys that lead to its fields in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExampleQuestion {
    /// A field whose values repeat.
    pub group: Option<Vec<String>>,
    pub number: Option<Vec<String>>,
    /// What a row is called.
    pub name: Option<Vec<String>>,
}

impl ExampleQuestion {
    pub fn has_fields(&self) -> bool {
        self.group.is_some() || self.number.is_some()
    }

    /// The question as arguments of `read_result`.
    pub fn arguments(&self, handle: Handle) -> Members {
        let mut out = Members::new();
        out.text("sql", &self.sql(handle));
        out
    }

    fn sql(&self, handle: Handle) -> String {
        match (self.group.as_deref().map(column), self.number.as_deref().map(column)) {
            (Some(group), Some(number)) => {
                format!("SELECT {group}, count(*), avg({number}) FROM {handle} GROUP BY 1 ORDER BY 2 DESC")
            }
            (Some(group), None) => format!("SELECT {group}, count(*) FROM {handle} GROUP BY 1 ORDER BY 2 DESC"),
            (None, Some(number)) => match self.name.as_deref().map(column) {
                Some(name) => format!("SELECT {name}, {number} FROM {handle} ORDER BY 2 DESC LIMIT 5"),
                None => format!("SELECT * FROM {handle} ORDER BY {number} DESC LIMIT 5"),
            },
            (None, None) => format!("SELECT * FROM {handle} LIMIT 1"),
        }
    }
}

/// The field that keys lead to: a column, or a value in the JSON of one.
fn column(keys: &[String]) -> String {
    let Some((first, inner)) = keys.split_first() else { return "doc".to_owned() };
    let mut out = name(first);
    for (at, key) in inner.iter().enumerate() {
        out += if at + 1 < inner.len() { "->'" } else { "->>'" };
        out += &key.replace('\'', "''");
        out.push('\'');
    }
    out
}

/// A column's name, in quotes that need no escape in JSON where it needs quotes.
fn name(name: &str) -> String {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !RESERVED.contains(&name.to_ascii_lowercase().as_str());
    if is_word { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_sql_needs_it() {
        for (keys, written) in [
            (&["genre"][..], "genre"),
            (&["US Gross"], "`US Gross`"),
            (&["group"], "`group`"),
            (&["Cast"], "`Cast`"),
            (&["2024"], "`2024`"),
            (&["a`b"], "`a``b`"),
            (&["by", "role"], "by->>'role'"),
            (&["in", "a", "it's"], "`in`->'a'->>'it''s'"),
        ] {
            let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
            assert_eq!(column(&keys), written);
        }
    }
}
