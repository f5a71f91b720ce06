//! The one entry: statements in, answers out.

use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Error, ErrorCode, Statement};

use crate::account::{Limits, Stop};
use crate::allowed::{self, FUNCTION, FUNCTIONS};
use crate::answer::{Answer, SqlValue};
use crate::engine::Engine;
use crate::error::{AskError, AskErrorKind, SqlPlace};
use crate::sqlite::{self, NamedTable};
use crate::table::{Column, Table, TableError};
use crate::{comparisons, dialects, near, notes, printed, spellings, statements, walks};

/// The most statements of one question.
const MOST_STATEMENTS: usize = 20;
/// The most tables of one question.
const MOST_TABLES: usize = 20;

/// The tables that statements may read. Scope and access are checked here, once for each table that is named.
pub trait Tables {
    /// The table with a name, in small letters; `None` if there is none.
    ///
    /// # Errors
    /// If there is one, but it may not or cannot be read.
    fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError>;

    /// The names that an error may suggest.
    fn names(&self) -> Vec<String>;
}

/// Runs read-only statements of SQLite over tables, and returns an answer or an error for each, in order.
///
/// Each statement has the work and the memory of `limits`; all share the time. A single statement that runs out of work while it reads
/// its only table returns an answer of the first rows, which it names; any other one is an error.
///
/// ```
/// use std::sync::Arc;
/// use toolshape_sql::{Limits, SqlValue, Table, TableError, Tables, ask};
///
/// struct One(Arc<Table>);
/// impl Tables for One {
///     fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError> {
///         Ok((name == "prices").then(|| Arc::clone(&self.0)))
///     }
///     fn names(&self) -> Vec<String> {
///         vec!["prices".to_owned()]
///     }
/// }
/// let table = Table::json(r#"[{"price": 0.1}, {"price": 0.2}]"#).unwrap();
/// let answers = ask("SELECT sum(price) FROM prices", &One(Arc::new(table)), &Limits::default());
/// assert_eq!(answers[0].as_ref().unwrap().rows, [[SqlValue::Real(0.3)]]);
/// ```
pub fn ask(sql: &str, tables: &dyn Tables, limits: &Limits) -> Vec<Result<Answer, AskError>> {
    let places = statements::split(sql);
    if places.is_empty() || places.len() > MOST_STATEMENTS {
        let message = match places.len() {
            0 => "there is no statement".to_owned(),
            count => format!("{count} statements: at most {MOST_STATEMENTS} in one call"),
        };
        return vec![Err(AskError::new(AskErrorKind::Syntax, message))];
    }
    let engine = match Engine::new(limits) {
        Ok(engine) => engine,
        Err(error) => return vec![Err(AskError::new(AskErrorKind::Failed, error.to_string()))],
    };
    let mut asking = Asking { engine, tables, limits, added: Vec::new(), number: None };
    let is_one = places.len() == 1;
    let answer = |(at, place): (usize, std::ops::Range<usize>)| {
        asking.number = (!is_one).then_some(at + 1);
        let answer = asking.answer(&sql[place.clone()]);
        sqlite::hold_at_most(None);
        match answer {
            // Next to others, nobody sees that it is of some rows only.
            Ok(answer) if answer.first_rows.is_some() && asking.number.is_some() => {
                Err(stopped(asking.number, Stop::Work))
            }
            answer => answer.map_err(|error| moved(error, sql, place.start)),
        }
    };
    let answers = places.into_iter().enumerate().map(answer).collect();
    asking.engine.account.report(limits);
    answers
}

/// An error whose place is in all of the SQL, and not in one statement.
fn moved(mut error: AskError, sql: &str, by: usize) -> AskError {
    error.place = error.place.map(|place| SqlPlace::of(sql, place.offset + by));
    error
}

struct Asking<'a> {
    engine: Engine,
    tables: &'a dyn Tables,
    limits: &'a Limits,
    added: Vec<NamedTable>,
    /// The number of the statement, if there are several.
    number: Option<usize>,
}

impl Asking<'_> {
    fn answer(&mut self, sql: &str) -> Result<Answer, AskError> {
        self.answered(sql).map_err(|error| {
            let instead = error.instead.clone().or_else(|| self.instead(sql, &error));
            AskError { instead, ..error }
        })
    }

    fn answered(&mut self, sql: &str) -> Result<Answer, AskError> {
        if dialects::asks_the_clock(sql) {
            let message = "there is no clock and no time zone here";
            let instead = Some(dialects::NO_CLOCK.to_owned());
            return Err(AskError { instead, ..AskError::new(AskErrorKind::NotAllowed, message) });
        }
        if dialects::makes_blob(sql) {
            let instead = Some(dialects::NO_BLOB.to_owned());
            return Err(AskError { instead, ..not_allowed("a cast to a blob") });
        }
        let held = sqlite::memory_used();
        self.engine.account.begin(held);
        sqlite::hold_at_most(Some(held + self.limits.memory));
        sqlite::forget_numbers();
        self.find_tables(sql)?;
        let exact = self.with_exact_names(sql);
        let sql = exact.as_deref().unwrap_or(sql);
        let columns: Vec<&Column> = self.added.iter().flat_map(|added| added.table.columns()).collect();
        let compared = comparisons::read_by_columns(sql, &columns);
        let sql = compared.as_deref().unwrap_or(sql);
        let has_long_numbers = || self.added.iter().any(|added| added.table.has_long_numbers());
        let walked = walks::over_exact_numbers(sql).filter(|_| has_long_numbers());
        let sql = walked.as_deref().unwrap_or(sql);
        let texts = printed::of_texts(sql, &self.added);
        // Columns of an answer are named by what was asked.
        let names = texts.as_ref().and_then(|_| Some(names_of(&self.engine.connection.prepare(sql).ok()?)));
        // A column of a subquery has no column of texts.
        let is_printed = texts.as_ref().is_some_and(|(sql, _)| self.find_tables(sql).is_ok());
        let sql = texts.as_ref().filter(|_| is_printed).map_or(sql, |(sql, _)| sql);
        if !is_printed && (exact.is_some() || compared.is_some() || walked.is_some() || texts.is_some()) {
            self.find_tables(sql)?;
        }
        let (columns, rows, total) = {
            let mut statement = self.prepare(sql)?;
            // What it takes to prepare a statement depends on the width of a pointer.
            sqlite::allocated();
            let columns = names.unwrap_or_else(|| names_of(&statement));
            let origins = spellings::origins(&statement, sql, &self.added);
            let (mut rows, total) =
                read(&mut statement, columns.len(), self.limits).map_err(|error| self.failed(sql, &error))?;
            spellings::restore(&mut rows, &origins, &self.engine.account);
            (columns, rows, total)
        };
        let asked = self.engine.asked.lock().expect("no holder panics");
        let account = &self.engine.account;
        let mut notes = notes::of_tables(sql, &self.added);
        notes.extend(notes::of(sql, &asked.columns, &self.added, account.left_out()));
        if let Some((_, names)) = texts.as_ref().filter(|_| !is_printed) {
            notes.push(format!("{}: texts here are those of what is read, not as printed", names.join(", ")));
        }
        notes.extend(notes::of_functions(sql).filter(|_| account.has_number_in_text()));
        let first_rows = self.engine.account.first_rows();
        Ok(Answer { columns, rows, total, from: self.limits.from, first_rows, notes })
    }

    /// Adds the tables that a statement names, one after another, until SQLite misses none.
    fn find_tables(&mut self, sql: &str) -> Result<(), AskError> {
        loop {
            {
                let mut asked = self.engine.asked.lock().expect("no holder panics");
                (asked.refused, asked.columns) = (None, std::collections::BTreeSet::new());
            }
            let missing = match self.engine.connection.prepare(sql) {
                Ok(_) => return Ok(()),
                Err(error) => match missing_table(&error) {
                    Some(name) => name,
                    None => return Err(self.failed(sql, &error)),
                },
            };
            let name = missing.to_ascii_lowercase();
            if self.added.len() == MOST_TABLES {
                return Err(AskError::new(AskErrorKind::NotAllowed, format!("more than {MOST_TABLES} tables")));
            }
            if allowed::is_own(&name) {
                return Err(not_allowed(&format!("the table {missing}")));
            }
            let table = self
                .tables
                .table(&name)
                .map_err(|TableError(message)| AskError::new(AskErrorKind::Table, format!("{missing}: {message}")))?;
            let Some(table) = table.filter(|_| self.added.iter().all(|added| added.name != name)) else {
                let near = near::names(&missing, &self.tables.names());
                return Err(AskError {
                    near,
                    ..AskError::new(AskErrorKind::UnknownTable, format!("no such table: {missing}"))
                });
            };
            let named = NamedTable { name: name.clone(), table, account: Arc::clone(&self.engine.account) };
            let added = self
                .engine
                .allow_length(named.table.longest())
                .and_then(|()| sqlite::add_table(&self.engine.connection, named.clone()));
            added.map_err(|error| self.failed(sql, &error))?;
            self.engine.asked.lock().expect("no holder panics").tables.insert(name);
            self.added.push(named);
        }
    }

    /// The statement with the names that columns have here in place of those that differ in case alone; `None` if there are none.
    fn with_exact_names(&self, sql: &str) -> Option<String> {
        let columns = || self.added.iter().flat_map(|added| added.table.columns());
        let is_taken = |name: &str| columns().any(|column| column.name == name);
        let new_name = |name: &str| {
            let column = columns().find(|column| column.own_name.as_deref() == Some(name));
            column.filter(|_| !is_taken(name)).map(|column| column.name.clone())
        };
        columns().any(|column| column.own_name.is_some()).then(|| statements::renamed(sql, new_name))
    }

    fn prepare(&self, sql: &str) -> Result<Statement<'_>, AskError> {
        let statement = self.engine.connection.prepare(sql).map_err(|error| self.failed(sql, &error))?;
        if !statement.readonly() || statement.is_explain() != 0 || statement.column_count() == 0 {
            return Err(AskError::new(AskErrorKind::NotAllowed, "only SELECT is allowed, and WITH, VALUES before it"));
        }
        if statement.parameter_count() > 0 {
            return Err(AskError::new(
                AskErrorKind::NotAllowed,
                "parameters are not allowed: write values into the SQL",
            ));
        }
        Ok(statement)
    }

    /// What to write instead, if the statement is one of another database, or leads into a value as one.
    fn instead(&self, sql: &str, error: &AskError) -> Option<String> {
        let place = error.place.map(|place| place.offset);
        if let Some(instead) = dialects::for_message(&error.message) {
            return Some(instead.to_owned());
        }
        let before = place.and_then(|place| statements::tokens(sql.get(..place)?).pop());
        let name = error.message.strip_prefix("no such column: ");
        if let Some(key) = name.filter(|_| before.is_some_and(|before| before.starts_with("->"))) {
            return Some(format!("'{key}', in quotes"));
        }
        if let Some((column, key)) = name.and_then(|name| name.rsplit_once('.'))
            && error.near.iter().any(|near| near == column.rsplit('.').next().unwrap_or(column))
        {
            return Some(format!("{column}->>'{key}'"));
        }
        let word = error.message.strip_prefix("near \"").and_then(|word| word.strip_suffix("\": syntax error"));
        if let Some(word) = word.filter(|word| sqlite::is_keyword(word) && self.has_column(sql, word)) {
            return Some(format!("`{word}`, in quotes"));
        }
        if place.is_some_and(|place| word.is_some() && sql[..place].ends_with('\'')) {
            return Some("two quotes for one in a text, as 'it''s'".to_owned());
        }
        match error.kind {
            AskErrorKind::Stopped | AskErrorKind::Table | AskErrorKind::Failed => None,
            _ => dialects::for_words(sql, place).map(str::to_owned),
        }
    }

    /// Whether a table of the statement has a column with this name.
    fn has_column(&self, sql: &str, name: &str) -> bool {
        let tokens = statements::tokens(sql);
        let named = tokens.windows(2).filter(|two| ["from", "join"].contains(&&*two[0].to_ascii_lowercase()));
        let tables = named.filter_map(|two| self.tables.table(&two[1].to_ascii_lowercase()).ok().flatten());
        tables.flat_map(|table| table.columns().to_vec()).any(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// What went wrong, in words that help.
    fn failed(&self, sql: &str, error: &Error) -> AskError {
        // Which of the two a value that grows meets first differs between builds of SQLite.
        let is_refused = matches!(error.sqlite_error_code(), Some(ErrorCode::OutOfMemory | ErrorCode::TooBig));
        if let Some(stop) = self.engine.account.stop().or(is_refused.then_some(Stop::Memory)) {
            return stopped(self.number, stop);
        }
        let refused = self.engine.asked.lock().expect("no holder panics").refused.take();
        if let Some(name) = refused.as_ref().and_then(|refused| refused.strip_prefix(FUNCTION)) {
            return unknown_function(sql, name);
        }
        if let Some(refused) = refused {
            return not_allowed(&refused);
        }
        let (message, place) = message_of(sql, error);
        if let Some(name) = message.strip_prefix("no such function: ") {
            return unknown_function(sql, name);
        }
        if message.ends_with("may not be modified") {
            return AskError::new(AskErrorKind::NotAllowed, format!("{message}: statements only read tables"));
        }
        let message = match message.as_str() {
            "malformed JSON" => {
                "malformed JSON: a text is not JSON (WHERE json_valid(x) leaves it out), or has more than 1000 levels"
                    .to_owned()
            }
            _ => message,
        };
        let (kind, near) = self.kind_of(&message, sql);
        AskError { kind, message, place, near, instead: None }
    }

    fn kind_of(&self, message: &str, sql: &str) -> (AskErrorKind, Vec<String>) {
        if let Some(name) = message.strip_prefix("no such column: ") {
            let name = name.rsplit('.').next().unwrap_or(name).trim_matches('"');
            let name = name.split('"').next().unwrap_or(name).trim_end_matches([' ', '-']);
            // Other statements have other tables.
            let sql = sql.to_ascii_lowercase();
            let tables = self.added.iter().filter(|added| sql.contains(&added.name));
            let mut names: Vec<String> = Vec::new();
            for column in tables.flat_map(|added| added.table.columns()).filter(|column| !column.is_printed()) {
                if !names.contains(&column.name) {
                    names.push(column.name.clone());
                }
            }
            return (AskErrorKind::UnknownColumn, near::names(name, &names));
        }
        let is_syntax =
            ["syntax error", "unrecognized token", "incomplete input"].iter().any(|part| message.contains(part));
        (if is_syntax { AskErrorKind::Syntax } else { AskErrorKind::Failed }, Vec::new())
    }
}

/// The error for a statement that has stopped, by its number if there are several.
fn stopped(number: Option<usize>, stop: Stop) -> AskError {
    let statement = number.map_or_else(|| "the statement".to_owned(), |number| format!("statement {number}"));
    let what = match stop {
        Stop::Work => "its limit of work",
        Stop::Memory => "its limit of memory",
        Stop::Time => "the limit of time of the call",
    };
    AskError::new(
        AskErrorKind::Stopped,
        format!(
            "{statement} reached {what} before its end, so there is no answer; ask for less: fewer rows with WHERE or a join on equal columns"
        ),
    )
}

/// What a statement does that none may.
fn not_allowed(what: &str) -> AskError {
    AskError::new(AskErrorKind::NotAllowed, format!("{what} is not allowed: statements only read tables"))
}

/// A function that is not in the list is the same error whether this SQLite has it or not.
fn unknown_function(sql: &str, name: &str) -> AskError {
    let names: Vec<String> = FUNCTIONS.iter().map(|&name| name.to_owned()).collect();
    let place = sql.to_ascii_lowercase().find(&name.to_ascii_lowercase()).map(|offset| SqlPlace::of(sql, offset));
    let error = AskError::new(AskErrorKind::UnknownFunction, format!("no such function: {name}"));
    match dialects::for_function(name) {
        Some(instead) => AskError { place, instead: Some(instead.to_owned()), ..error },
        None => AskError { place, near: near::close(name, &names), ..error },
    }
}

/// The rows that are returned, and the number of all.
fn read(
    statement: &mut Statement<'_>,
    columns: usize,
    limits: &Limits,
) -> rusqlite::Result<(Vec<Vec<SqlValue>>, usize)> {
    let (mut found, mut total, mut bytes, mut is_full) = (Vec::new(), 0, 0, false);
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        total += 1;
        is_full |= found.len() >= limits.rows;
        if total <= limits.from || is_full {
            continue;
        }
        let values = (0..columns).map(|at| row.get_ref(at).map(value)).collect::<rusqlite::Result<Vec<_>>>()?;
        bytes += values.iter().map(SqlValue::len).sum::<usize>();
        is_full = bytes > limits.bytes && !found.is_empty();
        if !is_full {
            found.push(values);
        }
    }
    Ok((found, total))
}

fn names_of(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

fn value(value: ValueRef<'_>) -> SqlValue {
    match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Real(number) => SqlValue::Real(number),
        ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => SqlValue::Blob(bytes.iter().map(|byte| format!("{byte:02X}")).collect()),
    }
}

fn missing_table(error: &Error) -> Option<String> {
    let message = match error {
        Error::SqlInputError { msg, .. } => msg,
        Error::SqliteFailure(_, Some(message)) => message,
        _ => return None,
    };
    let name = message.strip_prefix("no such table: ")?;
    Some(name.strip_prefix("main.").unwrap_or(name).to_owned())
}

/// SQLite's message, and where in the statement the fault is.
fn message_of(sql: &str, error: &Error) -> (String, Option<SqlPlace>) {
    match error {
        Error::SqlInputError { msg, offset, .. } => {
            (msg.clone(), usize::try_from(*offset).ok().map(|offset| SqlPlace::of(sql, offset)))
        }
        Error::SqliteFailure(_, Some(message)) => (message.clone(), None),
        Error::UserFunctionError(error) => (error.to_string(), None),
        other => (other.to_string(), None),
    }
}
