//! What a store is, and what all stores here have in common.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use toolshape::host::{Naming, default_store_limits};
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

    /// Whether it answers at once, so that it may be called where others wait.
    fn is_quick(&self) -> bool {
        false
    }
}

/// A store that several have.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        (**self).read(key)
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        (**self).write(key, value, kept_for, owner)
    }

    fn is_quick(&self) -> bool {
        (**self).is_quick()
    }
}

/// The error for what a store could not do.
pub(crate) fn failed(why: impl Display) -> Error {
    Error::new(ErrorCode::StoreFailed, why.to_string(), "")
}

/// Refuses a value that is larger than one result may be.
pub(crate) fn check_size(value: &str) -> Result<(), Error> {
    let most = default_store_limits(Naming::Camel)["maxValueBytes"].as_u64().unwrap_or(u64::MAX);
    match value.len() {
        bytes if bytes as u64 > most => {
            Err(failed(format_args!("the result has {bytes} bytes, and the store takes at most {most}")))
        }
        _ => Ok(()),
    }
}
