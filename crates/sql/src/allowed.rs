//! What a statement may do: read the tables that were found for it, and call the functions listed here.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::functions::EXACT;
use crate::sqlite::LINES;

/// Functions of SQLite and ours. Those that build long values, read files or settings, or depend on the machine are left out.
pub const FUNCTIONS: &[&str] = &[
    "->", "->>", "abs", "avg", "capture", "ceil", "ceiling", "char", "coalesce", "concat", "concat_ws", "count",
    "cume_dist", "date", "datetime", "dense_rank", EXACT, "first_value", "floor", "format", "glob", "group_concat",
    "hex", "if", "ifnull", "iif", "instr", "json", "json_array", "json_array_length", "json_each", "json_extract",
    "json_group_array", "json_group_object", "json_object", "json_quote", "json_tree", "json_type", "json_valid",
    "julianday", "lag", "last_value", "lead", "length", "like", "likelihood", "likely", "lower", "ltrim", "max",
    "median", "min", "mod", "nth_value", "ntile", "nullif", "octet_length", "percent_rank", "percentile", "printf",
    "quote", "rank", "regexp", "regexp_replace", "replace", "round", "row_number", "rtrim", "sign", "sqrt", "strftime",
    "string_agg", "substr", "substring", "sum", "time", "timediff", "total", "trim", "trunc", "typeof", "unicode",
    "unixepoch", "unlikely", "upper",
];

/// What is refused is named so, if it is a function.
pub const FUNCTION: &str = "the function ";

/// Tables that SQLite has in some builds: they are refused in all.
const SOME_HAVE: [&str; 4] = ["bytecode", "dbstat", "fts3tokenize", "tables_used"];

/// Tables that are made of a value.
const OF_VALUES: [&str; 3] = ["json_each", "json_tree", LINES];

/// How the names of other tables of SQLite begin.
const OWN: [&str; 2] = ["sqlite_", "pragma_"];

/// Whether a table is SQLite's own, in this build or another.
pub fn is_own(table: &str) -> bool {
    SOME_HAVE.contains(&table) || OWN.iter().any(|start| table.starts_with(start))
}

/// What statements have read, and what was refused.
#[derive(Default)]
pub struct Asked {
    pub tables: BTreeSet<String>,
    /// Tables and columns that the statement reads.
    pub columns: BTreeSet<(String, String)>,
    pub refused: Option<String>,
}

/// The gate that every action of a statement passes when it is prepared.
pub fn authorizer(asked: Arc<Mutex<Asked>>) -> impl for<'c> FnMut(AuthContext<'c>) -> Authorization + Send + 'static {
    move |context| {
        let mut asked = asked.lock().expect("no holder panics");
        let refused = match context.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                let table = table_name.to_ascii_lowercase();
                if asked.tables.contains(&table) {
                    asked.columns.insert((table, column_name.to_owned()));
                    return Authorization::Allow;
                }
                // A name without a table is one of the statement's own: `WITH name AS …`.
                if OF_VALUES.contains(&&*table) || (!is_own(&table) && column_name.is_empty()) {
                    return Authorization::Allow;
                }
                format!("the table {table_name}")
            }
            AuthAction::Function { function_name } => {
                if FUNCTIONS.contains(&&*function_name.to_ascii_lowercase()) {
                    return Authorization::Allow;
                }
                format!("{FUNCTION}{function_name}")
            }
            AuthAction::Pragma { .. } => "PRAGMA".to_owned(),
            AuthAction::Attach { .. } | AuthAction::Detach { .. } => "ATTACH".to_owned(),
            AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "a transaction".to_owned(),
            _ => "a statement that changes something".to_owned(),
        };
        asked.refused.get_or_insert(refused);
        Authorization::Deny
    }
}
