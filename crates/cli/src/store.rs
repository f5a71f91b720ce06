//! Where whole results are kept, as the pump asks for it: what may take its time has a thread of its own.

use std::env;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Error, Result};
use toolshape::host::ArchiveOptions;
use toolshape_account::{folder_of, home};
use toolshape_proxy::{ServiceOption, StoreOption, StoreReply, StoreRequest, without_passwords};
use toolshape_stores::{FileStore, MemoryStore, ServiceStore, Store, TimedStore};

use crate::{around, output};

/// The longest that the end of a store is waited for, which closes its connections.
const LAST: Duration = Duration::from_millis(500);

pub enum RelayStore {
    /// A store that answers at once.
    Here(OpenStore),
    /// A store in another thread, and its answers as they come.
    Apart(StoreThread),
}

/// A thread that has a store. It ends when this is dropped.
pub struct StoreThread {
    /// None at the end.
    to: Option<Sender<(u64, StoreRequest)>>,
    ended: Receiver<()>,
}

impl RelayStore {
    /// Opens the store.
    ///
    /// # Errors
    /// As [`OpenStore::open`].
    pub fn open(option: &StoreOption, reply: impl Fn(u64, StoreReply) + Send + 'static) -> Result<Self> {
        let asked = OpenStore::open(option)?;
        if asked.store.is_quick() {
            return Ok(Self::Here(asked));
        }
        Ok(Self::Apart(StoreThread::new(asked, reply)))
    }

    /// Does what the relay wants, now or later.
    pub fn ask(&self, number: u64, wanted: StoreRequest) -> Option<StoreReply> {
        match self {
            Self::Here(store) => Some(store.ask(wanted)),
            Self::Apart(thread) => match thread.to.as_ref().map(|to| to.send((number, wanted))) {
                Some(Ok(())) => None,
                _ => Some(StoreReply::Failed("the store has ended".to_owned())),
            },
        }
    }
}

impl StoreThread {
    fn new(asked: OpenStore, reply: impl Fn(u64, StoreReply) + Send + 'static) -> Self {
        let ((to, received), (end, ended)) = (mpsc::channel(), mpsc::channel());
        thread::spawn(move || {
            for (number, wanted) in received {
                reply(number, asked.ask(wanted));
            }
            drop(asked);
            let _ = end.send(());
        });
        Self { to: Some(to), ended }
    }
}

impl Drop for StoreThread {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.ended.recv_timeout(LAST);
    }
}

/// A store within limits of time, and how long it keeps what a relay has.
pub struct OpenStore {
    store: TimedStore,
    kept_for: Duration,
}

impl OpenStore {
    /// Opens the store; none is a memory that is never asked.
    ///
    /// # Errors
    /// A folder that cannot be a store, or an invalid address.
    pub fn open(option: &StoreOption) -> Result<Self> {
        let opened: Result<Box<dyn Store>, toolshape::Error> = match option {
            StoreOption::Folder(path) => {
                let opened = FileStore::open(path).map(|store| Box::new(store) as _);
                opened.map_err(|error| {
                    let message = format!("the store {path}: {}", error.message());
                    toolshape::Error::new(error.code(), message, "")
                })
            }
            StoreOption::Service(service) => opened(service),
            StoreOption::Cache => Ok(cache()),
            StoreOption::None | StoreOption::Memory => Ok(Box::new(MemoryStore::new())),
        };
        let store = opened.map_err(|error| Error::msg(error.message().to_owned()))?;
        let options = ArchiveOptions::default();
        let seconds = if let StoreOption::Service(service) = option { service.seconds } else { None };
        let kept_for = seconds.map_or_else(|| Duration::from_secs_f64(options.ttl_seconds), Duration::from_secs);
        Ok(Self { store: TimedStore::new(store, &options), kept_for })
    }

    /// Whether another process finds what it keeps.
    pub fn is_shared(&self) -> bool {
        !self.store.is_quick()
    }

    /// The store for several threads, and how long it keeps values.
    #[cfg(feature = "serve")]
    pub fn into_shared(self) -> (std::sync::Arc<dyn Store>, Duration) {
        (std::sync::Arc::new(self.store), self.kept_for)
    }

    /// Does what the relay wants.
    pub fn ask(&self, wanted: StoreRequest) -> StoreReply {
        let done = match wanted {
            StoreRequest::Read { key } => self.store.read(&key).map(StoreReply::Value),
            // SQLite is in this program.
            StoreRequest::Ask { .. } => Ok(StoreReply::Value(None)),
            StoreRequest::Write { key, value, owner } => {
                let (kept_for, owner) = (self.kept_for, owner.as_deref());
                // The names of tickets are short, and their values change.
                let written = match key.ends_with(".handle") {
                    true => self.store.write(&key, value, kept_for, owner),
                    false => self.store.write_content(&key, value, kept_for, owner),
                };
                written.map(|()| StoreReply::Done)
            }
        };
        done.unwrap_or_else(|error| StoreReply::Failed(error.message().to_owned()))
    }
}

/// The conversation in which results are listed. A host starts several programs of ours in one folder: they share the list of what is
/// stored for it. Of a store that others may share too, each process has its own.
pub fn session(option: &StoreOption) -> String {
    let folder = env::current_dir().unwrap_or_default();
    match option {
        StoreOption::Cache | StoreOption::Folder(_) => {
            [vec![folder.display().to_string()], around::processes()].concat().join("\n")
        }
        _ => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            format!("{} {}", process::id(), since.as_nanos())
        }
    }
}

/// A store in a service. Whether it answers is looked at beside the work that does not wait for it, and printed if not.
fn opened(service: &ServiceOption) -> Result<Box<dyn Store>, toolshape::Error> {
    let open = || {
        let mut store = ServiceStore::new(service.address.whole())?;
        if let Some((address, over)) = &service.for_large {
            store = store.and_for_large(address.whole(), *over)?;
        }
        if let Some(bytes) = service.tenant_bytes {
            store = store.within(bytes)?;
        }
        Ok::<_, toolshape::Error>(match &service.key {
            Some(key) => store.encrypted(key),
            None => store,
        })
    };
    let addresses = [Some(&service.address), service.for_large.as_ref().map(|(address, _)| address)];
    let shown = addresses.into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
    let log =
        move |detail: &str| output::say(&format!("toolshape: the store at {shown}: {}", without_passwords(detail)));
    let (store, tried) = (open()?, open()?);
    thread::spawn({
        let log = log.clone();
        move || _ = tried.check().inspect_err(|error| log(error.message()))
    });
    Ok(Box::new(store.log(log)))
}

/// The store of processes that may live for one call: a folder in the user's cache, which all relays share; memory if there
/// cannot be one.
fn cache() -> Box<dyn Store> {
    let folder = cache_folder().and_then(|folder| {
        std::fs::create_dir_all(folder.parent()?).ok()?;
        FileStore::open(folder).ok()
    });
    folder.map_or_else(|| Box::new(MemoryStore::new()) as _, |store| Box::new(store) as _)
}

/// The same as `cacheFolder` of the program in Node.
pub fn cache_folder() -> Option<PathBuf> {
    let home = home();
    let usual = match std::env::consts::OS {
        "windows" => folder_of("LOCALAPPDATA"),
        "macos" => home.map(|home| home.join("Library/Caches")),
        _ => home.map(|home| home.join(".cache")),
    };
    let cache = folder_of("XDG_CACHE_HOME").or(usual)?;
    Some(cache.join("toolshape"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A store that says goodbye to its service, which takes a while.
    struct Orderly(Arc<AtomicBool>);

    impl Store for Orderly {
        fn read(&self, _: &str) -> Result<Option<String>, toolshape::Error> {
            Ok(None)
        }

        fn write(&self, _: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), toolshape::Error> {
            Ok(())
        }
    }

    impl Drop for Orderly {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(50));
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_store_has_ended_when_its_relay_has() {
        let has_ended = Arc::new(AtomicBool::new(false));
        let store = TimedStore::new(Orderly(Arc::clone(&has_ended)), &ArchiveOptions::default());
        let (replies, received) = mpsc::channel();
        let reply = move |number, reply| replies.send((number, reply)).unwrap();
        let store = RelayStore::Apart(StoreThread::new(OpenStore { store, kept_for: Duration::MAX }, reply));
        let key = format!("{}.txt", "0".repeat(64));
        assert!(store.ask(7, StoreRequest::Read { key }).is_none());
        assert_eq!(received.recv().unwrap().0, 7);
        drop(store);
        assert!(has_ended.load(Ordering::Relaxed));
    }
}
