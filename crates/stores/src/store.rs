//! What a store is, and what all stores here have in common.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolshape::host::VALUE_BYTES;
use toolshape::{Error, ErrorCode};

/// A store for whole results. Its methods block.
///
/// A store is trusted to keep what it confirms, but not with the content: what it returns is checked against its key.
///
/// ```
/// use std::{collections::HashMap, sync::Mutex, time::Duration};
/// use toolshape::Error;
/// use toolshape_stores::Store;
///
/// /// Keeps everything, for ever.
/// #[derive(Default)]
/// struct Kept(Mutex<HashMap<String, String>>);
///
/// impl Store for Kept {
///     fn read(&self, key: &str) -> Result<Option<String>, Error> {
///         Ok(self.0.lock().unwrap().get(key).cloned())
///     }
///
///     fn write(&self, key: &str, value: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
///         self.0.lock().unwrap().insert(key.to_owned(), value);
///         Ok(())
///     }
/// }
/// let store = Kept::default();
/// store.write("a key", "a value".to_owned(), Duration::MAX, None)?;
/// assert_eq!(store.read("a key")?.as_deref(), Some("a value"));
/// # Ok::<(), Error>(())
/// ```
pub trait Store: Send + Sync + 'static {
    /// The value under a key, or nothing if there is none or it has expired.
    ///
    /// # Errors
    /// `STORE_FAILED`, with a message that a model may read.
    fn read(&self, key: &str) -> Result<Option<String>, Error>;

    /// Keeps a value for so long. `owner` is whose it is, an opaque name for each scope, so that a store can limit what each
    /// has; a store may ignore it.
    ///
    /// # Errors
    /// As [`read`](Self::read), unless the value is kept.
    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error>;

    /// Keeps the value under a key for so long from now, without sending it again; false if there is none.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        let _ = (key, kept_for);
        Ok(false)
    }

    /// Keeps a content, whose key is made from it: one that is there is not sent again.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn write_content(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        // To ask takes as long as to send a short one.
        if value.len() >= SHORT && self.renew(key, kept_for)? {
            Ok(())
        } else {
            self.write(key, value, kept_for, owner)
        }
    }

    /// Deletes all values whose keys begin so, and returns how many there were. What is written meanwhile may stay.
    ///
    /// # Errors
    /// As [`read`](Self::read), after which some may be left; a store that cannot list its keys.
    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        let _ = beginning;
        Err(failed("the store cannot list its keys"))
    }

    /// Whether it answers at once, so that it may be called where others wait.
    fn is_quick(&self) -> bool {
        false
    }
}

/// Makes a pointer to a store a store.
macro_rules! pointer {
    ($($pointer:ident),+) => {$(
        impl<S: Store + ?Sized> Store for $pointer<S> {
            fn read(&self, key: &str) -> Result<Option<String>, Error> {
                (**self).read(key)
            }

            fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
                (**self).write(key, value, kept_for, owner)
            }

            fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
                (**self).renew(key, kept_for)
            }

            fn write_content(
                &self,
                key: &str,
                value: String,
                kept_for: Duration,
                owner: Option<&str>,
            ) -> Result<(), Error> {
                (**self).write_content(key, value, kept_for, owner)
            }

            fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
                (**self).delete_all(beginning)
            }

            fn is_quick(&self) -> bool {
                (**self).is_quick()
            }
        }
    )+};
}

pointer!(Arc, Box);

/// How much a store keeps.
///
/// ```
/// use toolshape_stores::{Limits, MemoryStore};
/// let store = MemoryStore::with_limits(Limits::default().max_bytes(1 << 20).max_share(0.1))?;
/// # let _ = store;
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Limits {
    pub(crate) max_bytes: Option<u64>,
    pub(crate) max_value_bytes: u64,
    pub(crate) max_share: f64,
}

impl Limits {
    /// Maximum bytes of all values together. Default: 128 MiB in memory, 1 GiB elsewhere.
    pub fn max_bytes(self, bytes: u64) -> Self {
        Self { max_bytes: Some(bytes), ..self }
    }

    /// Maximum bytes of one value; a larger one is not stored. Default: 64 MiB.
    pub fn max_value_bytes(self, bytes: u64) -> Self {
        Self { max_value_bytes: bytes, ..self }
    }

    /// Maximum share of `maxBytes` that one owner may have: each `scope` is an owner, and calls without a scope are one.
    /// Default: 1.
    pub fn max_share(self, share: f64) -> Self {
        Self { max_share: share, ..self }
    }

    /// # Errors
    /// `INVALID_CALL` for a limit out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = |name: &str, is: &dyn Display, takes: &str| {
            let message = format!("{name} is {is}; it takes {takes}");
            Err(Error::new(ErrorCode::InvalidCall, message, format!("/{name}")))
        };
        match *self {
            Self { max_bytes: Some(0), .. } => wrong("max_bytes", &0, "a number over 0"),
            Self { max_value_bytes: 0, .. } => wrong("max_value_bytes", &0, "a number over 0"),
            Self { max_share, .. } if max_share > 0.0 && max_share <= 1.0 => Ok(()),
            Self { max_share, .. } => wrong("max_share", &max_share, "a number over 0, at most 1"),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: None, max_value_bytes: VALUE_BYTES, max_share: 1.0 }
    }
}

/// The bytes below which a content is sent without asking whether it is there.
pub(crate) const SHORT: usize = 4096;

/// The longest that a value is kept, a hundred years: a file's modification time cannot express a later one.
pub(crate) const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The error for what a store could not do.
pub(crate) fn failed(why: impl Display) -> Error {
    Error::new(ErrorCode::StoreFailed, why.to_string(), "")
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
