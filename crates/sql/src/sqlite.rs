//! What touches SQLite's own structures: a file system without files, clock or randomness, and the declaration that our
//! tables and cursors may be read by it. The only `unsafe` of the crate is here and in its modules.
#![allow(unsafe_code)]

mod allocated;
mod collations;
#[cfg(target_family = "wasm")]
mod no_host;
mod text_lines;

use std::borrow::Cow;
use std::cell::{Cell as Slot, RefCell};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{Arc, OnceLock};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection, VTabCursor,
};
use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

use crate::account::Account;
use crate::answer::FirstRows;
use crate::functions::{FilterKind, RowFilter, value_text};
use crate::table::{Cell, HashIndex, RowReader, Table};

pub use allocated::{forget_numbers, held as memory_used, hold_at_most, longest_number, taken as allocated};
pub use collations::add as add_collations;
pub use text_lines::{LINES, add as add_lines};

/// More than the kinds of filters: a plan of a statement is a number.
const KINDS: c_int = 4;
/// Bytes that are copied in the time in which one is read.
const COPIED_AT_ONCE: usize = 4;
const VFS: &CStr = c"toolshape";

/// Opens a database in memory on a file system that opens no file and knows neither time nor randomness.
pub fn open() -> Result<Connection> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    let code = *REGISTERED.get_or_init(register);
    if code != ffi::SQLITE_OK {
        return Err(Error::SqliteFailure(ffi::Error::new(code), None));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_MEMORY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags_and_vfs(":memory:", flags, VFS)
}

fn register() -> c_int {
    unsafe extern "C" fn no_time(_: *mut ffi::sqlite3_vfs, _: *mut f64) -> c_int {
        ffi::SQLITE_ERROR
    }
    unsafe extern "C" fn no_time_in_ms(_: *mut ffi::sqlite3_vfs, _: *mut i64) -> c_int {
        ffi::SQLITE_ERROR
    }
    unsafe extern "C" fn no_randomness(_: *mut ffi::sqlite3_vfs, len: c_int, out: *mut c_char) -> c_int {
        // SAFETY: SQLite passes a buffer of `len` bytes.
        unsafe { std::ptr::write_bytes(out, 0x5a, usize::try_from(len).unwrap_or(0)) };
        len
    }
    unsafe extern "C" fn no_file(
        _: *mut ffi::sqlite3_vfs,
        _: ffi::sqlite3_filename,
        _: *mut ffi::sqlite3_file,
        _: c_int,
        _: *mut c_int,
    ) -> c_int {
        ffi::SQLITE_CANTOPEN
    }
    // SAFETY: the default file system of SQLite is there once it is initialized, and is valid for the life of the process. The
    // copy is leaked, as it must live as long; it is not made the default, so other users of SQLite do not see it.
    allocated::count();
    unsafe {
        let code = ffi::sqlite3_initialize();
        if code != ffi::SQLITE_OK {
            return code;
        }
        let default = ffi::sqlite3_vfs_find(std::ptr::null());
        if default.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let mut bare = *default;
        bare.pNext = std::ptr::null_mut();
        bare.zName = VFS.as_ptr();
        bare.xCurrentTime = Some(no_time);
        bare.xCurrentTimeInt64 = Some(no_time_in_ms);
        bare.xRandomness = Some(no_randomness);
        bare.xOpen = Some(no_file);
        ffi::sqlite3_vfs_register(Box::leak(Box::new(bare)), 0)
    }
}

/// Whether SQLite takes a word as a name only in quotes, or not everywhere.
pub fn is_keyword(word: &str) -> bool {
    let len = c_int::try_from(word.len()).unwrap_or(0);
    // SAFETY: the pointer is valid for as many bytes.
    unsafe { ffi::sqlite3_keyword_check(word.as_ptr().cast(), len) != 0 }
}

/// A table under the name by which a statement calls it.
#[derive(Clone)]
pub struct NamedTable {
    pub name: String,
    pub table: Arc<Table>,
    pub account: Arc<Account>,
}

/// Makes a table readable under its name.
pub fn add_table(connection: &Connection, table: NamedTable) -> Result<()> {
    const MODULE: &Module<'static, TextTable> = &Module::eponymous_only_module();
    let name = table.name.clone();
    connection.create_module(name.as_str(), MODULE, Some(table))
}

/// The virtual table, as SQLite sees it: its own part comes first.
#[repr(C)]
struct TextTable {
    base: ffi::sqlite3_vtab,
    named: NamedTable,
}

// SAFETY: `repr(C)` with `sqlite3_vtab` first, as the trait requires.
unsafe impl<'vtab> VTab<'vtab> for TextTable {
    type Aux = NamedTable;
    type Cursor = TextCursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&NamedTable>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        db.config(VTabConfig::Innocuous)?;
        let named = aux.ok_or_else(|| Error::ModuleError("a table without a text".to_owned()))?.clone();
        let columns: Vec<String> = named
            .table
            .columns()
            .iter()
            .map(|column| {
                let hidden = if column.is_hidden { " HIDDEN" } else { "" };
                format!("\"{}\" {}{hidden}", column.name.replace('"', "\"\""), column.kind.declared())
            })
            .collect();
        let declared = CString::new(format!("CREATE TABLE x({})", columns.join(",")))?;
        Ok((declared.into(), Self { base: ffi::sqlite3_vtab::default(), named }))
    }

    /// A column that must equal a value of another table is looked up in its index.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let rows = self.named.table.len() as f64;
        let mut chosen = None;
        for (at, constraint) in info.constraints().enumerate() {
            let is_equal = constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
            if !is_equal || !constraint.is_usable() || constraint.column() < 0 {
                continue;
            }
            // One reading of the table costs less than its index.
            let is_constant = info.rhs_value(at).is_ok_and(|value| value.is_some()) || info.is_in_constraint(at)?;
            let is_exact = matches!(info.collation(at)?, "BINARY" | "digits");
            if !is_constant && is_exact {
                chosen = Some((at, constraint.column()));
                break;
            }
        }
        let filter = match chosen {
            Some(_) => None,
            None => info.constraints().enumerate().find_map(|(at, constraint)| {
                let kind = match constraint.operator() {
                    IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LIKE => FilterKind::Like,
                    IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GLOB => FilterKind::Glob,
                    IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_REGEXP => FilterKind::Regexp,
                    _ => return None,
                };
                let column = usize::try_from(constraint.column()).ok().filter(|_| constraint.is_usable())?;
                // Of other columns SQLite makes a text first.
                self.named.table.columns()[column].is_text().then_some((at, constraint.column(), kind))
            }),
        };
        if let Some((at, column, kind)) = filter {
            let mut usage = info.constraint_usage(at);
            usage.set_argv_index(1);
            usage.set_omit(true);
            info.set_idx_num(-(column * KINDS + kind as c_int));
        }
        match chosen {
            Some((at, column)) => {
                info.constraint_usage(at).set_argv_index(1);
                info.set_idx_num(column + 1);
                info.set_estimated_cost(30.0);
                info.set_estimated_rows(5);
            }
            None => {
                info.set_estimated_cost(rows * 20.0);
                info.set_estimated_rows(self.named.table.len() as i64);
            }
        }
        Ok(true)
    }

    fn open(&'vtab mut self) -> Result<TextCursor> {
        Ok(TextCursor {
            base: ffi::sqlite3_vtab_cursor::default(),
            reader: RefCell::new(self.named.table.reader()),
            named: self.named.clone(),
            row: 0,
            end: 0,
            listed: None,
            filter: None,
            read: Slot::new(0),
        })
    }
}

/// A reading of a table. SQLite's own part comes first.
#[repr(C)]
struct TextCursor {
    base: ffi::sqlite3_vtab_cursor,
    named: NamedTable,
    reader: RefCell<RowReader>,
    row: usize,
    end: usize,
    /// The column and the places in its index, if only the rows there are read.
    listed: Option<(usize, std::ops::Range<usize>)>,
    /// The column that has to match a pattern, and the pattern.
    filter: Option<(usize, RowFilter)>,
    /// The row plus one whose text was charged last.
    read: Slot<usize>,
}

impl TextCursor {
    fn stopped(&self) -> Error {
        Error::ModuleError("stopped".to_owned())
    }

    fn index(&self, column: usize) -> Option<&HashIndex> {
        let account = &self.named.account;
        self.named.table.index(column, |bytes| account.read(bytes))
    }

    /// Charges the reading of a cell.
    fn charge(&self, column: usize) -> Result<()> {
        let (account, unread) = (&self.named.account, self.named.table.unread(column));
        if unread > 0 && !account.read(unread) {
            return Err(self.stopped());
        }
        let row = if self.read.replace(self.row + 1) == self.row + 1 { 0 } else { self.named.table.row_bytes() };
        account.read(row + self.named.table.cell_bytes(column));
        Ok(())
    }

    /// Goes on to the first row that matches, which may be this one.
    fn skip_others(&mut self) -> Result<()> {
        let Some((column, filter)) = self.filter.take() else { return Ok(()) };
        while self.row < self.end {
            self.charge(column)?;
            let is_match = match self.named.table.cell(self.reader.get_mut(), self.row, column) {
                Cell::Text(text) => filter.matches(&text, &self.named.account),
                _ => Some(false),
            };
            if is_match.ok_or_else(|| self.stopped())? {
                break;
            }
            self.next_row()?;
        }
        self.filter = Some((column, filter));
        Ok(())
    }

    /// Goes to the next row of all, or to the end if no more should be read.
    fn next_row(&mut self) -> Result<()> {
        let account = &self.named.account;
        account.read(0);
        self.row += 1;
        if self.row < self.end && account.is_scan_over(self.row, self.named.table.row_bytes()) {
            let first = FirstRows { table: self.named.name.clone(), read: self.row, of: self.end };
            if !account.end_scan(first) {
                return Err(self.stopped());
            }
            self.row = self.end;
        }
        Ok(())
    }

    /// Goes to the next row of the index.
    fn next_listed(&mut self) -> Result<()> {
        let Some((column, mut places)) = self.listed.take() else { return Ok(()) };
        let next = places.next();
        let row = match next {
            Some(place) => self.index(column).ok_or_else(|| self.stopped())?.row(place),
            None => self.end,
        };
        self.row = row;
        self.listed = Some((column, places));
        Ok(())
    }
}

// SAFETY: `repr(C)` with `sqlite3_vtab_cursor` first, as the trait requires.
unsafe impl VTabCursor for TextCursor {
    fn filter(&mut self, column: c_int, _: Option<&str>, args: &Filters<'_>) -> Result<()> {
        let account = &self.named.account;
        // What another reading has left out would be missing here.
        if account.first_rows().is_some() || !account.read(0) {
            account.give_up();
            return Err(self.stopped());
        }
        account.begin_scan();
        (self.row, self.end, self.listed, self.filter) = (0, self.named.table.len(), None, None);
        if column < 0 {
            let (column, kind) = (-column / KINDS, -column % KINDS);
            let kind = FilterKind::ALL.into_iter().find(|known| *known as c_int == kind);
            let pattern = args.iter().next().and_then(value_text::of);
            let (Some(kind), Some(pattern)) = (kind, pattern) else {
                self.row = self.end;
                return Ok(());
            };
            let filter = RowFilter::new(kind, &pattern, account).map_err(Error::ModuleError)?;
            self.filter = Some((column as usize, filter));
            return self.skip_others();
        }
        let Some(column) = usize::try_from(column - 1).ok() else { return Ok(()) };
        let value = args.iter().next();
        if let Some(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value
            && !account.read(bytes.len())
        {
            return Err(self.stopped());
        }
        let hash = match value {
            Some(value) => match value {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(HashIndex::of_number(number as f64)),
                ValueRef::Real(number) => Some(HashIndex::of_number(number)),
                ValueRef::Text(text) => Some(HashIndex::of_text(&String::from_utf8_lossy(text))),
                ValueRef::Blob(bytes) => Some(HashIndex::of_text(&String::from_utf8_lossy(bytes))),
            },
            None => None,
        };
        let Some(hash) = hash else {
            self.row = self.end;
            return Ok(());
        };
        let index = self.index(column).ok_or_else(|| self.stopped())?;
        if !account.read(index.searched_bytes()) {
            return Err(self.stopped());
        }
        let places = index.places(hash);
        self.listed = Some((column, places));
        self.next_listed()
    }

    fn next(&mut self) -> Result<()> {
        let account = &self.named.account;
        if self.listed.is_some() {
            if !account.read(0) {
                return Err(self.stopped());
            }
            return self.next_listed();
        }
        self.next_row()?;
        self.skip_others()
    }

    fn eof(&self) -> bool {
        self.row >= self.end
    }

    fn column(&self, ctx: &mut Context, column: c_int) -> Result<()> {
        let mut reader = self.reader.borrow_mut();
        let column = usize::try_from(column).map_err(|_| self.stopped())?;
        self.charge(column)?;
        let (account, cell) = (&self.named.account, self.named.table.cell(&mut reader, self.row, column));
        let value = match &cell {
            Cell::Null => ToSqlOutput::Owned(Value::Null),
            Cell::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Cell::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Cell::Text(text) => {
                account.read(text.len() / COPIED_AT_ONCE);
                ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
            }
        };
        ctx.set_result(value)
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.row as i64 + 1)
    }
}
