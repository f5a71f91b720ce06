//! A store in a Redis or Valkey: the bare text under `toolshape:<key>`, as the packages' stores write it
//! (docs/stores.md, "Redis and other services").

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redis::{Client, Cmd, Connection, FromRedisValue, RedisError, RedisResult};
use toolshape::Error;
use toolshape::host::STORE_BYTES;

use crate::ledger::{Account, Incoming, Ledger};
use crate::store::{Limits, Store, failed, locked};

/// How long a connection, and an answer, is waited for.
const CONNECT: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(2);
/// A failure that takes longer is a store that does not answer, which is left alone for a while.
const SLOW: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_secs(10);
/// The most connections that are kept for the next calls.
const IDLE: usize = 8;
/// How unstorage marks binary data. A text that begins with it is stored as such.
const MARK: &str = "base64:";

/// A store in a Redis or Valkey. Calls at the same time have a connection each. Its limits count what this process wrote.
pub struct RedisStore {
    client: Client,
    idle: Mutex<Vec<Connection>>,
    paused_until: Mutex<Option<Instant>>,
    account: Account,
}

/// Without the address, which may contain a password.
impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").finish_non_exhaustive()
    }
}

impl RedisStore {
    /// A store at an address, such as `redis://localhost:6379/0`, with the default limits: 1 GiB, and 64 MiB for one value.
    /// It connects with the first call.
    ///
    /// # Errors
    /// `STORE_FAILED` if it is not the address of a Redis.
    ///
    /// ```
    /// use toolshape_stores::RedisStore;
    /// assert!(RedisStore::new("redis://localhost").is_ok());
    /// assert!(RedisStore::new("localhost").is_err());
    /// ```
    pub fn new(address: &str) -> Result<Self, Error> {
        Self::new_with_limits(address, Limits::default())
    }

    /// A store as [`new`](Self::new), with other limits.
    ///
    /// # Errors
    /// As [`new`](Self::new); `INVALID_CALL` for a limit out of range.
    pub fn new_with_limits(address: &str, limits: Limits) -> Result<Self, Error> {
        let client = Client::open(address)
            .map_err(|_| failed("the store's address is not that of a Redis: redis://host:port"))?;
        let account = Account::new(Ledger::new(&limits, STORE_BYTES)?);
        Ok(Self { client, idle: Mutex::default(), paused_until: Mutex::default(), account })
    }

    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Error> {
        if !self.may_ask() {
            let pause = PAUSE.as_secs();
            return Err(failed(format_args!(
                "the store did not answer a short while ago, and is tried again after {pause} seconds"
            )));
        }
        let began = Instant::now();
        let idle = locked(&self.idle).pop();
        // A connection that was closed while nobody used it is made again, once.
        let was_open = idle.is_some();
        let mut answer = self.try_ask(command, idle);
        if was_open && answer.is_err() && began.elapsed() < SLOW {
            answer = self.try_ask(command, None);
        }
        let is_slow = answer.is_err() && began.elapsed() > SLOW;
        *locked(&self.paused_until) = is_slow.then(|| Instant::now() + PAUSE);
        answer.map_err(|error| failed(reason(&error)))
    }

    /// Whether it may be asked now. After a pause one call tries it, and the others go on without it.
    fn may_ask(&self) -> bool {
        let mut paused_until = locked(&self.paused_until);
        let is_over = paused_until.map(|until| Instant::now() >= until);
        if is_over == Some(true) {
            *paused_until = Some(Instant::now() + PAUSE);
        }
        is_over != Some(false)
    }

    fn try_ask<T: FromRedisValue>(&self, command: &Cmd, idle: Option<Connection>) -> RedisResult<T> {
        let mut connection = match idle {
            Some(connection) => connection,
            None => {
                let connection = self.client.get_connection_with_timeout(CONNECT)?;
                connection.set_read_timeout(Some(ANSWER))?;
                connection.set_write_timeout(Some(ANSWER))?;
                connection
            }
        };
        let answer = command.query(&mut connection)?;
        let mut idle = locked(&self.idle);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        Ok(answer)
    }
}

impl Store for RedisStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        let value: Option<String> = self.ask(redis::cmd("GET").arg(named(key)))?;
        match value.as_deref().and_then(|value| value.strip_prefix(MARK)) {
            Some(marked) => {
                let bytes = STANDARD.decode(marked).map_err(failed)?;
                Ok(Some(String::from_utf8(bytes).map_err(failed)?))
            }
            None => Ok(value),
        }
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        let owner = owner.unwrap_or_default().to_owned();
        let incoming = Incoming { key: key.to_owned(), bytes: value.len() as u64, owner, kept_for };
        let milliseconds = u64::try_from(kept_for.as_millis()).map_err(failed)?;
        let remove = |key: &str| self.ask(redis::cmd("DEL").arg(named(key)));
        let write = || {
            let value = if value.starts_with(MARK) { format!("{MARK}{}", STANDARD.encode(value)) } else { value };
            self.ask(redis::cmd("SET").arg(named(key)).arg(value).arg("PX").arg(milliseconds))
        };
        self.account.keep(&incoming, remove, write)
    }
}

/// Why the store failed, in words without hosts and paths: a model reads them.
fn reason(error: &RedisError) -> String {
    match error.code() {
        _ if error.is_timeout() => "the store did not answer in time".to_owned(),
        _ if error.is_io_error() => "the store cannot be reached".to_owned(),
        Some(code) => format!("the store refused with {code}"),
        None => error.category().to_owned(),
    }
}

fn named(key: &str) -> String {
    format!("toolshape:{key}")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn one_call_tries_a_store_that_hung() {
        let hung = TcpListener::bind("127.0.0.1:0").unwrap();
        let store = Arc::new(RedisStore::new(&format!("redis://{}", hung.local_addr().unwrap())).unwrap());
        let failure = |store: &RedisStore| store.read("key").unwrap_err().message().to_owned();
        assert_eq!(failure(&store), "the store did not answer in time");
        assert!(failure(&store).contains("tried again after"));
        *locked(&store.paused_until) = Some(Instant::now());
        let tries = thread::spawn({
            let store = Arc::clone(&store);
            move || failure(&store)
        });
        while locked(&store.paused_until).is_some_and(|until| until <= Instant::now()) {
            thread::yield_now();
        }
        assert!(failure(&store).contains("tried again after"));
        assert_eq!(tries.join().unwrap(), "the store did not answer in time");
    }
}
