//! PostgreSQL: one table, `toolshape_results`, which is made with the first connection. Whoever holds its advisory lock
//! deletes what has expired.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use postgres::types::ToSql;
use postgres::{Client, Config, Error, NoTls, Row};

use super::connections::Connections;
use super::{ANSWER, Backend, CONNECT, Counter, Failure, tenant_of};
use crate::store::{LONGEST, locked};

/// How often what has expired is deleted.
const SWEEP: Duration = Duration::from_secs(60);
/// The number of the lock, which other programs are unlikely to use.
const LOCK: i64 = 0x746f_6f6c_7368_6170;

/// One transaction, in which others wait: `IF NOT EXISTS` fails where two make it at the same time.
const TABLE: &str = "SELECT pg_advisory_xact_lock($LOCK); CREATE TABLE IF NOT EXISTS toolshape_results \
     (key text PRIMARY KEY, value bytea NOT NULL, expires timestamptz NOT NULL); \
     CREATE INDEX IF NOT EXISTS toolshape_results_expires ON toolshape_results (expires); \
     CREATE TABLE IF NOT EXISTS toolshape_sizes \
     (key text PRIMARY KEY, tenant text NOT NULL, bytes bigint NOT NULL, expires timestamptz NOT NULL); \
     CREATE INDEX IF NOT EXISTS toolshape_sizes_tenant ON toolshape_sizes (tenant) INCLUDE (key, bytes, expires)";
const GET: &str = "SELECT value FROM toolshape_results WHERE key = $1 AND expires > now()";
const SET: &str = "INSERT INTO toolshape_results VALUES ($1, $2, now() + $3 * interval '1 millisecond') \
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires";
const RENEW: &str = "UPDATE toolshape_results SET expires = now() + $2 * interval '1 millisecond' \
     WHERE key = $1 AND expires > now()";
const DELETE: &str = "DELETE FROM toolshape_results WHERE key = $1";
const DELETE_ALL: &str = "WITH gone AS (DELETE FROM toolshape_results WHERE key IN \
     (SELECT key FROM toolshape_results WHERE starts_with(key, $1) LIMIT 1000) RETURNING expires) \
     SELECT count(*), count(*) FILTER (WHERE expires > now()) FROM gone";
const DELETE_EXPIRED: &str = "WITH counted AS (DELETE FROM toolshape_sizes WHERE expires <= now()) \
     DELETE FROM toolshape_results WHERE expires <= now() AND pg_try_advisory_xact_lock($1)";
/// Those who count for one tenant wait for each other.
const LOCK_TENANT: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))";
const COUNT: &str = "INSERT INTO toolshape_sizes SELECT $1, $2, $3::bigint, now() + $4 * interval '1 millisecond' \
     WHERE $3::bigint + (SELECT coalesce(sum(bytes), 0)::bigint FROM toolshape_sizes \
     WHERE tenant = $2 AND key <> $1 AND expires > now()) <= $5::bigint \
     ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes, expires = excluded.expires";
const RENEW_COUNTED: &str = "UPDATE toolshape_sizes SET expires = now() + $2 * interval '1 millisecond' WHERE key = $1";
const FORGET: &str = "DELETE FROM toolshape_sizes WHERE key = $1 OR tenant = $1";

struct Postgres {
    config: Config,
    connections: Connections<Client>,
    swept: Mutex<Instant>,
}

pub(super) fn open(address: &str) -> Result<Box<dyn Backend>, Failure> {
    let wrong =
        |_: Error| Failure::new("the store's address is not that of a PostgreSQL: postgres://user@host/database");
    let mut config: Config = address.parse().map_err(wrong)?;
    config.connect_timeout(CONNECT).tcp_user_timeout(ANSWER);
    let options = format!("{} -c statement_timeout={}", config.get_options().unwrap_or_default(), ANSWER.as_millis());
    config.options(options.trim());
    Ok(Box::new(Postgres { config, connections: Connections::default(), swept: Mutex::new(Instant::now()) }))
}

impl Postgres {
    fn ask<T>(&self, operation: impl Fn(&mut Client) -> Result<T, Error>) -> Result<T, Failure> {
        let began = Instant::now();
        self.connections.ask(|| self.connect(), operation).map_err(|error| {
            let is_silence = began.elapsed() >= ANSWER;
            if is_silence { Failure::silence(words(&error)) } else { Failure::new(words(&error)) }
        })
    }

    fn connect(&self) -> Result<Client, Error> {
        let mut client = self.config.connect(NoTls)?;
        client.batch_execute(&TABLE.replace("$LOCK", &LOCK.to_string()))?;
        Ok(client)
    }

    fn execute(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Failure> {
        self.ask(|client| client.execute(statement, values))
    }

    fn sweep_if_due(&self) {
        let mut swept = locked(&self.swept);
        if swept.elapsed() > SWEEP {
            *swept = Instant::now();
            drop(swept);
            // What could not be deleted now is deleted later.
            let _ = self.execute(DELETE_EXPIRED, &[&LOCK]);
        }
    }
}

impl Backend for Postgres {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        let row: Option<Row> = self.ask(|client| client.query_opt(GET, &[&key]))?;
        Ok(row.map(|row| row.get(0)))
    }

    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure> {
        self.sweep_if_due();
        self.execute(SET, &[&key, &value, &milliseconds(kept_for)]).map(drop)
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure> {
        Ok(self.execute(RENEW, &[&key, &milliseconds(kept_for)])? > 0)
    }

    fn delete(&self, key: &str) -> Result<(), Failure> {
        self.execute(DELETE, &[&key]).map(drop)
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Failure> {
        let mut all = 0;
        loop {
            let row = self.ask(|client| client.query_one(DELETE_ALL, &[&beginning]))?;
            let (deleted, counted): (i64, i64) = (row.get(0), row.get(1));
            all += u64::try_from(counted).unwrap_or_default();
            if deleted == 0 {
                return Ok(all);
            }
        }
    }

    fn counter(&self) -> Option<&dyn Counter> {
        Some(self)
    }
}

impl Counter for Postgres {
    fn count(&self, key: &str, bytes: u64, kept_for: Duration, most: u64) -> Result<bool, Failure> {
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (tenant, bytes, most) = (tenant_of(key), number(bytes), number(most));
        let counted = self.ask(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute(LOCK_TENANT, &[&tenant, &LOCK])?;
            let counted = transaction.execute(COUNT, &[&key, &tenant, &bytes, &milliseconds(kept_for), &most])?;
            transaction.commit()?;
            Ok(counted)
        });
        Ok(counted? > 0)
    }

    fn count_longer(&self, key: &str, kept_for: Duration) -> Result<(), Failure> {
        self.execute(RENEW_COUNTED, &[&key, &milliseconds(kept_for)]).map(drop)
    }

    fn forget(&self, key_or_tenant: &str) -> Result<(), Failure> {
        self.execute(FORGET, &[&key_or_tenant]).map(drop)
    }
}

/// What the server says, or the library where it is not the server.
fn words(error: &Error) -> String {
    let cause = std::error::Error::source(error);
    error.as_db_error().map_or_else(
        || cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}")),
        |said| said.message().to_owned(),
    )
}

fn milliseconds(kept_for: Duration) -> f64 {
    kept_for.min(LONGEST).as_millis() as f64
}
