//! SQLite's own orders of texts, which charge the bytes that they compare: one step of SQLite compares texts of any length.

use std::cmp::Ordering;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use rusqlite::{Connection, Error, Result, ffi};
use toolshape_text::values::moment;

use crate::account::Account;
use crate::number;

/// Bytes whose comparison is a part of a step.
const FREE: usize = 64;
/// Bytes that are compared between two looks at the account.
const CHUNK: usize = 4096;
/// Bytes that are compared in the time in which one is read.
const COMPARED_AT_ONCE: usize = 8;

type Order = fn(&Account, &[u8], &[u8]) -> Ordering;

/// The orders by their names, in SQL of columns of digits and of times also `digits` and `times`.
const ORDERS: [(&CStr, Order); 5] = [
    (c"BINARY", bytes),
    (c"NOCASE", |account, a, b| {
        let folded = |bytes: &[u8]| bytes.to_ascii_lowercase();
        chunks(account, a, b, 1, |a, b| folded(a).cmp(&folded(b)))
    }),
    (c"RTRIM", |account, a, b| {
        let trimmed = |text: &[u8]| text.iter().rposition(|byte| *byte != b' ').map_or(0, |end| end + 1);
        let (end_of_a, end_of_b) = (trimmed(a), trimmed(b));
        let spaces = a.len() - end_of_a + b.len() - end_of_b;
        if spaces > FREE && !account.read(spaces) {
            return a.len().cmp(&b.len());
        }
        bytes(account, &a[..end_of_a], &b[..end_of_b])
    }),
    (c"digits", |account, a, b| read(account, a, b, number::compare)),
    (c"times", |account, a, b| read(account, a, b, moment::compare)),
];

/// Compares what the texts say.
fn read(account: &Account, a: &[u8], b: &[u8], compare: fn(&str, &str) -> Ordering) -> Ordering {
    match a.len() + b.len() <= FREE || account.read(a.len() + b.len()) {
        true => compare(&String::from_utf8_lossy(a), &String::from_utf8_lossy(b)),
        false => a.len().cmp(&b.len()),
    }
}

fn bytes(account: &Account, a: &[u8], b: &[u8]) -> Ordering {
    chunks(account, a, b, COMPARED_AT_ONCE, Ord::cmp)
}

/// Compares part by part; what is not compared any more, because the statement has stopped, is ordered by its length.
fn chunks(
    account: &Account,
    a: &[u8],
    b: &[u8],
    at_once: usize,
    compare: impl Fn(&[u8], &[u8]) -> Ordering,
) -> Ordering {
    let common = a.len().min(b.len());
    let mut at = 0;
    while at < common {
        let end = common.min(at + CHUNK);
        if common > FREE && (account.stop().is_some() || !account.read((end - at) / at_once)) {
            break;
        }
        match compare(&a[at..end], &b[at..end]) {
            Ordering::Equal => at = end,
            other => return other,
        }
    }
    a.len().cmp(&b.len())
}

/// What SQLite hands to each comparison.
type Data = (Arc<Account>, Order);

/// Adds the orders.
pub fn add(connection: &Connection, account: &Arc<Account>) -> Result<()> {
    ORDERS.iter().try_for_each(|&(name, order)| add_one(connection, name, Box::new((Arc::clone(account), order))))
}

fn add_one(connection: &Connection, name: &CStr, data: Box<Data>) -> Result<()> {
    unsafe extern "C" fn compare(
        data: *mut c_void,
        len_of_a: c_int,
        a: *const c_void,
        len_of_b: c_int,
        b: *const c_void,
    ) -> c_int {
        // SAFETY: SQLite passes the pointer that it was given below, which is valid until `release`, and two texts of these lengths.
        let ((account, order), a, b) =
            unsafe { (&*data.cast::<Data>(), text(a.cast(), len_of_a), text(b.cast(), len_of_b)) };
        order(account, a, b) as c_int
    }
    unsafe fn text<'t>(start: *const u8, len: c_int) -> &'t [u8] {
        match usize::try_from(len) {
            // SAFETY: as the caller says.
            Ok(len @ 1..) if !start.is_null() => unsafe { std::slice::from_raw_parts(start, len) },
            _ => &[],
        }
    }
    unsafe extern "C" fn release(data: *mut c_void) {
        // SAFETY: SQLite calls this once, with the pointer that it was given below.
        drop(unsafe { Box::from_raw(data.cast::<Data>()) });
    }
    let data = Box::into_raw(data).cast::<c_void>();
    // SAFETY: the connection is open; the data are valid until SQLite releases them, which it does not do if it fails.
    let code = unsafe {
        ffi::sqlite3_create_collation_v2(
            connection.handle(),
            name.as_ptr(),
            ffi::SQLITE_UTF8,
            data,
            Some(compare),
            Some(release),
        )
    };
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    // SAFETY: it was not taken.
    unsafe { release(data) };
    Err(Error::SqliteFailure(ffi::Error::new(code), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Limits;

    #[test]
    fn orders_are_those_of_sqlite() {
        let texts = [
            "",
            " ",
            "a",
            "A",
            "a ",
            "ab",
            "B",
            "b",
            "é",
            "a\u{1}",
            "Z_",
            "z_",
            &"x".repeat(9000),
            &("x".repeat(9000) + "y"),
        ];
        let own = Connection::open_in_memory().unwrap();
        let charged = Connection::open_in_memory().unwrap();
        add(&charged, &Arc::new(Account::new(&Limits::default()))).unwrap();
        for order in ["BINARY", "NOCASE", "RTRIM"] {
            let sql = format!("SELECT ?1 < ?2 COLLATE {order}, ?1 = ?2 COLLATE {order}");
            let asked = |connection: &Connection, a: &str, b: &str| -> (bool, bool) {
                connection.query_row(&sql, (a, b), |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
            };
            for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
                assert_eq!(asked(&charged, a, b), asked(&own, a, b), "{a:?} {b:?} {order}");
            }
        }
    }
}
