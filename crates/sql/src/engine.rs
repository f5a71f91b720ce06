//! A connection of SQLite that can read and compute, and nothing else.

use std::sync::{Arc, Mutex};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

use crate::account::{Account, Limits};
use crate::allowed::{self, Asked};
use crate::{functions, sqlite};

/// Steps of SQLite between two looks at the account.
const STEPS: i32 = 100;
/// Bytes of the longest value that a statement may make where no stored value is longer.
const LONGEST_VALUE: usize = 1_000_000;
/// No value is longer, stored ones included.
const LONGEST_EVER: usize = 128 << 20;
const MOST_SQL_BYTES: i32 = 100_000;
const MOST_NESTING: i32 = 100;

/// An open connection, and what it counts.
pub struct Engine {
    pub connection: Connection,
    pub account: Arc<Account>,
    pub asked: Arc<Mutex<Asked>>,
    longest: usize,
}

impl Engine {
    pub fn new(limits: &Limits) -> Result<Self> {
        let mut connection = sqlite::open()?;
        let account = Arc::new(Account::new(limits));
        let asked = Arc::new(Mutex::new(Asked::default()));
        connection.execute_batch("PRAGMA temp_store=memory")?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE as i32),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, MOST_SQL_BYTES),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, MOST_NESTING),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
            (Limit::SQLITE_LIMIT_VDBE_OP, 200_000),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        sqlite::add_collations(&connection, &account)?;
        functions::add(&connection, &account)?;
        sqlite::add_lines(&connection, &account)?;
        let counted = Arc::clone(&account);
        connection.progress_handler(
            STEPS,
            Some(move || {
                counted.step(STEPS as usize, sqlite::allocated(), sqlite::longest_number(), sqlite::memory_used())
            }),
        )?;
        connection.authorizer(Some(allowed::authorizer(Arc::clone(&asked))))?;
        Ok(Self { connection, account, asked, longest: LONGEST_VALUE })
    }

    /// Lets statements hold a stored value with this number of bytes.
    pub fn allow_length(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.longest {
            self.longest = bytes.min(LONGEST_EVER);
            self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, self.longest as i32)?;
        }
        Ok(())
    }
}
