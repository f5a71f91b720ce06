//! Tables that stay open between questions: opening one reads all of its text.

use std::sync::{Arc, Mutex, PoisonError};

use toolshape_sql::Table;

use crate::base::error::Error;

/// The most bytes of the texts of all tables that are kept, and the most tables. A table takes about as much again.
const MOST_BYTES: usize = 64 << 20;
const MOST_TABLES: usize = 16;

/// Open tables by the keys of their contents, the ones that were asked last.
///
/// A key is that of one content in one scope, and the content is checked before each question: what is kept gives no one access.
#[derive(Default)]
pub struct OpenedTables(Mutex<Vec<Opened>>);

struct Opened {
    key: String,
    bytes: usize,
    table: Arc<Table>,
}

impl OpenedTables {
    /// The table under a key, which is opened if it is not kept.
    ///
    /// # Errors
    /// Those of opening it.
    pub(super) fn get(
        &self,
        key: &str,
        bytes: usize,
        open: impl FnOnce() -> Result<Table, Error>,
    ) -> Result<Arc<Table>, Error> {
        let locked = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = take_up(&mut locked(), key) {
            return Ok(table);
        }
        // Others may ask in the meantime.
        let table = Arc::new(open()?);
        let mut kept = locked();
        if take_up(&mut kept, key).is_none() && bytes <= MOST_BYTES {
            kept.push(Opened { key: key.to_owned(), bytes, table: Arc::clone(&table) });
            while kept.len() > MOST_TABLES || kept.iter().map(|one| one.bytes).sum::<usize>() > MOST_BYTES {
                kept.remove(0);
            }
        }
        Ok(table)
    }
}

/// The table under a key, which becomes the last one that was asked.
fn take_up(kept: &mut Vec<Opened>, key: &str) -> Option<Arc<Table>> {
    let at = kept.iter().position(|one| one.key == key)?;
    let one = kept.remove(at);
    let table = Arc::clone(&one.table);
    kept.push(one);
    Some(table)
}

impl std::fmt::Debug for OpenedTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedTables").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_kept_within_bounds_and_opened_once() {
        let kept = OpenedTables::default();
        let open = || Ok(Table::json("[1]").unwrap());
        let first = kept.get("a", 1, open).unwrap();
        assert!(Arc::ptr_eq(&first, &kept.get("a", 1, || unreachable!()).unwrap()));
        for key in 1..MOST_TABLES {
            kept.get(&key.to_string(), 1, open).unwrap();
        }
        // It was asked last but one, so the next but one goes first.
        kept.get("a", 1, || unreachable!()).unwrap();
        kept.get("b", 1, open).unwrap();
        assert!(Arc::ptr_eq(&first, &kept.get("a", 1, || unreachable!()).unwrap()));
        assert!(!Arc::ptr_eq(&first, &kept.get("1", 1, open).unwrap()));
        // One large text leaves room for no other, and a larger one is not kept.
        kept.get("large", MOST_BYTES, open).unwrap();
        assert_eq!(kept.0.lock().unwrap().len(), 1);
        kept.get("larger", MOST_BYTES + 1, open).unwrap();
        assert_eq!(kept.0.lock().unwrap().len(), 1);
    }
}
