//! Functions in addition to SQLite's, and those that replace its own because theirs take unbounded time inside one step.

mod exact;
mod json_path;
mod like;
mod median;
mod pattern;
mod regular;
mod rounding;
mod row_filter;
mod texts;
pub(crate) mod value_text;

pub(crate) use json_path::EXACT;
pub(crate) use row_filter::{FilterKind, RowFilter};

use std::sync::Arc;

use rusqlite::functions::{Context, FunctionFlags, SqlFnOutput};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, Error, Result};

use crate::account::Account;
use crate::number;

/// What a scalar function returns.
type Output = Result<ToSqlOutput<'static>>;

const FLAGS: FunctionFlags =
    FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC).union(FunctionFlags::SQLITE_INNOCUOUS);

/// Adds all functions to a connection; their work is charged to the account.
pub fn add(connection: &Connection, account: &Arc<Account>) -> Result<()> {
    let adder = Adder { connection, account };
    texts::add(&adder)?;
    json_path::add(&adder)?;
    like::add(&adder)?;
    regular::add(&adder)?;
    rounding::add(&adder)?;
    exact::add(&adder)?;
    median::add(&adder)
}

/// Adds functions to a connection.
struct Adder<'c> {
    connection: &'c Connection,
    account: &'c Arc<Account>,
}

/// The arguments of a call, and the account that it is charged to.
struct Arguments<'a, 'c> {
    context: &'a Context<'c>,
    account: &'a Account,
}

impl Adder<'_> {
    fn scalar<T: SqlFnOutput>(
        &self,
        name: &'static str,
        arguments: i32,
        run: impl Fn(&Arguments<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<()> {
        let account = Arc::clone(self.account);
        self.connection.create_scalar_function(name, arguments, FLAGS, move |context| {
            run(&Arguments { context, account: &account })
        })
    }

    /// A function that gives a part of a text, or one changed, or a text in JSON: a number there stays a text, which is noted.
    fn texts(
        &self,
        name: &'static str,
        arguments: i32,
        run: impl Fn(&Arguments<'_, '_>) -> Output + Send + 'static,
    ) -> Result<()> {
        self.scalar(name, arguments, move |arguments| run(arguments).inspect(|value| arguments.note_number(value)))
    }
}

impl Arguments<'_, '_> {
    fn note_number(&self, value: &ToSqlOutput<'_>) {
        if matches!(value, ToSqlOutput::Owned(Value::Text(text)) if number::is_number(text)) {
            self.account.give_number_in_text();
        }
    }

    /// An argument as a text; `None` is `NULL`.
    fn text(&self, at: usize) -> Result<Option<std::borrow::Cow<'_, str>>> {
        Ok(value_text::of(self.context.get_raw(at)))
    }

    /// Charges the reading of this number of bytes.
    fn charge(&self, bytes: usize) -> Result<()> {
        match self.account.read(bytes) {
            true => Ok(()),
            false => Err(failed("stopped")),
        }
    }
}

fn failed(message: impl Into<String>) -> Error {
    Error::UserFunctionError(message.into().into())
}

fn null() -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Null)
}

fn text(text: impl Into<String>) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Text(text.into()))
}

fn integer(number: i64) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Integer(number))
}
