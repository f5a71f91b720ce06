//! A store in a service that other machines reach too: Redis, PostgreSQL or an object store. Each is a `Backend`; the limits,
//! the pause after silence, the compression and the words of an error are the same for all.

mod address;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod connections;
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
use crate::store::{Limits, SHORT, Store, failed};

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
    /// What counts its contents, if it can.
    fn counter(&self) -> Option<&dyn Counter> {
        None
    }
}

/// Counts the bytes of each tenant's contents in the service, for all processes that write there.
trait Counter {
    /// Counts a value in place of one under the same key, unless its tenant had more than `most` bytes then: false.
    fn count(&self, key: &str, bytes: u64, kept_for: Duration, most: u64) -> Result<bool, Failure>;
    /// Extends the time for which a value counts.
    fn count_longer(&self, key: &str, kept_for: Duration) -> Result<(), Failure>;
    /// Counts a value no longer, or all of a tenant by its name.
    fn forget(&self, key_or_tenant: &str) -> Result<(), Failure>;
}

/// The characters of a tenant's name, with which its keys begin.
const TENANT: usize = 32;

fn tenant_of(key: &str) -> &str {
    key.get(..TENANT).unwrap_or(key)
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
    /// The most bytes of a tenant's contents.
    within: Option<u64>,
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
        Ok(Self { backend: opened(address)?, account, packing: Packing::default(), log: None, within: None })
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

    /// Keeps at most this number of bytes of contents, as they are stored, for each tenant, whose keys begin with the same 32
    /// characters: counted in the service, so that all processes with this limit hold it together.
    ///
    /// # Errors
    /// `STORE_FAILED` of an object store, which cannot count.
    pub fn within(self, bytes: u64) -> Result<Self, Error> {
        self.backend.counter().ok_or_else(|| failed("an object store cannot count what a tenant has"))?;
        Ok(Self { within: Some(bytes), ..self })
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

    /// What counts, if there is a limit.
    fn counter(&self) -> Option<&dyn Counter> {
        self.within.and_then(|_| self.backend.counter())
    }

    fn put(
        &self,
        key: &str,
        value: String,
        kept_for: Duration,
        owner: Option<&str>,
        within: Option<u64>,
    ) -> Result<(), Error> {
        let owner = owner.unwrap_or_default().to_owned();
        let value = self.packing.pack(key, value)?;
        let bytes = value.len() as u64;
        let incoming = Incoming { key: key.to_owned(), bytes, owner, kept_for };
        let remove = |key: &str| {
            self.done(self.backend.delete(key))?;
            self.counter().map_or(Ok(()), |counter| self.done(counter.forget(key)))
        };
        self.account.keep(&incoming, remove, || {
            // It counts although it may not be written then: until that is tried again, or its time is over.
            if let (Some(counter), Some(most)) = (self.counter(), within)
                && !self.done(counter.count(key, bytes, kept_for, most))?
            {
                return Err(failed(format_args!("the tenant has no room left for a value of {bytes} bytes")));
            }
            self.done(self.backend.set(key, value, kept_for))
        })
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
        self.put(key, value, kept_for, owner, None)
    }

    fn write_content(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        // To ask takes as long as to send a short one.
        if value.len() >= SHORT && self.renew(key, kept_for)? {
            return Ok(());
        }
        self.put(key, value, kept_for, owner, self.within)
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        let is_there = self.done(self.backend.renew(key, kept_for))?;
        if is_there {
            self.account.renew(key, kept_for);
        }
        match self.counter().filter(|_| is_there) {
            Some(counter) => self.done(counter.count_longer(key, kept_for)).map(|()| true),
            None => Ok(is_there),
        }
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        let count = self.done(self.backend.delete_all(beginning))?;
        self.counter().map_or(Ok(()), |counter| self.done(counter.forget(beginning)))?;
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
