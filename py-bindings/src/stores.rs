//! Stores of the package: the native ones, and the account of those that write elsewhere.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolshape::host::STORE_BYTES;
use toolshape_stores::{Account, FileStore, Incoming, Limits, Store, Values};

use crate::error::{guard, raise};

/// A store in a folder, or in memory.
#[pyclass(frozen)]
pub struct NativeStore(Kind);

enum Kind {
    /// The texts as they were given: to read one costs no copy.
    Memory(Values<Py<PyString>>),
    Files(FileStore),
}

#[pymethods]
impl NativeStore {
    #[new]
    fn new(
        py: Python<'_>,
        folder: Option<PathBuf>,
        max_bytes: f64,
        max_value_bytes: f64,
        max_share: f64,
    ) -> PyResult<Self> {
        let limits = limits(max_bytes, max_value_bytes, max_share);
        let made = py.detach(|| match folder {
            Some(folder) => FileStore::open_with_limits(folder, limits).map(Kind::Files),
            None => Values::new(&limits).map(Kind::Memory),
        });
        made.map(Self).map_err(|error| raise(py, &error))
    }

    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyString>>> {
        guard(py, || match &self.0 {
            Kind::Memory(values) => Ok(values.get(key, |value| value.clone_ref(py)).map(|value| value.into_bound(py))),
            Kind::Files(store) => {
                let found = py.detach(|| store.read(key)).map_err(|error| raise(py, &error))?;
                Ok(found.map(|text| PyString::new(py, &text)))
            }
        })
    }

    fn set(
        &self,
        py: Python<'_>,
        key: &str,
        value: &Bound<'_, PyString>,
        ttl_seconds: f64,
        owner: Option<&str>,
    ) -> PyResult<()> {
        guard(py, || {
            let (text, kept_for) = (value.to_str()?, duration(ttl_seconds));
            let done = match &self.0 {
                Kind::Memory(values) => {
                    values.put(incoming(key, text.len() as u64, owner, ttl_seconds), value.clone().unbind())
                }
                Kind::Files(store) => py.detach(|| store.write(key, text.to_owned(), kept_for, owner)),
            };
            done.map_err(|error| raise(py, &error))
        })
    }

    fn delete(&self, py: Python<'_>, key: &str) -> PyResult<()> {
        guard(py, || match &self.0 {
            Kind::Memory(values) => {
                values.delete(key);
                Ok(())
            }
            Kind::Files(store) => py.detach(|| store.delete(key)).map_err(|error| raise(py, &error)),
        })
    }

    fn sweep(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || match &self.0 {
            Kind::Memory(_) => Ok(()),
            Kind::Files(store) => py.detach(|| store.sweep()).map_err(|error| raise(py, &error)),
        })
    }
}

/// What this process has put into a store that it writes to itself.
#[pyclass(frozen)]
pub struct StoreAccount(Arc<Account>);

#[pymethods]
impl StoreAccount {
    #[new]
    fn new(py: Python<'_>, max_bytes: f64, max_value_bytes: f64, max_share: f64) -> PyResult<Self> {
        let account = Account::new(&limits(max_bytes, max_value_bytes, max_share), STORE_BYTES);
        account.map(|account| Self(Arc::new(account))).map_err(|error| raise(py, &error))
    }

    /// Enters a value; `None` while its key is being deleted.
    fn begin(
        &self,
        py: Python<'_>,
        key: &str,
        size: u64,
        owner: Option<&str>,
        ttl_seconds: f64,
    ) -> PyResult<Option<Keeping>> {
        guard(py, || {
            let begun = self.0.begin(&incoming(key, size, owner, ttl_seconds)).map_err(|error| raise(py, &error))?;
            Ok(begun.map(|keeping| Keeping { account: Arc::clone(&self.0), keeping: Mutex::new(Some(keeping)) }))
        })
    }

    fn forget(&self, key: &str) {
        self.0.forget(key);
    }
}

/// A value on its way into a store.
#[pyclass(frozen)]
pub struct Keeping {
    account: Arc<Account>,
    keeping: Mutex<Option<toolshape_stores::Keeping>>,
}

impl Keeping {
    fn with<R: Default>(&self, work: impl FnOnce(&mut toolshape_stores::Keeping) -> R) -> R {
        self.keeping.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work).unwrap_or_default()
    }
}

#[pymethods]
impl Keeping {
    /// The keys that are to be deleted before the value is written.
    fn leaving(&self) -> Vec<String> {
        self.with(|keeping| keeping.leaving())
    }

    fn removed(&self, key: &str) {
        self.with(|keeping| self.account.removed(keeping, key));
    }

    /// Raises if there is no room for the value.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.with(|keeping| Some(keeping.check())).transpose().map(drop).map_err(|error| raise(py, &error))
    }

    fn end(&self, is_written: bool) {
        let keeping = self.keeping.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeping) = keeping {
            self.account.end(keeping, is_written);
        }
    }
}

fn limits(max_bytes: f64, max_value_bytes: f64, max_share: f64) -> Limits {
    Limits::default().max_bytes(max_bytes as u64).max_value_bytes(max_value_bytes as u64).max_share(max_share)
}

fn incoming(key: &str, bytes: u64, owner: Option<&str>, ttl_seconds: f64) -> Incoming {
    let owner = owner.unwrap_or_default().to_owned();
    Incoming { key: key.to_owned(), bytes, owner, kept_for: duration(ttl_seconds) }
}

/// A time too long for a clock is for ever.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
