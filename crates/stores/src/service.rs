//! A store in a service that other machines reach too: Redis, PostgreSQL or an object store. Each is a `Backend`; the limits,
//! the pause after silence, the compression and the words of an error are the same for all.

mod address;
#[cfg(feature = "objects")]
mod objects;
mod packing;
mod patient;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
mod tiers;

use std::fmt;
use std::time::Duration;

use toolshape::Error;
use toolshape::host::STORE_BYTES;

use crate::ledger::{Account, Incoming};
use crate::pause::Pause;
use crate::store::{Limits, Store, failed};

use packing::Packing;
use patient::Patient;
use tiers::Tiers;

/// How long a connection, and an answer, is waited for.
const CONNECT: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(2);
/// A failure that takes longer is a service that does not answer.
const SLOW: Duration = Duration::from_millis(500);

/// What a kind of service does. Each call is one operation, which ends within `CONNECT` and `ANSWER`.
trait Backend: Send + Sync {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure>;
    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure>;
    /// Extends the time of a value; false if there is none.
    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure>;
    fn delete(&self, key: &str) -> Result<(), Failure>;
    /// Deletes the values whose keys begin so, in as many operations as it takes, and returns how many there were.
    fn delete_all(&self, beginning: &str) -> Result<u64, Failure>;
}

/// Why a service did not do what it was asked.
#[derive(Debug)]
struct Failure {
    /// In the service's words, which may name hosts: for the log alone.
    detail: String,
    kind: FailureKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FailureKind {
    /// It did not answer in time.
    Silence,
    /// It did not answer before, and was not asked.
    Pause,
    Other,
}

impl Failure {
    fn new(detail: impl fmt::Display) -> Self {
        Self { detail: detail.to_string(), kind: FailureKind::Other }
    }

    fn silence(detail: impl fmt::Display) -> Self {
        Self { detail: detail.to_string(), kind: FailureKind::Silence }
    }
}

/// Receives what a service says of a failure.
type Log = Box<dyn Fn(&str) + Send + Sync>;

/// A store in a service. Its limits count what this process wrote.
pub struct ServiceStore {
    backend: Box<dyn Backend>,
    account: Account,
    packing: Packing,
    log: Option<Log>,
}

/// Without the address, which may contain a password.
impl fmt::Debug for ServiceStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceStore").finish_non_exhaustive()
    }
}

impl ServiceStore {
    /// A store at an address, with the default limits: 1 GiB, and 64 MiB for one value. It connects with the first call.
    ///
    /// | address | feature |
    /// |---|---|
    /// | `redis://user:password@host:6379/0`, over TLS `rediss://…` | `redis`, `redis-tls` |
    /// | `redis+cluster://host:7000,host:7001`, over TLS `rediss+cluster://…` | the same |
    /// | `redis+sentinel://host:26379,host:26380/master/0` | the same |
    /// | `postgres://user:password@host/database` | `postgres` |
    /// | `s3://bucket/prefix`, `gs://bucket/prefix`, `az://account/container/prefix` | `objects` |
    ///
    /// # Errors
    /// `STORE_FAILED` if it is not an address of these forms, without the address, which may contain a password.
    #[cfg_attr(feature = "redis", doc = "```")]
    #[cfg_attr(not(feature = "redis"), doc = "```ignore")]
    /// use toolshape_stores::ServiceStore;
    /// assert!(ServiceStore::new("redis://localhost").is_ok());
    /// assert!(ServiceStore::new("localhost").is_err());
    /// ```
    pub fn new(address: &str) -> Result<Self, Error> {
        Self::new_with_limits(address, Limits::default())
    }

    /// A store as [`new`](Self::new), with other limits.
    ///
    /// # Errors
    /// As [`new`](Self::new); `INVALID_CALL` for a limit out of range.
    pub fn new_with_limits(address: &str, limits: Limits) -> Result<Self, Error> {
        let account = Account::new(&limits, STORE_BYTES)?;
        Ok(Self { backend: opened(address)?, account, packing: Packing::default(), log: None })
    }

    /// Encrypts each value with AES-256-GCM, bound to its key, and reads nothing that is not encrypted with the same secret.
    #[must_use]
    pub fn encrypted(mut self, secret: &[u8; 32]) -> Self {
        self.packing = Packing::encrypted(secret);
        self
    }

    /// Writes values of more bytes than `over`, as they are stored, to a second service, such as an object store. If that
    /// fails, the first service takes them.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn and_for_large(self, address: &str, over: usize) -> Result<Self, Error> {
        let tiers = Tiers { first: self.backend, second: opened(address)?, over };
        Ok(Self { backend: Box::new(tiers), ..self })
    }

    /// Passes what the service says of each failure to a log. It may name hosts, and is not part of errors.
    #[must_use]
    pub fn log(self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { log: Some(Box::new(log)), ..self }
    }

    /// Asks each service once, so that a wrong address is known at the start.
    ///
    /// # Errors
    /// `STORE_FAILED`, with what the service says.
    pub fn check(&self) -> Result<(), Error> {
        self.backend.get("check").map(drop).map_err(|failure| failed(failure.detail))
    }

    fn done<T>(&self, answer: Result<T, Failure>) -> Result<T, Error> {
        answer.map_err(|failure| {
            if let Some(log) = &self.log {
                log(&failure.detail);
            }
            // A model reads this, and cannot do anything with what the service says.
            match failure.kind {
                FailureKind::Silence => failed("the store did not answer in time"),
                FailureKind::Pause => failed(failure.detail),
                FailureKind::Other => failed("the store failed"),
            }
        })
    }
}

impl Store for ServiceStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        self.done(self.backend.get(key))?.map(|value| self.packing.unpack(key, value)).transpose()
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        let owner = owner.unwrap_or_default().to_owned();
        let value = self.packing.pack(key, value)?;
        let incoming = Incoming { key: key.to_owned(), bytes: value.len() as u64, owner, kept_for };
        let remove = |key: &str| self.done(self.backend.delete(key));
        self.account.keep(&incoming, remove, || self.done(self.backend.set(key, value, kept_for)))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        self.done(self.backend.renew(key, kept_for))
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        let count = self.done(self.backend.delete_all(beginning))?;
        self.account.forget_all(beginning);
        Ok(count)
    }
}

fn opened(address: &str) -> Result<Box<dyn Backend>, Error> {
    let backend = address::open(address).map_err(|failure| failed(failure.detail))?;
    Ok(Box::new(Patient { backend, left_alone: Pause::default() }))
}

#[cfg(all(test, feature = "redis"))]
mod tests {
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn what_a_service_says_is_logged_and_is_not_part_of_the_error() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let into = Arc::clone(&said);
        let store = ServiceStore::new(&format!("redis://:secret@{closed}")).unwrap();
        let store = store.log(move |detail| detail.clone_into(&mut into.lock().unwrap()));
        assert_eq!(store.read("key").unwrap_err().message(), "the store failed");
        let said = said.lock().unwrap();
        assert!(said.contains("refused") && !said.contains("secret"), "{said}");
    }
}
