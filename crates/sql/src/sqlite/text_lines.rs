//! `lines(text)`: the lines of a value as rows, with `line` from 1 and `text`.

use std::borrow::Cow;
use std::ffi::{CStr, c_int};
use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection, VTabCursor,
};
use rusqlite::{Connection, Error, Result, ffi};

use crate::account::Account;
use crate::functions::value_text;

/// The name of the function.
pub const LINES: &str = "lines";

const DECLARED: &CStr = c"CREATE TABLE x(line INTEGER, text TEXT, source HIDDEN)";
/// The columns of the declaration.
const LINE: c_int = 0;
const TEXT: c_int = 1;
const SOURCE: c_int = 2;

/// Makes the function known.
pub fn add(connection: &Connection, account: &Arc<Account>) -> Result<()> {
    const MODULE: &Module<'static, LinesOfText> = &Module::eponymous_only_module();
    connection.create_module(LINES, MODULE, Some(Arc::clone(account)))
}

/// The function as a virtual table: SQLite's own part comes first.
#[repr(C)]
struct LinesOfText {
    base: ffi::sqlite3_vtab,
    account: Arc<Account>,
}

// SAFETY: `repr(C)` with `sqlite3_vtab` first, as the trait requires.
unsafe impl<'vtab> VTab<'vtab> for LinesOfText {
    type Aux = Arc<Account>;
    type Cursor = LineCursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Arc<Account>>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        db.config(VTabConfig::Innocuous)?;
        let account = Arc::clone(aux.ok_or_else(|| Error::ModuleError("no account".to_owned()))?);
        Ok((DECLARED.into(), Self { base: ffi::sqlite3_vtab::default(), account }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut given = None;
        for (at, constraint) in info.constraints().enumerate() {
            if constraint.column() == SOURCE && constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ {
                if !constraint.is_usable() {
                    return Ok(false);
                }
                given = Some(at);
            }
        }
        let at = given.ok_or_else(|| Error::ModuleError("lines takes a text, as in lines(column)".to_owned()))?;
        let mut usage = info.constraint_usage(at);
        usage.set_argv_index(1);
        usage.set_omit(true);
        info.set_estimated_cost(100.0);
        info.set_estimated_rows(100);
        Ok(true)
    }

    fn open(&'vtab mut self) -> Result<LineCursor> {
        let (base, account) = (ffi::sqlite3_vtab_cursor::default(), Arc::clone(&self.account));
        Ok(LineCursor { base, account, source: String::new(), start: 0, end: 0, line: 0 })
    }
}

/// A reading of the lines. SQLite's own part comes first.
#[repr(C)]
struct LineCursor {
    base: ffi::sqlite3_vtab_cursor,
    account: Arc<Account>,
    source: String,
    /// Where the line begins and ends.
    start: usize,
    end: usize,
    /// Its number; 0 after the last.
    line: i64,
}

impl LineCursor {
    /// Goes to the line that begins at a place, if there is one.
    fn go_to(&mut self, start: usize) -> Result<()> {
        if start >= self.source.len() {
            self.line = 0;
            return Ok(());
        }
        self.start = start;
        self.end = memchr::memchr(b'\n', &self.source.as_bytes()[start..]).map_or(self.source.len(), |end| start + end);
        self.line += 1;
        match self.account.read(self.end - start) {
            true => Ok(()),
            false => Err(Error::ModuleError("stopped".to_owned())),
        }
    }
}

// SAFETY: `repr(C)` with `sqlite3_vtab_cursor` first, as the trait requires.
unsafe impl VTabCursor for LineCursor {
    fn filter(&mut self, _: c_int, _: Option<&str>, args: &Filters<'_>) -> Result<()> {
        self.source = args.iter().next().and_then(value_text::of).map(|text| text.to_string()).unwrap_or_default();
        self.line = 0;
        self.go_to(0)
    }

    fn next(&mut self) -> Result<()> {
        self.go_to(self.end + 1)
    }

    fn eof(&self) -> bool {
        self.line == 0
    }

    fn column(&self, ctx: &mut Context, column: c_int) -> Result<()> {
        let line = self.source[self.start..self.end].trim_end_matches('\r');
        ctx.set_result(&match column {
            LINE => ToSqlOutput::Owned(Value::Integer(self.line)),
            TEXT => ToSqlOutput::Borrowed(ValueRef::Text(line.as_bytes())),
            _ => ToSqlOutput::Borrowed(ValueRef::Text(self.source.as_bytes())),
        })
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.line)
    }
}
